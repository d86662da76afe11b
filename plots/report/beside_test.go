package report

import (
	"slices"
	"strings"
	"testing"

	"modebench/experiments/record"
)

// TestBeside: of several experiments the page shows what they have in common side by
// side, and says what one of them has alone.
func TestBeside(t *testing.T) {
	one, two := demo(t), demo(t)
	manifest := *two.Run
	two.Run = &manifest
	two.Run.Spec, two.Run.Columns = "other", []string{"entropy_mode", "reward", "pass@2"}
	two.Summary = slices.Clone(two.Summary[:2])
	for i, row := range two.Summary {
		cells := slices.Clone(row.Cells)
		cells[0], cells[1] = cells[1], cells[0]
		cells[1].Interval.Mean, cells[1].Text = 0.75, "0.750 [0.500, 1.000]"
		two.Summary[i].Cells = cells
	}
	two.Run.Variants = slices.Clone(two.Run.Variants[:2])
	two.Run.Variants[1].Label, two.Summary[1].Label = "alone", "alone"
	two.Run.Figures = nil
	root := pageOf(t, one, two)
	tables := root.classed("beside")[0].all("table")
	var captions []string
	for _, table := range tables {
		captions = append(captions, table.all("caption")[0].text)
	}
	if want := []string{"reward", "entropy_mode"}; !slices.Equal(captions, want) {
		t.Fatalf("tables of %q, want %q: those that both have", captions, want)
	}
	var heads, row []string
	for _, th := range tables[0].all("thead")[0].all("th") {
		heads = append(heads, th.words())
	}
	rows := tables[0].all("tbody")[0].all("tr")
	for _, td := range rows[0].all("td") {
		row = append(row, td.words())
	}
	if want := []string{"method", "demo", "other"}; !slices.Equal(heads, want) {
		t.Errorf("heads %q, want %q", heads, want)
	}
	if want := []string{one.Summary[0].Cells[0].Text, "0.750 [0.500, 1.000]"}; len(rows) != 1 || rows[0].all("th")[0].words() != "base" || !slices.Equal(row, want) {
		t.Errorf("%d rows, the first of %q with %q, want base alone with %q", len(rows), rows[0].all("th")[0].words(), row, want)
	}
	if note := root.classed("note")[0].words(); !strings.Contains(note, "In one of them alone: grpo, "+hostile+", alone.") {
		t.Errorf("the note is %q", note)
	}
	_, alone := sharedPage(t, 1, false)
	if n := len(parse(t, alone).classed("beside")); n != 0 {
		t.Error("one experiment stands beside itself")
	}
	two.Run.Columns = []string{"x", "y", "z"}
	if b := newBeside([]Experiment{one, two}); b != nil {
		t.Errorf("nothing in common, and %+v", b)
	}
}

// TestCoverageIsExplained where it stands, in the summary and below a figure, and nowhere
// else.
func TestCoverageIsExplained(t *testing.T) {
	e := demo(t)
	if strings.Contains(written(t, e), coverageNote) {
		t.Error("a page without coverage explains it")
	}
	e.Run.Columns = []string{"reward", "entropy_mode", "coverage@4"}
	e.Run.Figures = slices.Clone(e.Run.Figures)
	e.Run.Figures = e.Run.Figures[:1]
	if n := strings.Count(written(t, e), coverageNote); n != 1 {
		t.Errorf("%d explanations, want one of the column", n)
	}
	e.Run.Columns = []string{"reward", "entropy_mode", "absent"}
	e.Run.Figures = []record.Figure{{Name: "bars", Kind: "bars", Metrics: []string{"coverage@2"}}}
	if n := strings.Count(written(t, e), coverageNote); n != 1 {
		t.Errorf("%d explanations, want one below the figure", n)
	}
	for metric, want := range map[string]bool{"coverage": true, "coverage@16": true, "front_coverage": false, "coverages": false} {
		if isCoverage(metric) != want {
			t.Errorf("%s is coverage against all modes: %v", metric, !want)
		}
	}
}

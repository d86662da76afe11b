package boardplot

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/board"
)

// TestInteractiveBoard: the table and the figures of a board's page have the numbers of its results.
func TestInteractiveBoard(t *testing.T) {
	b := scriptedBoard(t, 12, 3)
	data := b.Interactive()
	if len(data.Methods) != len(b.table.Rows) || len(data.Slices) != 1+len(b.results) {
		t.Fatalf("%d methods at %d slices", len(data.Methods), len(data.Slices))
	}
	for i, metric := range data.Metrics {
		if metric.Name != "accuracy" {
			continue
		}
		for j, m := range data.Methods {
			got := data.Values[i][j]
			want, reference := b.table.Rows[j].Paired["accuracy"], m.Name == board.Reference
			if float64(got.Mean[0]) != want.Mean || (float64(got.High[0]) == want.High) == reference {
				t.Errorf("%s over all tasks: %v, want %v", m.Name, got.Mean[0], want)
			}
			for k, r := range b.results {
				e := r.Tuned(m.Name)
				if e == nil { // it does not fit the task
					continue
				}
				if want := e.Mean("accuracy"); math.Abs(float64(got.Mean[k+1])-want) > 1e-12 {
					t.Errorf("%s on %s: %v, want %v", m.Name, r.Task, got.Mean[k+1], want)
				}
			}
		}
	}
	html := string(b.TableHTML())
	for _, l := range b.table.Rows {
		score := fmt.Sprintf(`<td data-sort="%v" data-low="%v" data-high="%v">`, l.Score.Mean, l.Score.Low, l.Score.High)
		if l.Method == board.Reference {
			score = `<td data-sort="1">`
		}
		if i := strings.Index(html, `<th scope="row">`+l.Method+"</th>"); i < 0 || !strings.Contains(html[i:], score) {
			t.Errorf("the table lacks %s with score %s", l.Method, score)
		}
	}
	figures := boardFigures(t, b)
	for _, c := range data.Charts {
		if !slices.ContainsFunc(figures, func(f Figure) bool { return f.Name == c.ID }) {
			t.Errorf("the chart %s has no drawn figure", c.ID)
		}
	}
	shown := 0
	for _, m := range data.Methods {
		if m.Shown {
			shown++
		}
	}
	if shown != len(b.shown) {
		t.Errorf("%d methods stand out, want %d", shown, len(b.shown))
	}
}

// TestBoardTitles: no metric of the board's menus has a name that only its code explains.
func TestBoardTitles(t *testing.T) {
	data := scriptedBoard(t, 12, 3).Interactive()
	for _, m := range data.Metrics {
		if slices.Contains([]string{"gain", "solved@16_gain", "halfway", "distinct", "collapsed", "tokens90", "ew_best@64"}, m.Title) {
			t.Errorf("%s is titled %s", m.Name, m.Title)
		}
	}
	if len(data.Metrics) < 10 || len(data.Families) == 0 {
		t.Errorf("%d metrics of %d families", len(data.Metrics), len(data.Families))
	}
}

package analysis

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/sweep"
	"modebench/metrics"
)

// TestSummaryRows holds the table against means of the records, read one by one, and the
// printed one.
func TestSummaryRows(t *testing.T) {
	spec := exptest.Load(t, "rows.toml", `
seeds = 3
columns = ["reward", "entropy_mode", "collapse_step"]
[env]
name = "bandit"
[train]
steps = 40
lr = 1.0
[eval]
every = 10
[[method]]
name = "base"
[[method]]
name = "grpo"
`)
	run, err := sweep.Run(t.Context(), spec, sweep.Options{Out: t.TempDir(), Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := SummaryRows(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	printed, err := Summary(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(printed, "\n\nmethod")
	lines := strings.Split(table, "\n")[1:]
	for i, row := range rows {
		for j, metric := range []string{"reward", "entropy_mode"} {
			want := lastMean(t, run, run.Variants[i], metric)
			if c := row.Cells[j]; !strings.HasPrefix(c.Text, fmt.Sprintf("%.3f", want)) || math.Abs(c.Interval.Mean-want) > 1e-12 {
				t.Errorf("%s of %s: %s (%v), the records say %v", metric, row.Label, c.Text, c.Interval.Mean, want)
			}
		}
		line := row.Label
		for _, c := range row.Cells {
			line += " " + c.Text
		}
		if got := strings.Join(strings.Fields(lines[i]), " "); got != line {
			t.Errorf("row %q, printed %q", line, got)
		}
		if steps := []int{0, 40}[i]; row.Seeds != 3 || row.Exact != 3 || row.Step != steps {
			t.Errorf("%s: %d seeds, %d exact, step %d, want 3, 3, %d", row.Label, row.Seeds, row.Exact, row.Step, steps)
		}
	}
	if len(rows) != 2 {
		t.Errorf("%d rows", len(rows))
	}
}

// lastMean is the mean over a variant's cells of a metric in the last line of eval.jsonl.
func lastMean(t *testing.T, run *record.Run, v record.Variant, metric string) float64 {
	t.Helper()
	sum := 0.0
	for _, ref := range v.Cells {
		data, err := os.ReadFile(filepath.Join(run.Folder(ref), "eval.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		var last struct{ Metrics map[string]float64 }
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
			t.Fatal(err)
		}
		x, ok := last.Metrics[metric]
		if !ok {
			t.Fatalf("%s: no %s in the last line", ref.ID, metric)
		}
		sum += x
	}
	return sum / float64(len(v.Cells))
}

// TestSummaryOfCoverage: a table with coverage at several k explains why it may fall from one k
// to the next.
func TestSummaryOfCoverage(t *testing.T) {
	for columns, want := range map[string]bool{`"coverage@1", "coverage@4"`: true, `"coverage@4", "pass@4"`: false} {
		spec := exptest.Load(t, "my.toml", strings.Replace(exptest.Minimal, "seeds = 2", "seeds = 1\ncolumns = ["+columns+"]", 1)+"[[method]]\nname = \"base\"\n")
		got, err := Summary(t.Context(), runIn(t, spec, t.TempDir(), 1))
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(got, "\ncoverage@k: share of the min(k, existing) modes "); said != want {
			t.Errorf("columns %s:\n%s", columns, got)
		}
	}
}

// TestSummaryOfFewSeeds: below three seeds no interval is printed, and the heading explains it;
// below six a line beside the table warns that they are rough, and the table is unchanged.
func TestSummaryOfFewSeeds(t *testing.T) {
	for seeds, want := range map[int]struct {
		note, rough string
		interval    bool
	}{
		1: {"after training, one seed: no interval\n", "", false},
		2: {"after training, mean over 2 seeds: no interval of fewer than 3\nunderpowered: 2 seeds", "", false},
		3: {"after training, mean over 3 seeds [95% interval: bootstrap-t, or Student's where seeds tie; not clipped]\nunderpowered: 3 seeds are a first look; verdicts need 6\n", "3 seeds: intervals are rough", true},
		6: {"after training, mean over 6 seeds [95% interval", "", true},
	} {
		run := runIn(t, exptest.Load(t, "my.toml", strings.Replace(exptest.Minimal, "seeds = 2", fmt.Sprint("seeds = ", seeds), 1)), t.TempDir(), 1)
		got, err := Summary(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		_, rows, _ := strings.Cut(got, "\n\n")
		if !strings.Contains(got, want.note) || strings.Contains(rows, "[") != want.interval {
			t.Errorf("%d seeds:\n%s", seeds, got)
		}
		if rough := Rough(run); rough != want.rough {
			t.Errorf("%d seeds: %q, want %q", seeds, rough, want.rough)
		}
	}
}

// TestCollapseColumn: the table shows the step of a run, worked out here from its
// evaluations.
func TestCollapseColumn(t *testing.T) {
	text := strings.Replace(exptest.Minimal, "steps = 20", "steps = 400", 1)
	text = strings.Replace(text, "seeds = 2", "seeds = 1\ncolumns = [\"collapse_step\"]", 1) + "train = { lr = 1.0 }\n[[method]]\nname = \"base\"\n"
	spec := exptest.Load(t, "collapse.toml", text)
	run := runIn(t, spec, t.TempDir(), 1)
	evals, err := run.Evals(run.Variants[0].Cells[0])
	if err != nil {
		t.Fatal(err)
	}
	want := -1
	for i := len(evals) - 1; i >= 0 && evals[i].Metrics["entropy_token"] <= metrics.CollapseShare*evals[0].Metrics["entropy_token"]; i-- {
		want = evals[i].Step
	}
	if want <= 0 || want == 400 {
		t.Fatalf("the entropy collapses at step %d: the test shows nothing", want)
	}
	table, err := Summary(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table, fmt.Sprintf("grpo    %d.000 (1 of 1 seeds)\n", want)) || !strings.Contains(table, "base    n/a\n") {
		t.Errorf("want step %d for GRPO and nothing for what is evaluated once:\n%s", want, table)
	}
	short := runIn(t, exptest.Small(t), t.TempDir(), 1)
	short.Columns = []string{metrics.CollapseMetric}
	if table, err = Summary(t.Context(), short); err != nil || !strings.Contains(table, "grpo    never\n") {
		t.Errorf("after 20 steps nothing has collapsed (%v):\n%s", err, table)
	}
}

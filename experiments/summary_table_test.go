package experiments

import (
	"strings"
	"testing"
)

// TestSummaryRows holds the table as data against the printed one.
func TestSummaryRows(t *testing.T) {
	spec, err := Parse("rows.toml", []byte(`
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
`))
	if err != nil {
		t.Fatal(err)
	}
	run, err := spec.Run(t.Context(), Options{Out: t.TempDir(), Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := SummaryRows(run)
	if err != nil {
		t.Fatal(err)
	}
	printed, err := Summary(run)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(printed, "\n\nmethod")
	lines := strings.Split(table, "\n")[1:]
	for i, row := range rows {
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

package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/board"
	"modebench/internal/lined"
)

// keepScripted writes made-up results of a task under a policy, in which the i-th method has areas, accuracies
// and gains of x plus a seed's own.
func keepScripted(t *testing.T, folder, policy, task string, areas map[string]float64) {
	t.Helper()
	tasks, err := board.Tasks(policy)
	if err != nil {
		t.Fatal(err)
	}
	kept := board.First(tasks, func(one *board.Task) bool { return one.Name == task })
	r := kept.NewResult(nil)
	for _, method := range slices.Sorted(maps.Keys(areas)) {
		x := lined.Number(areas[method])
		row := board.Evaluated{
			Setting: "lr=0.1", As: board.Roles, Same: method, Cells: []string{"scripted"}, Seeds: map[string][]lined.Number{}, Means: map[string]lined.Number{},
			Trace: [][4]lined.Number{{0, 0, 1, 2}, {1, x, x, 1}},
		}
		for range r.K {
			row.Solved, row.Found = append(row.Solved, x), append(row.Found, x)
		}
		for seed := range 12 {
			for _, column := range []string{"area", "accuracy", "gain", "end_gain", "solved@16_gain", "diversity", "solved@64", "entropy"} {
				value := x + lined.Number(seed)/64
				if method == board.Reference && strings.HasSuffix(column, "gain") {
					value = 0
				}
				row.Seeds[column] = append(row.Seeds[column], value)
			}
			if method == board.Reference {
				row.Paths = append(row.Paths, [][3]lined.Number{{0, 1, 1}})
			}
		}
		r.Standings = append(r.Standings, board.Standing{Method: method, Tried: []board.Tried{}, Rows: []board.Evaluated{row}})
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, task+".json"), string(r.Text()))
}

// TestBoardFigures: --draw writes every figure twice beside the table, highlights the
// methods of --show, and mistakes are one line.
func TestBoardFigures(t *testing.T) {
	inDir(t)
	keepScripted(t, "kept", "tabular", "maze", map[string]float64{"grpo": 0.5, "rloo": 0.625, "vpo": 0.75})
	out, _ := succeed(t, "board", "--from", "kept", "--draw", "f", "--show", "rloo")
	if !strings.Contains(out, "3 methods on 1 task") {
		t.Errorf("no table: %s", out)
	}
	for _, name := range []string{"frontier", "traces", "ranks", "tasks", "entropy", "pass-at-k", "coverage-at-k"} {
		if text, err := os.ReadFile(filepath.Join("f", name+".svg")); err != nil || !strings.Contains(string(text), ">rloo<") {
			t.Errorf("%s.svg: error %v, or it does not show rloo", name, err)
		}
		if data, err := os.ReadFile(filepath.Join("f", name+".png")); err != nil || !strings.HasPrefix(string(data), "\x89PNG") {
			t.Errorf("%s.png: error %v, or no PNG", name, err)
		}
	}
	succeed(t, "board", "--from", "kept", "--draw", "tex", "--figure-format", "pgf")
	if files, err := filepath.Glob(filepath.Join("tex", "*")); err != nil || len(files) < 7 || filepath.Ext(files[0]) != ".pgf" || filepath.Ext(files[6]) != ".pgf" {
		t.Errorf("--figure-format pgf: %v, %v", files, err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--draw", "g", "--show", "rlo"}, exitInput, `no method "rlo" to show; did you mean rloo?`},
		{[]string{"--figure-format", "pgf"}, exitUsage, "--figure-format is the format of --draw, which is missing"},
		{[]string{"--draw", "g", "--figure-format", "json"}, exitUsage, `--figure-format is "json", want some of svg, png, pdf, pgf, each once`},
		{[]string{"--show", "rloo"}, exitUsage, "--show is for --draw and --html, and both are missing"},
		{[]string{"--draw", "g", "--shard", "0/2"}, exitUsage, "want one of the two"},
	} {
		code, out, errs := call(t, "", append([]string{"board", "--from", "kept", "--tasks", "maze"}, c.args...)...)
		if out != "" || code != c.code || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q, want %d and one line with %q", c.args, code, errs, c.code, c.want)
		}
	}
}

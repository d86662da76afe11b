package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/experiments/board"
	"modebench/internal/lined"
)

// TestBoardFigures: --figures writes every figure twice beside the table, highlights the
// methods of --show, and mistakes are one line.
func TestBoardFigures(t *testing.T) {
	inDir(t)
	r := &board.Result{
		Version: board.Version, Task: "bandit", Policy: "tabular", Budget: 100, K: []int{1, 64}, Tuning: []int{2000, 2}, Seeds: []int{3000, 2},
		Unfit: []board.Unfit{},
	}
	for i, method := range []string{"grpo", "rloo", "vpo"} {
		x := lined.Number(0.5 + 0.125*float64(i))
		row := board.Evaluated{
			Setting: "lr=0.1", As: board.Roles, Same: method, Cells: "scripted", Seeds: map[string][]lined.Number{}, Means: map[string]lined.Number{},
			Trace: [][4]lined.Number{{0, 0, 1, 2}, {1, x, x, 1}}, Solved: []lined.Number{x, 1}, Found: []lined.Number{x, x},
		}
		for _, column := range []string{"area", "accuracy", "diversity", "at50", "at75", "at90", "collapse", "tokens90"} {
			row.Seeds[column] = []lined.Number{x, x + 0.0625}
		}
		r.Standings = append(r.Standings, board.Standing{Method: method, Tried: []board.Tried{}, Rows: []board.Evaluated{row}})
	}
	if err := os.Mkdir("kept", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join("kept", "bandit.json"), string(r.Text()))
	out, _ := succeed(t, "board", "--from", "kept", "--figures", "f", "--show", "rloo")
	if !strings.Contains(out, "3 methods on 1 task") {
		t.Errorf("no table: %s", out)
	}
	for _, name := range []string{"frontier", "traces", "ranks", "profiles", "tasks", "entropy", "pass-at-k", "coverage-at-k"} {
		if text, err := os.ReadFile(filepath.Join("f", name+".svg")); err != nil || !strings.Contains(string(text), ">rloo<") {
			t.Errorf("%s.svg: error %v, or it does not show rloo", name, err)
		}
		if data, err := os.ReadFile(filepath.Join("f", name+".png")); err != nil || !strings.HasPrefix(string(data), "\x89PNG") {
			t.Errorf("%s.png: error %v, or no PNG", name, err)
		}
	}
	succeed(t, "board", "--from", "kept", "--figures", "tex", "--figure-format", "pgf")
	if files, err := filepath.Glob(filepath.Join("tex", "*")); err != nil || len(files) < 8 || filepath.Ext(files[0]) != ".pgf" || filepath.Ext(files[7]) != ".pgf" {
		t.Errorf("--figure-format pgf: %v, %v", files, err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--figures", "g", "--show", "rlo"}, exitInput, `no method "rlo" to show; did you mean rloo?`},
		{[]string{"--figure-format", "pgf"}, exitUsage, "--figure-format is the format of --figures, which is missing"},
		{[]string{"--figures", "g", "--figure-format", "json"}, exitUsage, `--figure-format is "json", want some of svg, png, pdf, pgf, each once`},
		{[]string{"--show", "rloo"}, exitUsage, "--show is for --figures and --html, and both are missing"},
		{[]string{"--figures", "g", "--shard", "0/2"}, exitUsage, "want one of the two"},
	} {
		code, out, errs := call(t, "", append([]string{"board", "--from", "kept", "--tasks", "bandit"}, c.args...)...)
		if out != "" || code != c.code || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q, want %d and one line with %q", c.args, code, errs, c.code, c.want)
		}
	}
}

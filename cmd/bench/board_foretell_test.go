package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBoardForetell: a board of tables is held against one of the transformer, in folders; the figure is drawn
// beside the text.
func TestBoardForetell(t *testing.T) {
	inDir(t)
	keepScripted(t, "short", "tabular", "maze", map[string]float64{"grpo": .5, "rloo": .625, "vpo": .75, "psr": .25})
	keepScripted(t, "long", "transformer", "maze", map[string]float64{"grpo": .5, "rloo": .625, "vpo": .25, "psr": .125})
	out, _ := succeed(t, "board", "foretell", "short", "long", "--draw", "f", "--show", "vpo")
	for _, want := range []string{
		"tabular: 1 task (maze), up to 40 seeds each, 4 methods", "4 methods fit all tasks of both",
		"score           4        0.33", "maze  4        0.33", "better     1       0      0          1", "worse on the other: 1 method.\n\nmethod  score tabular",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for name, head := range map[string]string{"foretell.svg": "<?xml", "foretell.png": "\x89PNG"} {
		if data, err := os.ReadFile(filepath.Join("f", name)); err != nil || !strings.HasPrefix(string(data), head) {
			t.Errorf("%s: error %v, or something else", name, err)
		}
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"short"}, exitUsage, "takes two boards"},
		{[]string{"short", "nowhere"}, exitInput, "nowhere holds no results of the board"},
		{[]string{"short", "long", "--format", "latex"}, exitUsage, "want one of text, markdown, json"},
		{[]string{"short", "long", "--from", "short"}, exitUsage, "leave out --from"},
		{[]string{"short", "long", "--tasks", "polynomial"}, exitInput, "short holds no result of the tasks polynomial"},
		{[]string{"short", "long", "--tasks", "maze,bandid"}, exitInput, `neither board has a result of task "bandid"`},
		{[]string{"short", "long", "--show", "vpo"}, exitUsage, "--show is for --draw and --html"},
		{[]string{"short", "long", "--draw", "f", "--show", "grop"}, exitInput, `no method "grop" to show on all tasks of both boards`},
	} {
		code, out, errs := call(t, "", append([]string{"board", "foretell"}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, want %d and one line with %q\n%s%s", c.args, code, c.code, c.want, out, errs)
		}
	}
}

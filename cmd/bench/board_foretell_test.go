package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/audit"
	"modebench/experiments/board/foretell"
	"modebench/results"
)

var updateBoardAudit = flag.Bool("update-board-audit", false, "write results/board/audit.json")

// TestBoardAudit: the published audit is that of bench audit --groups 4,16. Without
// -update-board-audit, which audits every method, some quick ones are audited again.
func TestBoardAudit(t *testing.T) {
	steps := func(names ...string) *foretell.Steps {
		t.Helper()
		methods, err := audit.Methods(names)
		if err != nil {
			t.Fatal(err)
		}
		opt := audit.Default()
		opt.Groups, opt.Jobs = []int{4, foretell.Rollouts}, 2
		a, err := audit.Run(context.Background(), methods, opt)
		if err != nil {
			t.Fatal(err)
		}
		s, err := foretell.NewSteps(a)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if *updateBoardAudit {
		if err := os.WriteFile(filepath.Join(root, results.BoardAuditFile), steps().Text(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	published, err := foretell.ParseSteps(results.BoardAuditFile, results.BoardAudit)
	if err != nil {
		t.Fatal(err)
	}
	if string(published.Text()) != string(results.BoardAudit) {
		t.Errorf("%s is not as -update-board-audit writes it", results.BoardAuditFile)
	}
	there := map[string]foretell.MethodSteps{}
	for _, m := range published.Methods {
		there[m.Method] = m
	}
	again := steps("grpo", "rloo", "pass-n", "poly-epo", "vpo")
	if diff := cmp.Diff(published.K, again.K) + cmp.Diff(published.Groups, again.Groups); diff != "" {
		t.Errorf("what is audited (-published +again):\n%s", diff)
	}
	for _, m := range again.Methods {
		if diff := cmp.Diff(fmt.Sprint(there[m.Method]), fmt.Sprint(m)); diff != "" { // NaN is not NaN
			t.Errorf("%s (-published +again):\n%s", m.Method, diff)
		}
	}
}

// TestBoardForetell: a published board foretells itself, and a copy of it in a folder; the figure is
// drawn beside the text.
func TestBoardForetell(t *testing.T) {
	inDir(t)
	for _, name := range []string{"maze", "countdown"} {
		text, err := fs.ReadFile(results.Board, "board/tabular/"+name+".json")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll("copy", 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join("copy", name+".json"), string(text))
	}
	out, _ := succeed(t, "board", "foretell", "tabular", "copy", "--tasks", "maze,countdown", "--figures", "f")
	for _, want := range []string{
		"short: 2 tasks (maze, countdown), 10 seeds each", "long: 2 tasks (maze, countdown), 10 seeds each",
		"tau of each board with itself", "1.00 [1.00, 1.00]", "2 seeds and the other 8", "cosine pass@64", "On opposite sides of grpo by the interval of each method alone: none.",
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
		{[]string{"copy"}, exitUsage, "takes two boards"},
		{[]string{"copy", "nowhere"}, exitInput, "nowhere holds no results of the board"},
		{[]string{"copy", "copy", "--format", "latex"}, exitUsage, "want one of text, markdown, json"},
		{[]string{"copy", "copy", "--from", "copy"}, exitUsage, "leave out --from"},
		{[]string{"copy", "copy", "--tasks", "polynomial"}, exitInput, "copy holds no result of the tasks polynomial"},
		{[]string{"copy", "tabular", "--tasks", "maze,bandid"}, exitInput, `neither board has a result of task "bandid"`},
		{[]string{"copy", "copy", "--show", "vpo"}, exitUsage, "--show is for --figures and --html"},
		{[]string{"copy", "copy", "--tasks", "maze", "--audit", filepath.Join("copy", "maze.json")}, exitInput, "is no audit of version"},
		{[]string{"copy", "copy", "--tasks", "maze", "--audit", "nowhere.json"}, exitIO, "nowhere.json"},
	} {
		code, out, errs := call(t, "", append([]string{"board", "foretell"}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, want %d and one line with %q\n%s%s", c.args, code, c.code, c.want, out, errs)
		}
	}
	if code, _, errs := call(t, "", "board", "--audit", "a.json"); code != exitUsage || !strings.Contains(errs, "--audit is of bench board foretell") {
		t.Errorf("--audit without foretell: exit code %d: %s", code, errs)
	}
	if _, err := fs.Stat(results.Board, "board/transformer"); err != nil {
		if code, _, errs := call(t, "", "board", "foretell"); code != exitInput || !strings.Contains(errs, "no board of policy transformer is published with this program") {
			t.Errorf("a board that is not published: exit code %d: %s", code, errs)
		}
	}
}

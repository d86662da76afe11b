package sweep

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/cells"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/input"
)

// TestBeAPlugin is no test but the plug-in of the tests below, which start this test
// binary with the name of a behaviour: centred rewards, until at a call of its number
// something else happens.
func TestBeAPlugin(t *testing.T) {
	args := strings.Split(os.Getenv("MODEBENCH_TEST_PLUGIN"), " ")
	if len(args) != 2 {
		t.Skip("not started as a plug-in")
	}
	at, err := strconv.Atoi(args[1])
	if err != nil {
		t.Fatal(err)
	}
	bePlugin(args[0], at)
	os.Exit(0) // before the testing package writes to standard output
}

func bePlugin(behaviour string, at int) {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for call := -1; ; call++ {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var request struct {
			ID     int
			Method string
			Params struct {
				Groups []struct {
					Rollouts []struct{ Candidates []struct{ Reward []float64 } }
				}
			}
		}
		if err := json.Unmarshal(line, &request); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		switch {
		case request.Method == "bye":
			return
		case request.Method == "hello":
			more := ""
			if behaviour == "chains" {
				more = `,"needs":["reward","mode","tokens"],"min_group":3,"chains":true,"objective":"pass@2"`
			}
			fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":{"protocol":1,"name":"centred"%s}}`+"\n", request.ID, more)
			continue
		case call == at && behaviour == "crash":
			fmt.Fprintln(os.Stderr, "out of ideas")
			os.Exit(3)
		case call == at && behaviour == "note":
			fmt.Fprintln(os.Stderr, "step seen")
		case call == at && behaviour == "raise":
			fmt.Fprintln(os.Stderr, "so far so good\nTraceback (most recent call last):\n  File \"mine.py\", line 2, in advantages\n    1 / 0\nZeroDivisionError: division by zero")
			fmt.Printf(`{"jsonrpc":"2.0","id":%d,"error":{"code":1,"message":"ZeroDivisionError: division by zero"}}`+"\n", request.ID)
			continue
		}
		var advantages [][]float64
		for _, g := range request.Params.Groups {
			mean, list := 0.0, []float64{}
			for _, r := range g.Rollouts {
				mean += r.Candidates[0].Reward[0]
			}
			mean /= float64(len(g.Rollouts))
			for _, r := range g.Rollouts {
				list = append(list, r.Candidates[0].Reward[0]-mean)
			}
			advantages = append(advantages, list)
		}
		text, _ := json.Marshal(advantages)
		if call == at && behaviour == "nan" {
			text = []byte(strings.Replace(string(text), "[", "[NaN,", 2)[4:])
			text = append([]byte("["), text...)
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":{"advantages":%s}}`+"\n", request.ID, text)
	}
}

// pluginSpec has a built-in method beside a plug-in.
func pluginSpec(t *testing.T, behaviour string, at int) *spec.Spec {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("MODEBENCH_TEST_PLUGIN", fmt.Sprint(behaviour, " ", at))
	spec := exptest.Load(t, "plugged.toml", fmt.Sprintf(`
seeds = 2
columns = ["reward"]
[env]
name = "bandit"
[train]
steps = 40
record_every = 1
[eval]
every = 20
[[method]]
name = "grpo"
scale = "none"
[[method]]
name = "plugin"
label = "mine"
command = [%q, "-test.run=^TestBeAPlugin$"]
`, self))
	return spec
}

// TestPluginEqualsBuiltin: a program with the built-in's formula gives its records,
// byte for byte, whatever runs at the same time.
func TestPluginEqualsBuiltin(t *testing.T) {
	for _, jobs := range []int{1, 4} {
		run := runIn(t, pluginSpec(t, "none", 0), t.TempDir(), jobs)
		for seed := range 2 {
			own, plug := run.Folder(run.Variants[0].Cells[seed]), run.Folder(run.Variants[1].Cells[seed])
			for _, name := range []string{record.TrainFile, record.EvalFile, record.CheckpointFile} {
				want, err := os.ReadFile(filepath.Join(own, name))
				if err != nil {
					t.Fatal(err)
				}
				got, err := os.ReadFile(filepath.Join(plug, name))
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(string(want), string(got)); d != "" {
					t.Errorf("jobs %d, seed %d: %s differs:\n%.600s", jobs, seed, name, d)
				}
			}
		}
	}
}

// TestFailingPlugin: a plug-in that fails in the middle of its cells fails those alone. Finished
// cells stay, nothing half-written is left, and the next run makes the missing cells.
func TestFailingPlugin(t *testing.T) {
	for _, c := range []struct {
		behaviour, want string
	}{
		{"crash", "out of ideas"},
		{"nan", "NaN"},
	} {
		t.Run(c.behaviour, func(t *testing.T) {
			spec, dir := pluginSpec(t, c.behaviour, 25), t.TempDir()
			_, err := Run(context.Background(), spec, Options{Out: dir, Jobs: 2})
			if err == nil {
				t.Fatal("no error")
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != 2 {
				t.Errorf("%d lines for two cells that failed:\n%v", len(lines), err)
			}
			for _, line := range lines {
				if !strings.HasPrefix(line, "mine, seed ") || !strings.Contains(line, "step 25: ") || !strings.Contains(line, c.want) {
					t.Errorf("%q, want the cell, step 25 and %q", line, c.want)
				}
			}
			var cell *CellError
			if !errors.As(err, &cell) {
				t.Errorf("%v is no CellError", err)
			}
			entries, err := os.ReadDir(filepath.Join(dir, record.CellsDir))
			if err != nil {
				t.Fatal(err)
			}
			cellsLeft := 0
			for _, e := range entries {
				if strings.HasPrefix(e.Name(), cells.FailedPrefix+"plugin-s") {
					continue // why it failed, until it is finished
				}
				cellsLeft++
				whole, _, err := record.Finished(filepath.Join(dir, record.CellsDir, e.Name()), e.Name())
				if !strings.HasPrefix(e.Name(), "grpo-s") || !whole || err != nil {
					t.Errorf("%s is left: whole %v, %v", e.Name(), whole, err)
				}
			}
			if cellsLeft != 2 {
				t.Errorf("%d cells are left, want the two of grpo", cellsLeft)
			}
			// The program is the same file, so its cells are the same ones: mended, they
			// are all that is run.
			mended, plan := pluginSpec(t, "none", 0), Plan{}
			if _, err := Run(context.Background(), mended, Options{Out: dir, Jobs: 2, Planned: func(p Plan) { plan = p }}); err != nil {
				t.Fatal(err)
			}
			if want := (Plan{Cells: 4, Finished: 2, Steps: 80}); plan != want {
				t.Errorf("the next run plans %+v, want %+v", plan, want)
			}
		})
	}
}

// TestNotesOfPlugins: the standard error of a plug-in is shown after its cell's name.
func TestNotesOfPlugins(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	_, err := Run(context.Background(), pluginSpec(t, "note", 7), Options{Out: t.TempDir(), Jobs: 2, Notes: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		seen[line]++
	}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]int{"mine, seed 0: step seen": 1, "mine, seed 1: step seen": 1}, seen); d != "" {
		t.Error(d)
	}
}

// TestTracebackIsShownOnce: the mistake that ends every seed is shown once, and other lines for
// each seed.
func TestTracebackIsShownOnce(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	_, err := Run(context.Background(), pluginSpec(t, "raise", 7), Options{Out: t.TempDir(), Jobs: 2, Notes: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		_, text, _ := strings.Cut(line, ": ")
		seen[text]++
	}})
	if err == nil || strings.Count(err.Error(), "ZeroDivisionError") != 2 {
		t.Errorf("%v, want the error of both seeds", err)
	}
	want := map[string]int{
		"so far so good": 2, "Traceback (most recent call last):": 1, `  File "mine.py", line 2, in advantages`: 1, "    1 / 0": 1, "ZeroDivisionError: division by zero": 1,
	}
	if d := cmp.Diff(want, seen); d != "" {
		t.Error(d)
	}
}

// TestPluginInTheCell: which files a plug-in is made of is part of its cells.
func TestPluginInTheCell(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("MODEBENCH_TEST_PLUGIN", "none 0")
	extra, path := filepath.Join(dir, "extra.txt"), filepath.Join(dir, "mine.toml")
	text := fmt.Sprintf("[env]\nname = \"bandit\"\n[[method]]\nname = \"plugin\"\ncommand = [%q, \"-test.run=^TestBeAPlugin$\"]\nfiles = [\"extra.txt\"]\n", self)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	id := func(content string) string {
		if err := os.WriteFile(extra, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		spec, err := spec.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := spec.Variants[0].Setup()
		if err != nil {
			t.Fatal(err)
		}
		id, err := p.Cell(0).ID()
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	first, second, third := id("one"), id("two"), id("one")
	if first == second || first != third {
		t.Errorf("cells %s, %s and %s, want the first and the third to be one", first, second, third)
	}
	if err := os.Remove(extra); err != nil {
		t.Fatal(err)
	}
	if _, err := spec.Load(path); err == nil || !strings.Contains(err.Error(), "mine.toml:5: ") || !strings.Contains(err.Error(), "extra.txt") {
		t.Errorf("a missing file: %v", err)
	}
}

// TestCellsOfPluginsAreKnownUnstarted: the cells of a plug-in are named after its files and not
// after its answers, so they are known without starting it. Such a spec cannot be run.
func TestCellsOfPluginsAreKnownUnstarted(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("MODEBENCH_TEST_PLUGIN", "chains 0")
	path := filepath.Join(t.TempDir(), "mine.toml")
	text := fmt.Sprintf(`
seeds = 2
[env]
name = "multiplication"
[train]
candidates = 3
group = [4, 6]
steps = 1
[[method]]
name = "plugin"
command = [%q, "-test.run=^TestBeAPlugin$"]
shaping = "reward - 0.01 * tokens"
votes = 8
`, self)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var lines []string
	asked, err := spec.LoadWith(path, spec.LoadOptions{StartPlugin: func(line string) error {
		lines = append(lines, line)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{self + " -test.run=^TestBeAPlugin$ in " + filepath.Dir(path)}; !cmp.Equal(lines, want) {
		t.Errorf("started %q, want %q, once for both variants", lines, want)
	}
	looked, err := spec.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	plan := func(s *spec.Spec) string {
		var b strings.Builder
		if err := WritePlan(t.Context(), &b, s, 0); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if d := cmp.Diff(plan(asked), plan(looked)); d != "" {
		t.Errorf("-asked +looked:\n%s", d)
	}
	if _, err := Run(t.Context(), looked, Options{Out: t.TempDir(), Jobs: 1}); err == nil || strings.Count(err.Error(), "it is not started") != 4 {
		t.Errorf("a run of what was only looked at: %v", err)
	}
}

// TestLoadingPlugins: mistakes in a plug-in are found when the spec is read.
func TestLoadingPlugins(t *testing.T) {
	for _, c := range []struct{ reason, fields, want string }{
		{"a plug-in is its command", ``, "plug.toml:3: "},
		{"no such program", `command = ["./no-such-program"]`, "plug.toml:5: "},
		{"it ends before its hello", `command = ["true"]`, "plug.toml:5: "},
	} {
		_, err := exptest.TryLoad(t, "plug.toml", "[env]\nname = \"bandit\"\n[[method]]\nname = \"plugin\"\n"+c.fields+"\n")
		var wrong *input.Error
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), string(filepath.Separator)+c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", c.reason, err, c.want)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"modebench/experiments/record"
)

// python returns an interpreter with numpy, or skips the test.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			return name
		}
	}
	t.Skip("no python3 with numpy")
	return ""
}

// TestPythonEstimator: ten lines of Python train on the bandit and the maze, and the
// records are those of the built-in of the same formula, byte for byte.
func TestPythonEstimator(t *testing.T) {
	interpreter := python(t)
	example, err := os.ReadFile(filepath.Join("..", "..", "estimators", "python", "examples", "centred.py"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(example), "\n"); lines > 10 {
		t.Errorf("the example has %d lines, want ten at most", lines)
	}
	inDir(t)
	write(t, "mine.py", string(example))
	write(t, "mine.toml", `
seeds = 2
columns = ["reward"]
[[env]]
name = "bandit"
[[env]]
name = "maze"
[train]
steps = 60
record_every = 1
group = 6
[eval]
every = 30
samples = 8
k = [1, 8]
enumerate = 100
[[method]]
name = "grpo"
scale = "none"
[[method]]
name = "plugin"
label = "mine"
command = ["`+interpreter+`", "-m", "modebench", "mine.py"]
`)
	out, _ := succeed(t, "run", "mine.toml", "--jobs", "2")
	if !regexp.MustCompile(`(?m)^method +bandit +maze$`).MatchString(out) || !regexp.MustCompile(`(?m)^mine +[0-9.]+ of [0-9.]+, [0-9.]+% `).MatchString(out) {
		t.Errorf("the output does not say what a step takes:\n%s", out)
	}
	run, err := record.Open(filepath.Join("results", "mine"))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for i := 0; i < len(run.Variants); i += 2 {
		for seed, own := range run.Variants[i].Cells {
			for _, name := range []string{record.TrainFile, record.EvalFile, record.CheckpointFile} {
				want, err := os.ReadFile(filepath.Join(run.Folder(own), name))
				if err != nil {
					t.Fatal(err)
				}
				got, err := os.ReadFile(filepath.Join(run.Folder(run.Variants[i+1].Cells[seed]), name))
				if err != nil {
					t.Fatal(err)
				}
				if compared++; string(want) != string(got) {
					t.Errorf("%s and %s, seed %d: %s differs", run.Variants[i].Label, run.Variants[i+1].Label, seed, name)
				}
			}
		}
	}
	if compared != 2*2*3 {
		t.Errorf("%d files compared, want three of two seeds in two environments", compared)
	}
	// Nothing is run twice; a program that changed is another cell.
	if _, _, errs := call(t, "", "run", "mine.toml"); !strings.Contains(errs, "8 of 8 cells are finished already") {
		t.Errorf("run again: %s", errs)
	}
	write(t, "mine.py", string(example)+"# a word\n")
	if _, _, errs := call(t, "", "run", "mine.toml"); !strings.Contains(errs, "4 of 8 cells are finished already") {
		t.Errorf("run again with another mine.py: %s", errs)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPluginUsage: mistakes on the command line about plug-ins, and a program that is no plug-in, are
// one line.
func TestPluginUsage(t *testing.T) {
	dir := inDir(t)
	batch := `{"groups":[{"rollouts":[{"candidates":[{"reward":[1]}]}]}]}`
	for _, c := range []struct {
		reason string
		args   []string
		code   int
		starts string // the program that is announced; "": no program
		want   string
	}{
		{"no time at all", []string{"estimate", "grpo", "--plugin-timeout", "0s"}, exitUsage, "", "--plugin-timeout is 0s, want more than 0"},
		{"no command", []string{"estimate", "plugin"}, exitUsage, "", "command"},
		{"no such program", []string{"estimate", "plugin", "--set", "command=./no-such-program"}, exitInput, "./no-such-program", "no-such-program"},
		{"a program that talks", []string{"estimate", "plugin", "--set", "command=echo,hello"}, exitInput, "echo hello", `"hello`},
		{"a program that hangs", []string{"estimate", "plugin", "--set", "command=sleep,60", "--plugin-timeout", "50ms"}, exitInput, "sleep 60", "--plugin-timeout"},
	} {
		code, _, errs := call(t, batch, c.args...)
		if c.starts != "" {
			first, rest, _ := strings.Cut(errs, "\n")
			if want := "starting " + c.starts + " in " + dir; first != want {
				t.Errorf("%s: the first line is %q, want %q", c.reason, first, want)
			}
			errs = rest
		}
		if code != c.code || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, want %d and one line with %q", c.reason, code, errs, c.code, c.want)
		}
	}
}

// TestFileThatDoesNotLoad: one line has the reason, whatever the file has begun before it failed.
func TestFileThatDoesNotLoad(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	inDir(t)
	write(t, "mine.py", "import atexit, time\natexit.register(time.sleep, 20)\nimport nowhere\n")
	code, _, errs := call(t, `{"groups":[{"rollouts":[{"candidates":[{"reward":[1]}]}]}]}`, "estimate", "plugin", "--set", "command=python3,-m,modebench,mine.py")
	_, errs, _ = strings.Cut(errs, "\n") // which announces the program
	want := "bench: plug-in (python3 -m modebench mine.py): hello: mine.py does not load: ModuleNotFoundError: No module named 'nowhere' (mine.py:3)\n"
	if code != exitInput || errs != want {
		t.Errorf("exit code %d, %q, want %q", code, errs, want)
	}
}

// TestInterruptedWhileLoading: an interrupt ends a plug-in that has not said hello
// yet, whichever command started it.
func TestInterruptedWhileLoading(t *testing.T) {
	inDir(t)
	write(t, "mine.toml", "[env]\nname = \"bandit\"\n[[method]]\nname = \"plugin\"\ncommand = [\"sleep\", \"600\"]\n[[claim]]\nname = \"c\"\ntext = \"t\"\na = \"plugin\"\nmetric = \"reward\"\nsays = \"above\"\n")
	for _, args := range [][]string{
		{"run", "mine.toml"}, {"claims", "mine.toml"}, {"check", "mine.toml", "--update", "--baseline", "b.json"},
		{"audit", "--spec", "mine.toml"}, {"estimate", "plugin", "--set", "command=sleep,600"},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			time.Sleep(100 * time.Millisecond)
			cancel()
		}()
		var out, errs bytes.Buffer
		started := time.Now()
		code := bench(ctx, streams{in: strings.NewReader(`{"groups":[{"rollouts":[{"candidates":[{"reward":[1]}]}]}]}`), out: &out, err: &errs}, args)
		if code != exitInterrupted || time.Since(started) > 30*time.Second {
			t.Errorf("%v: exit code %d after %v: %s", args, code, time.Since(started), errs.String())
		}
	}
}

// TestGreedyPluginIsNotShaped: the needs of a plug-in are known before its fields are checked: rewards
// that it compares with the greedy rollout's cannot be shaped.
func TestGreedyPluginIsNotShaped(t *testing.T) {
	interpreter := python(t)
	inDir(t)
	write(t, "mine.py", "def advantages(rewards, greedy):\n    return rewards - greedy[:, None]\n")
	write(t, "mine.toml", "[env]\nname = \"bandit\"\n[[method]]\nname = \"plugin\"\nshaping = \"2 * reward\"\ncommand = [\""+interpreter+"\", \"-m\", \"modebench\", \"mine.py\"]\n")
	if code, _, errs := call(t, "", "run", "mine.toml"); code != exitInput || !strings.Contains(errs, "mine.toml:5: ") || !strings.Contains(errs, "greedy") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	batch := `{"groups":[{"greedy":0,"rollouts":[{"candidates":[{"reward":[1]}]}]}]}`
	if code, _, errs := call(t, batch, "estimate", "plugin", "--set", "shaping=2 * reward", "--set", "command="+interpreter+",-m,modebench,mine.py"); code != exitUsage || !strings.Contains(errs, "greedy") {
		t.Errorf("estimate: exit code %d: %s", code, errs)
	}
}

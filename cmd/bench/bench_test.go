package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/internal/cli"
	"modebench/internal/program"
)

// call runs one command line in-process, with the given standard input.
func call(t testing.TB, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = bench(context.Background(), streams{in: strings.NewReader(stdin), out: &out, err: &errs}, args)
	return code, out.String(), errs.String()
}

// commands are the commands of the program.
func commands() []*cobra.Command {
	return slices.DeleteFunc(newRoot("bench", streams{}).Commands(), func(c *cobra.Command) bool { return !c.IsAvailableCommand() })
}

// succeed is call for a command line that has to succeed and reads nothing.
func succeed(t testing.TB, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := call(t, "", args...)
	if code != exitOK {
		t.Fatalf("bench %s: exit code %d: %s", strings.Join(args, " "), code, stderr)
	}
	return stdout, stderr
}

// inDir runs the test in an empty folder, so that relative paths are its own.
func inDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	return dir
}

const tinySpec = `title = "tiny"
seeds = 2
columns = ["reward", "pass@2"]
[env]
name = "bandit"
[train]
steps = 20
[eval]
every = 10
k = [1, 2]
samples = 4
modes = true
[[method]]
name = "base"
[[method]]
name = "grpo"
[[figure]]
name = "curves"
kind = "curve"
metrics = ["reward"]
[[figure]]
name = "modes"
kind = "modes"
`

func writeTiny(t *testing.T) {
	t.Helper()
	if err := os.WriteFile("tiny.toml", []byte(tinySpec), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRunAndPlot(t *testing.T) {
	inDir(t)
	writeTiny(t)
	code, out, errs := call(t, "", "run", "tiny.toml", "--out", "r", "--jobs", "2")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, want := range []string{"tiny: tiny", "base    0.333", "records: " + filepath.Join("r", "cells"), filepath.Join("r", "tiny", "curves.png")} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	for _, file := range []string{"run.json", "summary.txt", "curves.svg", "curves.png", "modes.svg", "modes.png"} {
		if info, err := os.Stat(filepath.Join("r", "tiny", file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
	svg, err := os.ReadFile(filepath.Join("r", "tiny", "curves.svg"))
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs = call(t, "", "plot", filepath.Join("r", "tiny"), "--figure", "curves", "--figure-format", "svg,pdf,pgf", "--out", "again")
	if code != exitOK {
		t.Fatalf("plot: exit code %d: %s", code, errs)
	}
	if want := filepath.Join("again", "curves.svg") + "\n" + filepath.Join("again", "curves.pdf") + "\n" + filepath.Join("again", "curves.pgf") + "\n"; out != want {
		t.Errorf("plot lists %q, want %q", out, want)
	}
	redrawn, err := os.ReadFile(filepath.Join("again", "curves.svg"))
	if err != nil || !bytes.Equal(svg, redrawn) {
		t.Errorf("plot drew another curves.svg than run did (%v)", err)
	}
	code, _, errs = call(t, "", "run", "tiny.toml", "--out", "r", "--figure-format", "none")
	if code != exitOK || !strings.Contains(errs, "4 of 4 cells are finished already") {
		t.Errorf("the second run: exit code %d, %q", code, errs)
	}
}

// TestErrors: bad input gives one clear line, and a documented exit code.
func TestErrors(t *testing.T) {
	inDir(t)
	writeTiny(t)
	if err := os.WriteFile("bad.toml", []byte(strings.Replace(tinySpec, `"grpo"`, `"grop"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("newer", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("newer/run.json", []byte(`{"version": 999}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reason, stdin string
		args          []string
		code          int
		want          string
	}{
		{"unknown command", "", []string{"rnu"}, exitUsage, `bench: unknown command "rnu"; did you mean run? commands: run, status,`},
		{"a command that is near to one", "", []string{"runn"}, exitUsage, `bench: unknown command "runn"; did you mean run? commands: run, status,`},
		{"help on a command that is near to one", "", []string{"help", "jugde"}, exitUsage, `bench: unknown command "jugde"; did you mean judge? commands: run, status,`},
		{"unknown flag", "", []string{"run", "--jbos", "2"}, exitUsage, `bench: bench run: unknown flag: --jbos; did you mean --jobs? see bench help run`},
		{"a flag of other programs that looks like one", "", []string{"run", "--quiet"}, exitUsage, `bench: bench run: unknown flag: --quiet; see bench help run`},
		{"a flag that is near to one the command does not take there", "", []string{"board", "add", "x.toml", "--metods", "grpo"}, exitUsage, `bench: bench board: unknown flag: --metods; see bench help board`},
		{"a flag that lacks its last letter", "", []string{"run", "quick", "--seed", "3"}, exitUsage, `bench: bench run: unknown flag: --seed; did you mean --seeds? see bench help run`},
		{"a flag that is near to none", "", []string{"run", "--learning-rate", "2"}, exitUsage, `bench: bench run: unknown flag: --learning-rate; see bench help run`},
		{"a shorthand of no flag", "", []string{"run", "-z"}, exitUsage, `bench: bench run: unknown shorthand flag: 'z' in -z; see bench help run`},
		{"a flag without its value", "", []string{"run", "--jobs"}, exitUsage, `bench: bench run: flag needs an argument: --jobs; see bench help run`},
		{"a flag that is no number", "", []string{"run", "quick", "--seeds", "abc"}, exitUsage, `bench: bench run: --seeds is "abc", want a whole number; see bench help run`},
		{"a flag that is too large a number", "", []string{"run", "quick", "-j", "99999999999999999999"}, exitUsage, `bench: bench run: --jobs is "99999999999999999999", want a number of 64 bits; see bench help run`},
		{"a flag that is no list of numbers", "", []string{"env", "maze", "--weights", "1,b"}, exitUsage, `bench: bench env: --weights is "1,b", want numbers with commas between; see bench help env`},
		{"a flag that is no list of whole numbers", "", []string{"audit", "--groups", "4,8.5"}, exitUsage, `bench: bench audit: --groups is "4,8.5", want whole numbers with commas between; see bench help audit`},
		{"a flag below all numbers of its kind", "", []string{"audit", "--seed=-1"}, exitUsage, `bench: bench audit: --seed is "-1", want a whole number of at least 0; see bench help audit`},
		{"a flag that is no time", "", []string{"run", "quick", "--plugin-timeout", "90"}, exitUsage, `bench: bench run: --plugin-timeout is "90", want a time such as 90s or 2m; see bench help run`},
		{"a switch that is neither", "", []string{"audit", "--all=perhaps"}, exitUsage, `bench: bench audit: --all is "perhaps", want true or false; see bench help audit`},
		{"a list that is not closed", "", []string{"run", "quick", "--figure-format", `"svg`}, exitUsage, `bench: bench run: --figure-format is "\"svg", want words with commas between; see bench help run`},
		{"no spec file to list", "", []string{"list", "specs", "no.toml"}, exitInput, `bench: spec file no.toml does not exist`},
		{"a spec file to list that is wrong", "", []string{"list", "specs", "bad.toml"}, exitInput, `bench: bad.toml:16: unknown method "grop"`},
		{"unknown spec to list", "", []string{"list", "specs", "quikc"}, exitInput, `bench: unknown spec "quikc"; did you mean quick? built-in specs: above-path-polynomial, above-path, bandit-collapse, `},
		{"no spec", "", []string{"run"}, exitUsage, `bench: bench run takes one spec`},
		{"unknown spec", "", []string{"run", "quikc"}, exitInput, `bench: unknown spec "quikc"; did you mean quick? built-in specs: above-path-polynomial, above-path, bandit-collapse, base-overtakes, base-policies, `},
		{"a file's name without its end", "", []string{"run", "tiny"}, exitInput, `bench: unknown spec "tiny"; did you mean the file tiny.toml? it is there`},
		{"a built-in spec with the end of a file", "", []string{"run", "quick.toml"}, exitInput, `bench: spec file quick.toml does not exist; did you mean the built-in spec quick?`},
		{"no such file", "", []string{"run", "no.toml"}, exitInput, `bench: spec file no.toml does not exist`},
		{"a mistake in the spec", "", []string{"run", "bad.toml"}, exitInput, `bench: bad.toml:16: unknown method "grop"; did you mean grpo? known methods: base,`},
		{"jobs below one", "", []string{"run", "tiny.toml", "--jobs", "0"}, exitUsage, `bench: --jobs is 0, want 1 or more`},
		{"seeds below one", "", []string{"run", "tiny.toml", "--seeds", "-1"}, exitUsage, `bench: --seeds is -1, want 1 to 100000`},
		{"unknown format", "", []string{"run", "tiny.toml", "--figure-format", "gif"}, exitUsage, `bench: --figure-format is "gif", want some of svg, png, pdf, pgf, json, each once, or none alone`},
		{"unknown policy", "", []string{"run", "tiny.toml", "--policy", "mlp"}, exitUsage, `bench: --policy is "mlp", want one of tabular, transformer, baseline`},
		{"a policy that is near to one", "", []string{"run", "tiny.toml", "--policy", "tabluar"}, exitUsage, `bench: --policy is "tabluar", did you mean tabular? want one of tabular, transformer, baseline`},
		{"a baseline where there is none", "", []string{"run", "tiny.toml", "--policy", "baseline"}, exitInput, `bench: tiny.toml:13: policy baseline on bandit: this environment has no baseline policy`},
		{"defaults of an unknown policy", "", []string{"list", "train", "mlp"}, exitUsage, `bench: unknown policy "mlp"; known policies: tabular`},
		{"output below a file", "", []string{"run", "tiny.toml", "--out", "file/r"}, exitIO, `bench: cannot write results: mkdir file`},
		{"plot without results", "", []string{"plot", "."}, exitInput, `bench: . holds no run.json`},
		{"plot of another version", "", []string{"plot", "newer"}, exitInput, `bench: newer/run.json: results version 999, this program reads version 2`},
		{"unknown environment", "", []string{"env", "maez"}, exitUsage, `bench: unknown environment "maez"; did you mean maze? known environments: bandit`},
		{"unknown split", "", []string{"env", "bandit", "--split", "dev"}, exitUsage, `bench: --split: unknown split "dev"; known splits: pretrain, train, test, ood`},
		{"negative index", "", []string{"env", "bandit", "--index", "-1"}, exitUsage, `bench: --index is -1, want 0 or more`},
		{"unknown field", "", []string{"env", "bandit", "--set", "arms=3"}, exitUsage, `bench: --set: unknown field "arms"; known fields: modes,`},
		{"contradicting fields", "", []string{"env", "bandit", "--set", "rewarded=13"}, exitUsage, `bench: --set: field "rewarded": got 13, want at most`},
		{"an answer to mark that does not parse", "", []string{"env", "bandit", "--answer", "m03", "--answer", "m99"}, exitUsage, `bench: --answer "m99": "m99" is no arm; arms are m00 to m11`},
		{"an empty answer to mark", "", []string{"env", "bandit", "--answer", ""}, exitUsage, `bench: --answer "": "" is no arm`},
		{"answers to mark and no picture", "", []string{"env", "bandit", "--answer", "m03", "--format", "json"}, exitUsage, `bench: --answer marks answers in pictures, and --format json prints none`},
		{"an extension of no format", "", []string{"env", "bandit", "--draw", "x.gif"}, exitUsage, `bench: --draw "x.gif": want a file that ends in .svg, .png, .pdf, .pgf`},
		{"no extension", "", []string{"env", "bandit", "--draw", "x.svg", "--draw", ""}, exitUsage, `bench: --draw "": want a file that ends in .svg, .png, .pdf, .pgf`},
		{"a picture below a file", "", []string{"env", "bandit", "--draw", "file/x.svg"}, exitIO, `bench: write file/x.svg: not a directory`},
		{"a picture in no folder", "", []string{"env", "bandit", "--format", "json", "--draw", "nowhere/x.png"}, exitIO, `bench: write nowhere/x.png: no such file or directory`},
		{"an object without an answer", "m01\n{}\n", []string{"judge", "bandit"}, exitInput, `bench: standard input, line 2: no field "answer"`},
		{"weights of nothing", "", []string{"env", "maze", "--weights", "0,0,0,0"}, exitUsage, `bench: --weights: all are 0, want one at least that is more`},
		{"weights of nothing to judge under", "", []string{"judge", "bandit", "--weights", "0"}, exitUsage, `bench: --weights: all are 0, want one at least that is more`},
		{"no method", "", []string{"estimate"}, exitUsage, `bench: bench estimate takes a method`},
		{"unknown method", "", []string{"estimate", "grop"}, exitUsage, `bench: unknown method "grop"; did you mean grpo? known methods: base,`},
		{"unknown method to audit", "", []string{"audit", "grop"}, exitUsage, `bench: unknown method "grop"; did you mean grpo? known methods: base,`},
		{"unknown method to list", "", []string{"list", "methods", "max-rl"}, exitUsage, `bench: unknown method "max-rl"; did you mean maxrl? known methods: base,`},
		{"unknown field of a method", "", []string{"estimate", "poly-epo", "--set", "m=2"}, exitUsage, `bench: --set: method poly-epo: unknown field "m"; known fields: n,`},
		{"malformed batch", "{\"groups\": [}", []string{"estimate", "grpo"}, exitInput, `bench: standard input: 1:13:`},
		{"empty input", "", []string{"estimate", "grpo"}, exitInput, `bench: standard input: 1:1: unexpected end of JSON input`},
		{"a missing field", `{"groups":[{"rollouts":[{"candidates":[{"reward":[1]}]}]}]}`, []string{"estimate", "poly-epo", "--set", "n=1"}, exitInput, `bench: standard input: method poly-epo: groups[0].rollouts[0].candidates[0].mode is missing`},
		{"malformed pool", "[]", []string{"metrics"}, exitInput, `bench: standard input: got array, want an object`},
		{"a pool file that is not there", "", []string{"metrics", "no.json"}, exitInput, `bench: no.json does not exist`},
		{"a kind to list that is near to one", "", []string{"list", "method"}, exitUsage, `bench: unknown kind "method"; did you mean methods? kinds: envs, `},
		{"a part of a spec without a value", "", []string{"run", "quick", "--set", "train.lr"}, exitUsage, `bench: --set train.lr: there is no value: want train.lr=VALUE`},
		{"a schema of methods alone", "", []string{"list", "methods", "--format", "json"}, exitUsage, `bench: --format json is of the fields of a spec alone: bench list spec --format json`},
		{"a schema with changes", "", []string{"list", "spec", "--format", "json", "--seeds", "2"}, exitUsage, `bench: --format json is of the fields of a spec alone`},
		{"unknown kind to list", "", []string{"list", "models"}, exitUsage, `bench: unknown kind "models"; kinds: envs, methods, specs, spec, policy, train, eval, figure, claim, metrics`},
		{"arguments to version", "", []string{"version", "x"}, exitUsage, `bench: bench version takes no arguments`},
	} {
		code, out, errs := call(t, c.stdin, c.args...)
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d (%s)", c.reason, code, c.code, errs)
		}
		if !strings.HasPrefix(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s:\n got %q\nwant one line, %q...", c.reason, errs, c.want)
		}
		wantOut := ""
		if c.reason == "an object without an answer" { // the verdict of the line before it is kept
			wantOut = `{"reward":[1],"scalar":1,"correct":true,"answer":"A0","mode":"m01","error":null}` + "\n"
		}
		if out != wantOut {
			t.Errorf("%s: standard output %q, want %q", c.reason, out, wantOut)
		}
	}
}

func TestInterruptedRun(t *testing.T) {
	inDir(t)
	writeTiny(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	code := bench(ctx, streams{in: strings.NewReader(""), out: &out, err: &errs}, []string{"run", "tiny.toml"})
	if code != exitInterrupted || errs.String() != "bench: interrupted; finished cells are kept, run again to go on\n" {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
}

func TestHelp(t *testing.T) {
	code, out, _ := call(t, "")
	if code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	for _, c := range commands() {
		if !strings.Contains(out, c.Name()+" ") || !strings.Contains(out, c.Short) {
			t.Errorf("the help does not list %s", c.Name())
		}
		for _, args := range [][]string{{"help", c.Name()}, {c.Name(), "--help"}, {c.Name(), "-h"}} {
			code, text, errs := call(t, "", args...)
			if code != exitOK || errs != "" || !strings.Contains(text, "Usage: bench "+c.Name()) {
				t.Errorf("%v: exit code %d, %q %q", args, code, text, errs)
			}
		}
	}
	for _, code := range []int{exitOK, exitFailed, exitUsage, exitInput, exitIO, exitMoved, exitBaseline, exitUnderpowered, exitInterrupted} {
		if !strings.Contains(out, fmt.Sprintf("\n  %d ", code)) && !strings.Contains(out, fmt.Sprintf("\n  %-3d", code)) {
			t.Errorf("the help does not explain exit code %d", code)
		}
	}
}

func TestEnvDocument(t *testing.T) {
	out, _ := succeed(t, "env", "bandit", "--format", "json", "--set", "components=2", "--set", "collinearity=0.5")
	var doc struct {
		ID    string
		Split string
		Index int
		Truth struct {
			Modes     int
			Solutions *int64
			Front     [][]float64
			Best      float64
		}
		Arms []struct{ Arm string }
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.ID != "train/0" || doc.Split != "train" || doc.Truth.Modes != 4 || *doc.Truth.Solutions != 4 || len(doc.Arms) != 12 {
		t.Errorf("document %+v", doc)
	}
	// Qualities 1, 7/8, 3/4, 5/8: the third and fourth mode are dominated.
	if got := fmt.Sprint(doc.Truth.Front); got != "[[0.4375 0.9375] [1 0.5]]" || doc.Truth.Best != 0.75 {
		t.Errorf("front %s, best %v: want (7/16, 15/16) and (1, 1/2), whose mean is 3/4", got, doc.Truth.Best)
	}
}

// TestEstimateReproducesTheFractions runs the worked examples of Poly-EPO's
// estimator and of SetPO's credit through the command, as a user would.
func TestEstimateReproducesTheFractions(t *testing.T) {
	batch := func(modes string, rewards ...int) string {
		var rollouts []string
		for i, r := range rewards {
			rollouts = append(rollouts, fmt.Sprintf(`{"candidates":[{"reward":[%d],"mode":%q}]}`, r, modes[i:i+1]))
		}
		return `{"groups":[{"problem":"p0","rollouts":[` + strings.Join(rollouts, ",") + `]}]}`
	}
	five := []int{1, 1, 1, 1, 1, 0, 0, 0}
	a := 0.9
	b := 0.1
	c := (0.2 - a*b) / math.Sqrt(1-a*a) // Cholesky factor of the kernel below
	vectors := [][]float64{{1, 0, 0}, {a, math.Sqrt(1 - a*a), 0}, {b, c, math.Sqrt(1 - b*b - c*c)}}
	var rollouts []string
	for _, v := range vectors {
		e, _ := json.Marshal(v)
		rollouts = append(rollouts, fmt.Sprintf(`{"candidates":[{"reward":[1],"embedding":%s}]}`, e))
	}
	setpo := `{"groups":[{"rollouts":[` + strings.Join(rollouts, ",") + `]}]}`
	for _, c := range []struct {
		reason, method, set, stdin string
		want                       []float64
		tolerance                  float64
	}{
		{"Poly-EPO, N=8, n=2, AAAABCDE", "poly-epo", "n=2", batch("AAAABCDE", five...), []float64{3. / 56, 3. / 56, 3. / 56, 3. / 56, 15. / 56, -9. / 56, -9. / 56, -9. / 56}, 1e-12},
		{"the same, n=4, the paper's set size", "poly-epo", "n=4", batch("AAAABCDE", five...), []float64{-1. / 280, -1. / 280, -1. / 280, -1. / 280, 47. / 560, -13. / 560, -13. / 560, -13. / 560}, 1e-12},
		{"the same, n=6", "poly-epo", "n=6", batch("AAAABCDE", five...), []float64{-1. / 336, -1. / 336, -1. / 336, -1. / 336, 25. / 1008, -13. / 3024, -13. / 3024, -13. / 3024}, 1e-12},
		{"one correct rollout, ABBBBCDE", "poly-epo", "n=4", batch("ABBBBCDE", 1, 0, 0, 0, 0, 0, 0, 0), []float64{57. / 560, -3. / 140, -3. / 140, -3. / 140, -3. / 140, -3. / 560, -3. / 560, -3. / 560}, 1e-12},
		{"N=4, n=2, ABBC", "poly-epo", "n=2", batch("ABBC", 1, 0, 0, 1), []float64{1. / 6, -1. / 6, -1. / 6, 1. / 6}, 1e-12},
		{"the signal vanishes at the paper's own setting", "poly-epo", "n=4", batch("AAAAABCD", five...), make([]float64, 8), 0},
		// All correct, so the base advantage is 0 and lambda 1 shows the credit
		// alone; embeddings are stored in single precision.
		{"SetPO, kernel .9 .1 .2", "setpo+grpo", "lambda=1", setpo, []float64{-0.145505770, -0.232517147, 0.314026559}, 1e-7},
	} {
		code, out, errs := call(t, c.stdin, "estimate", c.method, "--set", c.set)
		var doc struct{ Advantages [][]float64 }
		if err := json.Unmarshal([]byte(out), &doc); code != exitOK || err != nil {
			t.Errorf("%s: exit code %d: %s %v", c.reason, code, errs, err)
			continue
		}
		if len(doc.Advantages) != 1 || len(doc.Advantages[0]) != len(c.want) {
			t.Errorf("%s: got %v", c.reason, doc.Advantages)
			continue
		}
		for i, want := range c.want {
			if got := doc.Advantages[0][i]; math.Abs(got-want) > c.tolerance {
				t.Errorf("%s: rollout %d: got %v, want %v", c.reason, i, got, want)
			}
		}
	}
}

func TestMetricsCommand(t *testing.T) {
	pool := `{"k":[1,4],"weights":[1],"problems":[{"id":"p0","modes":2,"chains":[
		[{"reward":[1],"correct":true,"mode":"A"}],[{"reward":[0],"correct":false,"mode":"B"}],
		[{"reward":[0],"correct":false,"mode":"B"}],[{"reward":[0],"correct":false,"mode":null}]]}]}`
	code, out, errs := call(t, pool, "metrics")
	var got map[string]float64
	if err := json.Unmarshal([]byte(out), &got); code != exitOK || err != nil {
		t.Fatalf("exit code %d: %s %v", code, errs, err)
	}
	// One of four correct: pass@4 is 1, where a bootstrap with replacement gives .68.
	for name, want := range map[string]float64{"pass@1": 0.25, "pass@4": 1, "best@4": 1, "coverage@4": 0.5, "distinct_correct": 1, "distinct_incorrect": 1} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

// TestFlagsSayWhatTheyWant: every kind of flag that can have a wrong value.
func TestFlagsSayWhatTheyWant(t *testing.T) {
	for _, c := range commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			kind := f.Value.Type()
			if _, known := cli.FlagKinds[kind]; !known && kind != "string" && kind != "stringArray" {
				t.Errorf("bench %s --%s: what does a flag of kind %s want?", c.Name(), f.Name, kind)
			}
		})
	}
}

func TestListAndVersion(t *testing.T) {
	inDir(t)
	writeTiny(t)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"list"}, []string{"Environments:", "bandit", "Methods:", "poly-epo", "setpo+grpo", "Specs:", "quick"}},
		{[]string{"list", "methods", "poly-epo"}, []string{"n = 4", "clip_high = 0.28", "reads:    reward, mode; groups of at least 4"}},
		{[]string{"list", "envs", "bandit"}, []string{"modes = 12", "collinearity"}},
		{[]string{"list", "specs", "quick"}, []string{"[[method]]"}},
		{[]string{"list", "specs", "tiny.toml"}, []string{"tiny: tiny\n", "folder: results/tiny", "4 cells: 2 seeds of each of\n  base\n  grpo\n"}},
		{[]string{"list", "train"}, []string{"steps = 3000", "optimizer = adam"}},
		{[]string{"list", "policy"}, []string{"sharing = problem"}},
		{[]string{"list", "eval"}, []string{"top_p = 1"}},
		{[]string{"list", "claim"}, []string{"metric =   (text or list of texts)\n", "null = {}  (table)\n"}},
		{[]string{"list", "figure"}, []string{"where = {}  (table)\n"}},
		{[]string{"list", "spec", "--format", "json"}, []string{`"$schema":"http://json-schema.org/draft-07/schema#"`, `"enum":["curve",`}},
		{[]string{"list", "metrics"}, []string{"coverage@k", "correct_modes_alive"}},
		{[]string{"version"}, []string{"modebench " + program.Version + "\n", "results version 2", "go1."}},
		{[]string{"env", "bandit"}, []string{"Choose one of 12 arms", "correct modes: 4, solutions: 4", "best w*.r: 1"}},
	} {
		code, out, errs := call(t, "", c.args...)
		if code != exitOK {
			t.Errorf("%v: exit code %d: %s", c.args, code, errs)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%v: the output lacks %q:\n%s", c.args, want, out)
			}
		}
	}
}

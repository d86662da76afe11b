package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
)

// recordsIn reads the cells and the manifest below an output folder.
func recordsIn(t *testing.T, out string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == record.ProvenanceFile || strings.Contains(path, "/.") {
			return err
		}
		rel, _ := filepath.Rel(out, path)
		if d.Name() != record.ManifestFile && !strings.HasPrefix(rel, "cells") {
			return nil
		}
		data, err := os.ReadFile(path)
		files[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestSweep is a sweep over several folders from its plan to its table: the same files as
// those of one run.
func TestSweep(t *testing.T) {
	dir := inDir(t)
	writeTiny(t)
	if err := os.WriteFile("sbatch", []byte("#!/bin/sh\n"), 0o755); err != nil { // so that status speaks of arrays
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	step := func(want int, args ...string) (out, errs string) {
		t.Helper()
		code, out, errs := call(t, "", args...)
		if code != want {
			t.Fatalf("%v: exit code %d, want %d\n%s%s", args, code, want, out, errs)
		}
		return out, errs
	}
	step(exitOK, "run", "tiny.toml", "--out", "one", "--figure-format", "none", "--jobs", "2")
	out, _ := step(exitOK, "run", "tiny.toml", "--plan", "--shards", "4", "--out", "all")
	if strings.Count(out, "missing") != 4 || !strings.Contains(out, "plan: all/tiny/plan.json\n") {
		t.Errorf("the plan:\n%s", out)
	}
	if out, _ = step(exitOK, "run", "tiny.toml", "--plan", "--out", "one"); strings.Count(out, "finished") != 4 {
		t.Errorf("the plan of a run that is finished:\n%s", out)
	}
	t.Setenv("SLURM_ARRAY_TASK_ID", "1")
	if out, _ = step(exitOK, "run", "tiny.toml", "--shard", "auto/3", "--out", "b"); !strings.Contains(out, "of a part of the cells") {
		t.Errorf("a shard: %s", out)
	}
	step(exitOK, "run", "tiny.toml", "--shard", "0/3", "--out", "a")
	step(exitOK, "merge", "b", "a", "--out", "all")
	for _, what := range []string{"tiny.toml", "all/tiny"} { // by the spec, by the plan
		args := []string{"status", what}
		if strings.HasSuffix(what, "toml") {
			args = append(args, "--out", "all")
		}
		array := "as an array of --shard auto/4: sbatch --array=2\n"
		if len(args) > 2 {
			array = "as an array: sbatch --array=2 array.sbatch tiny.toml --out=all\n"
		}
		out, errs := step(exitFailed, args...)
		if !strings.HasPrefix(out, "tiny in all/cells: 3 of 4 cells are finished, 1 missing\n     2  missing    grpo, seed 0\n") ||
			!strings.Contains(out, array) || errs != "bench: 1 of 4 cells are not finished\n" {
			t.Errorf("status of %s:\n%s%s", what, out, errs)
		}
		if spec := strings.HasSuffix(what, "toml"); spec != strings.Contains(out, "bench run tiny.toml --out=all\n") {
			t.Errorf("status of %s:\n%s", what, out)
		}
	}
	if out, _ = step(exitOK, "status", "all/tiny", "--array", "--shards", "2"); out != "0\n" {
		t.Errorf("the array: %q", out)
	}
	if _, errs := step(exitInput, "merge", "a", "--out", "all", "--spec", "tiny.toml"); !strings.Contains(errs, "tiny: 1 of 4 cells are not finished in all: 2") {
		t.Errorf("a manifest of some: %s", errs)
	}
	step(exitOK, "run", "tiny.toml", "--out", "c", "--cells", "2")
	step(exitOK, "merge", "c", "a", "--out", "all", "--spec", "tiny.toml")
	if out, _ = step(exitOK, "status", "all/tiny", "--verify"); out != "tiny in all/cells: 4 of 4 cells are finished\n" {
		t.Errorf("at the end: %s", out)
	}
	whole, merged := recordsIn(t, "one"), recordsIn(t, "all")
	delete(merged, "tiny/plan.json")
	if d := cmp.Diff(whole, merged); d != "" || len(whole) != 4*5+1 {
		t.Errorf("%d files; shards that are merged are others (-one run):\n%.1000s", len(whole), d)
	}
}

// TestFailedCellsAreNamed: the end of a run, and status, name the cells that failed, the reason, and
// the command that runs only those.
func TestFailedCellsAreNamed(t *testing.T) {
	inDir(t)
	if err := os.Mkdir("my specs", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, "my specs/my.toml", strings.Split(tinySpec, "[[figure]]")[0]+"[[method]]\nname = \"reinforce\"\nkl = \"k2\"\nkl_coef = 1\ntrain = { epochs = 2, lr = 1e308, optimizer = \"sgd\" }\n")
	code, _, errs := call(t, "", "run", "my specs/my.toml", "--set", "eval.k=[1, 2]", "--name", "mine", "-o", "out", "--figure-format", "none")
	again := "bench run 'my specs/my.toml' '--set=eval.k=[1, 2]' --name=mine --out=out --figure-format=none --cells=4-5\n"
	if code != exitFailed || strings.Count(errs, "bench: reinforce, seed ") != 2 || !strings.HasSuffix(errs, "bench: 2 cells failed, the others are kept; to run what failed again: "+again) {
		t.Errorf("exit code %d:\n%swant the end\n%s", code, errs, again)
	}
	code, out, _ := call(t, "", "status", "my specs/my.toml", "--set", "eval.k=[1, 2]", "--name", "mine", "-o", "out", "--shards", "3")
	if code != exitFailed || strings.Count(out, "  failed     reinforce, seed ") != 2 || !strings.Contains(out, ": step ") || !strings.Contains(out, "as an array: sbatch --array=1-2 array.sbatch 'my specs/my.toml' '--set=eval.k=[1, 2]' --name=mine --out=out --shard=auto/3\n") {
		t.Errorf("status, exit code %d:\n%s", code, out)
	}
	code, _, errs = call(t, "", "run", "my specs/my.toml", "--set=eval.k=[1, 2]", "--name=mine", "--out=out", "--cells=4-5", "--fail-fast", "--jobs", "1")
	if code != exitFailed || strings.Count(errs, "bench: reinforce, seed ") != 1 || strings.Contains(errs, "interrupted") {
		t.Errorf("with --fail-fast, exit code %d:\n%s", code, errs)
	}
}

func TestSweepUsage(t *testing.T) {
	inDir(t)
	writeTiny(t)
	if err := os.MkdirAll("empty", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reason string
		args   []string
		code   int
		want   string
	}{
		{"1-based shards", []string{"run", "tiny.toml", "--shard", "3/3"}, exitUsage, "--shard 3/3: want I/N with 0 <= I < N"},
		{"a variable that is not set", []string{"run", "tiny.toml", "--shard", ""}, exitUsage, "--shard: want I/N"},
		{"nothing to run", []string{"run", "tiny.toml", "--cells", ""}, exitUsage, `--cells: got ""`},
		{"no such cell", []string{"run", "tiny.toml", "--cells", "2,999"}, exitUsage, "--cells: there is no cell 999, the last one is 3"},
		{"more tasks than memory", []string{"status", "tiny.toml", "--shards", "9223372036854775807"}, exitUsage, "--shards is 9223372036854775807, want 1 to 1000000"},
		{"tasks of no plan", []string{"run", "tiny.toml", "--shards", "3"}, exitUsage, "--shards is for --plan (a share of the cells is run with --shard I/N)"},
		{"tasks of a plan that is not kept", []string{"run", "tiny.toml", "--plan", "--shards", "3"}, exitUsage, "--shards goes into the plan that --out keeps: give --out too"},
		{"a plan without tasks", []string{"run", "tiny.toml", "--plan", "--shards", "0", "--out", "x"}, exitUsage, "--shards is 0, want 1 to 1000000"},
		{"tasks of no time", []string{"run", "tiny.toml", "--plan", "--task-time", "0s", "--out", "x"}, exitUsage, "--task-time is 0s, want more than 0, as in 10m"},
		{"not in an array", []string{"run", "tiny.toml", "--shard", "auto"}, exitUsage, "neither SLURM_ARRAY_TASK_ID nor"},
		{"two ways", []string{"run", "tiny.toml", "--shard", "0/3", "--cells", "1"}, exitUsage, "exclude each other"},
		{"not numbers", []string{"run", "tiny.toml", "--cells", "a"}, exitUsage, "--cells a: got \"a\""},
		{"less than never", []string{"run", "tiny.toml", "--checkpoint", "-1s"}, exitUsage, "--checkpoint is -1s"},
		{"nothing", []string{"status"}, exitUsage, "takes one spec or folder"},
		{"no tasks", []string{"status", "tiny.toml", "--shards", "0"}, exitUsage, "--shards is 0"},
		{"not a folder of an experiment", []string{"status", "empty"}, exitInput, "empty holds no plan.json and no run.json"},
		{"no folders", []string{"merge"}, exitUsage, "takes output folders"},
		{"no output folder", []string{"merge", "empty", "--out", "all"}, exitInput, "empty holds no cells: not an output folder of bench run"},
		{"a file to merge", []string{"merge", "tiny.toml", "--out", "all"}, exitInput, "tiny.toml holds no cells: not an output folder"},
		{"a file to merge into", []string{"merge", "empty", "--out", "tiny.toml"}, exitInput, "tiny.toml holds no cells: not an output folder"},
		{"flags of a spec, and a folder", []string{"status", "empty", "--seeds", "3", "--out", "x"}, exitUsage, "--seeds, --out: empty is not a spec but a folder"},
		{"a name for two", []string{"merge", "empty", "--name", "x", "--spec", "quick", "--spec", "tiny.toml"}, exitUsage, "--name is for one --spec"},
		{"no such spec", []string{"merge", "empty", "--spec", "quickk"}, exitInput, `unknown spec "quickk"`},
	} {
		code, _, errs := call(t, "", c.args...)
		if code != c.code || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d and %q, want %d and one line with %q", c.reason, code, errs, c.code, c.want)
		}
	}
}

// TestFewerSeeds: a quick look at a spec leaves the whole result alone, unless --force
// is given.
func TestFewerSeeds(t *testing.T) {
	inDir(t)
	writeTiny(t)
	run := func(args ...string) (errs string) {
		t.Helper()
		code, _, errs := call(t, "", append([]string{"run", "tiny.toml", "--figure-format", "none", "--out", "r"}, args...)...)
		if code != exitOK {
			t.Fatalf("%v: exit code %d: %s", args, code, errs)
		}
		return errs
	}
	table := func(dir string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join("r", dir, "summary.txt"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	run()
	whole := table("tiny")
	if errs := run("--seeds", "1"); !strings.Contains(errs, "r/tiny has 2 seeds, and this run 1: its table and figures go to r/tiny-seeds-1 (--force: to r/tiny)\n") {
		t.Errorf("a run of one seed says\n%s", errs)
	}
	if table("tiny") != whole || !strings.Contains(table("tiny-seeds-1"), "one seed:") {
		t.Errorf("after a run of one seed:\n%s\n%s", table("tiny"), table("tiny-seeds-1"))
	}
	if errs := run("--seeds", "3"); strings.Contains(errs, "seeds-") || table("tiny") == whole {
		t.Errorf("more seeds do not replace fewer: %s", errs)
	}
	if run("--seeds", "2", "--force"); table("tiny") != whole {
		t.Errorf("with --force:\n%s", table("tiny"))
	}
	// Nor does a look replace the plan of a run of more seeds that has not ended.
	succeed(t, "run", "tiny.toml", "--plan", "--out", "q")
	if code, _, errs := call(t, "", "run", "tiny.toml", "--figure-format", "none", "--out", "q", "--seeds", "1"); code != exitOK || !strings.Contains(errs, "q/tiny has 2 seeds, and this run 1:") {
		t.Errorf("beside a plan: exit code %d, %s", code, errs)
	}
	if errs := run("--seeds", "1", "--set", "train.steps=10", "--name", "tiny"); strings.Contains(errs, "seeds-") {
		t.Errorf("another experiment of that name goes beside the old one: %s", errs)
	}
}

// TestStatusBeforeTheEnd: the folder of an experiment can be asked about while its first
// run is under way, or after it was cut short.
func TestStatusBeforeTheEnd(t *testing.T) {
	inDir(t)
	write(t, "my.toml", strings.Split(tinySpec, "[[figure]]")[0]+"[[method]]\nname = \"reinforce\"\nkl = \"k2\"\nkl_coef = 1\ntrain = { epochs = 2, lr = 1e308, optimizer = \"sgd\" }\n")
	if code, _, errs := call(t, "", "run", "my.toml", "--out", "r", "--figure-format", "none", "--fail-fast", "--jobs", "1", "--seeds", "3"); code != exitFailed {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	code, out, errs := call(t, "", "status", "r/my")
	if code != exitFailed || !strings.HasPrefix(out, "my in r/cells: 6 of 9 cells are finished, 1 failed, 2 missing\n     6  failed     reinforce, seed 0: step ") ||
		!strings.Contains(out, "\n   7-8  missing    reinforce, seeds 1-2\n") {
		t.Errorf("exit code %d:\n%s%s", code, out, errs)
	}
}

// TestMergeTakesStatesOfUnfinishedCells: the latest state of a cell that no folder has finished comes
// along, and so does the reason why a cell failed.
func TestMergeTakesStatesOfUnfinishedCells(t *testing.T) {
	inDir(t)
	write(t, "my.toml", strings.Split(tinySpec, "[[figure]]")[0]+"[[method]]\nname = \"reinforce\"\nkl = \"k2\"\nkl_coef = 1\ntrain = { epochs = 2, lr = 1e308, optimizer = \"sgd\" }\n")
	for _, out := range []string{"a", "b"} {
		if code, _, errs := call(t, "", "run", "my.toml", "--out", out, "--figure-format", "none", "--cells", "0,4"); code != exitFailed {
			t.Fatalf("exit code %d: %s", code, errs)
		}
	}
	code, out, errs := call(t, "", "merge", "a", "b", "--out", "all")
	if code != exitOK || out != "1 cells copied to all, 0 were there\nnot finished anywhere: 0 that can be continued, 1 that failed; bench status lists them\n" {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
	if _, out, _ := call(t, "", "status", "my.toml", "--out", "all"); !strings.Contains(out, "     4  failed     reinforce, seed 0: step ") {
		t.Errorf("status after the merge:\n%s", out)
	}
}

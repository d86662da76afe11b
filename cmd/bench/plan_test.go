package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"modebench/experiments/record"
)

// shortSweep writes a spec of 200 cells, which take no time.
func shortSweep(t *testing.T) {
	t.Helper()
	text := strings.Replace(strings.Split(tinySpec, "[[figure]]")[0], "steps = 20", "steps = 1", 1)
	write(t, "my.toml", strings.Replace(strings.Replace(text, "seeds = 2", "seeds = 100", 1), "every = 10", "every = 1", 1))
}

// TestArrayOfThePlan: an array of 20 tasks for 200 cells knows its number of tasks from the
// plan alone, and status prints no number that is not one of them.
func TestArrayOfThePlan(t *testing.T) {
	inDir(t)
	shortSweep(t)
	array := func(want string, args ...string) {
		t.Helper()
		for _, what := range [][]string{{"my.toml", "--out", "out"}, {"out/my"}} { // by the spec, by the plan
			code, out, errs := call(t, "", append(append([]string{"status", "--array"}, what...), args...)...)
			if code != exitOK || out != want+"\n" {
				t.Errorf("status --array of %v %v: exit code %d and %q, want %q: %s", what, args, code, out, want, errs)
			}
		}
	}
	code, out, errs := call(t, "", "run", "my.toml", "--plan", "--shards", "20", "--out", "out")
	if code != exitOK || !strings.HasSuffix(out, "\nto run them as an array: sbatch --array=0-19 array.sbatch my.toml --out=out\n") {
		t.Fatalf("the plan, exit code %d: %s%s", code, out[max(0, len(out)-500):], errs)
	}
	array("0-19")
	task := func(number string) (int, string) {
		t.Setenv("SLURM_ARRAY_TASK_ID", number)
		code, _, errs := call(t, "", "run", "my.toml", "--out", "out", "--shard", "auto")
		return code, errs
	}
	for _, number := range []string{"0", "3", "19"} {
		if code, errs := task(number); code != exitOK {
			t.Errorf("task %s: exit code %d: %s", number, code, errs)
		}
	}
	array("1-2,4-18")
	array("1-2,4-18,21-22,24-38", "--shards", "40") // if tasks have auto/40
	if code, errs := task("20"); code != exitUsage || errs != "bench: --shard auto: this is number 20, and the plan in out/my has 20 shards, 0 to 19 (bench status lists those left)\n" {
		t.Errorf("a task that does not exist: exit code %d: %s", code, errs)
	}
	// A run of all that is cut short keeps the number: tasks may still go by it.
	failing := strings.Replace(readText(t, "my.toml"), "name = \"grpo\"", "name = \"grpo\"\nkl = \"k2\"\nkl_coef = 1\ntrain = { epochs = 2, lr = 1e308, optimizer = \"sgd\" }", 1)
	write(t, "my.toml", failing)
	if code, _, errs := call(t, "", "run", "my.toml", "--out", "out", "--figure-format", "none", "--fail-fast", "--jobs", "1"); code != exitFailed {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	array("0-19")
	// One without a plan cannot know.
	if err := os.RemoveAll("out/my"); err != nil {
		t.Fatal(err)
	}
	if code, errs := task("3"); code != exitInput || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "no plan in out/my has the number of shards: bench run SPEC --plan --out OUT") {
		t.Errorf("without a plan: exit code %d: %s", code, errs)
	}
	if code, out, errs := call(t, "", "status", "my.toml", "--out", "out", "--array"); code != exitInput || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "bench run SPEC --plan --out OUT") {
		t.Errorf("the array without a plan: exit code %d: %s%s", code, out, errs)
	}
}

// TestPlanPacks: the number of tasks follows from the times of finished cells.
func TestPlanPacks(t *testing.T) {
	inDir(t)
	shortSweep(t)
	end := func(args ...string) string {
		t.Helper()
		code, out, errs := call(t, "", append([]string{"run", "my.toml", "--plan", "--out", "out"}, args...)...)
		if code != exitOK {
			t.Fatalf("%v: exit code %d: %s", args, code, errs)
		}
		_, out, _ = strings.Cut(out, "plan: out/my/plan.json\n")
		return out
	}
	// 200 cells of ten seconds, which is a guess, are four tasks of ten minutes.
	got := end()
	want := "tasks: 4, of which the longest takes about 8m\n" +
		"this is a guess for 2 of 2 variants, of which no cell is finished: 10s a cell, or a task a cell with a transformer\n" +
		"to measure them first, and plan again: bench run my.toml --out=out --seeds=1\n" +
		"to run them as an array: sbatch --array=0-3 array.sbatch my.toml --out=out\n"
	if got != want {
		t.Errorf("before any cell:\n%swant\n%s", got, want)
	}
	succeed(t, "run", "my.toml", "--out=out", "--seeds=1", "--figure-format=none")
	took := func(seconds string) { // in place of the clock's time
		paths, _ := filepath.Glob("out/cells/*/" + record.ProvenanceFile)
		for _, path := range paths {
			text := regexp.MustCompile(`"seconds": [^,]*`).ReplaceAllString(readText(t, path), `"seconds": `+seconds)
			write(t, path, text)
		}
	}
	took("0.001")
	if got := end(); got != "tasks: 1, of which the longest takes about 1s\nto run them as an array: sbatch --array=0 array.sbatch my.toml --out=out\n" {
		t.Errorf("with one seed that took no time:\n%s", got)
	}
	took("60") // 198 minutes are left
	if got := end(); got != "tasks: 20, of which the longest takes about 10m\nto run them as an array: sbatch --array=0-19 array.sbatch my.toml --out=out\n" {
		t.Errorf("with cells of a minute:\n%s", got)
	}
	if got := end("--task-time", "1h"); !strings.HasPrefix(got, "tasks: 4, of which the longest takes about 50m\n") || strings.Contains(got, "task-time") {
		t.Errorf("with tasks of an hour:\n%s", got)
	}
	if got := end("--shards", "2"); !strings.HasPrefix(got, "tasks: 2, of which the longest takes about 1h40m\n") || !strings.HasSuffix(got, " sbatch --array=0-1 array.sbatch my.toml --out=out\n") {
		t.Errorf("with two tasks:\n%s", got)
	}
	took("7200") // no task is without a cell
	if got := end("--seeds", "3"); !strings.HasPrefix(got, "tasks: 4, of which the longest takes about 2h0m\n") || !strings.HasSuffix(got, " --array=1-2,4-5 array.sbatch my.toml --out=out --seeds=3\n") {
		t.Errorf("with long cells:\n%s", got)
	}
	if got := end("--seeds", "1"); got != "" {
		t.Errorf("with nothing to run:\n%s", got)
	}
	// A base policy that took two minutes, and that is not in the cache, is made by every task.
	took(`60, "pretraining": 120, "base": {"file": "bandit-m1-0.base", "sha256": "` + strings.Repeat("0a", 32) + `"}`)
	got = end("--cache", "cache")
	if !strings.HasPrefix(got, "tasks: 20, of which the longest takes about 12m\nbase policies that are not in the cache: 1, and each task that needs one makes it first, unless another has put it there (--cache or MODEBENCH_CACHE)\n") || !strings.HasSuffix(got, " array.sbatch my.toml --out=out --cache=cache\n") {
		t.Errorf("with a base policy to make:\n%s", got)
	}
	if err := os.Mkdir("cache", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, "cache/bandit-m1-0.base", "")
	if got := end("--cache", "cache"); !strings.HasPrefix(got, "tasks: 20, of which the longest takes about 10m\nto run them") {
		t.Errorf("with one that is there:\n%s", got)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

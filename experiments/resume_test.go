package experiments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
)

// wholeCells reads the files of a run that stand under their final names.
func wholeCells(t testing.TB, out string) map[string]string {
	t.Helper()
	files := tree(t, out)
	maps.DeleteFunc(files, func(name, _ string) bool {
		return slices.ContainsFunc(strings.Split(filepath.ToSlash(name), "/"), func(part string) bool { return strings.HasPrefix(part, ".") })
	})
	return files
}

// besides lists what stands beside the cells of a run under a prefix.
func besides(t testing.TB, out, prefix string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(out, record.CellsDir, prefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// everyStep makes runs notice at every step that they are to stop.
func everyStep(t testing.TB) {
	before := stopAfter
	stopAfter = 1
	t.Cleanup(func() { stopAfter = before })
}

// resumable are specs whose cells hold something that a run has to carry on: what each
// is for is its name. Every step is evaluated, so that a test can stop at every one.
var resumable = []struct{ name, text string }{
	{"tables, several optimisers, pools", `
[env]
name = "bandit"
[train]
steps = 7
problems = 5
batch = 2
warmup = 2
schedule = "cosine"
record_every = 2
optimizer = ["adam", "sgd", "natural"]
[eval]
every = 1
k = [1, 2]
samples = 4
keep = 1
[[method]]
name = "grpo"
[[method]]
name = "setpo+grpo"
`},
	{"more batches drawn than steps made", `
[env]
name = "bandit"
start = "zipf"
[train]
steps = 12
problems = 6
batch = 2
group = 3
lr = 0.3
[eval]
every = 1
k = [1, 2]
[[method]]
name = "dapo"
`},
	{"references of the policy before training", `
[env]
name = "bandit"
[train]
steps = 6
problems = 3
batch = 2
epochs = 2
minibatches = 2
lr = 0.1
[eval]
every = 1
k = [1, 2]
measure = ["votes", "kl", "search"]
[[method]]
name = "reinforce"
kl = ["k1", "k2", "k3"]
kl_coef = 0.1
[[method]]
name = "grpo"
kl = "k3"
kl_coef = 0.1
kl_in_reward = true
`},
	{"what evaluations found out: answers too many to list at first, and not later", `
[env]
name = "bandit"
modes = 8
[train]
steps = 10
lr = 0.5
[eval]
every = 1
k = [1, 2]
samples = 4
top_p = 0.6
enumerate = 4
measure = ["kl"]
[[method]]
name = "grpo"
`},
	{"chains, goals, contexts, noise", `
[env]
name = "maze"
[policy]
context = ["add", "found"]
demonstrations = 20
[train]
steps = 4
problems = 3
batch = 2
judge_noise = 0.2
reward_noise = 0.1
[eval]
every = 1
k = [1, 2]
samples = 4
enumerate = 0
draws = 8
[[method]]
name = "vpo"
[[method]]
name = "goal-conditioned"
[[method]]
name = "remax"
`},
	{"votes without labels", `
[env]
name = "bandit"
[train]
steps = 6
problems = 4
batch = 2
[eval]
every = 1
k = [1, 2]
[[method]]
name = "ttrl"
[[method]]
name = "evol-rl"
`},
	{"a transformer", `
[env]
name = "bandit"
` + tinyPolicy + `
[train]
steps = 3
problems = 3
batch = 2
group = 4
record_every = 1
[eval]
every = 1
k = [1, 2]
samples = 4
problems = 2
measure = ["kl"]
[[method]]
name = "grpo"
kl = "k3"
kl_coef = 0.1
[[method]]
name = "vpo"
[[method]]
name = "dapo"
`},
}

// TestStoppedAtEveryStep: a run that is stopped at every step there is, each time gone
// on with by the next, leaves the bytes of one that is not.
func TestStoppedAtEveryStep(t *testing.T) {
	everyStep(t)
	for _, c := range resumable {
		t.Run(c.name, func(t *testing.T) {
			spec, err := Parse("resumed.toml", []byte("seeds = 1\n"+c.text))
			if err != nil {
				t.Fatal(err)
			}
			cache, whole, out := t.TempDir(), t.TempDir(), t.TempDir()
			if _, err := spec.Run(context.Background(), Options{Out: whole, Jobs: 2, Cache: cache}); err != nil {
				t.Fatal(err)
			}
			steps := 0
			for _, v := range spec.Variants {
				p, _ := v.build()
				steps += p.steps()
			}
			stops := 0
			for {
				ctx, cancel := context.WithCancel(context.Background())
				_, err := spec.Run(ctx, Options{Out: out, Jobs: 1, Cache: cache, Progress: func(int, int) { cancel() }, Notes: func(line string) { t.Error(line) }})
				if err == nil {
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if stops++; stops > 2*steps {
					t.Fatalf("stopped %d times in %d steps: the run does not go on", stops, steps)
				}
			}
			if stops < steps {
				t.Errorf("stopped %d times, want once a step: %d", stops, steps)
			}
			if d := cmp.Diff(wholeCells(t, whole), wholeCells(t, out)); d != "" {
				t.Errorf("a run that was stopped %d times left other files (-one that was not):\n%.2000s", stops, d)
			}
			if left := append(besides(t, out, "."), besides(t, whole, ".")...); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestFindingsAreCarriedOn: the spec above whose evaluations find out something is one
// where a run that forgot it would go on otherwise, or the test says nothing.
func TestFindingsAreCarriedOn(t *testing.T) {
	everyStep(t)
	spec, err := Parse("resumed.toml", []byte("seeds = 1\n"+resumable[3].text))
	if err != nil {
		t.Fatal(err)
	}
	run := runIn(t, spec, t.TempDir(), 1)
	evals, err := run.Evals(run.Variants[0].Cells[0])
	if err != nil {
		t.Fatal(err)
	}
	p, _ := spec.Variants[0].build()
	tr, err := newTrainer(p, policyOf(t, p), 0)
	if err != nil {
		t.Fatal(err)
	}
	for step := range p.train.Steps {
		if err := tr.step(step, nil); err != nil {
			t.Fatal(err)
		}
	}
	e, err := newEvaluator(p, tr.policy, 0)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := e.evaluate(p.train.Steps)
	if err != nil {
		t.Fatal(err)
	}
	if last := evals[len(evals)-1]; last.Exact || !rec.Exact {
		t.Errorf("the last evaluation is exact: %v; of an evaluator that knows nothing: %v; want false and true", last.Exact, rec.Exact)
	}
}

// stopped runs a spec until its first cell has made some steps and returns the file
// that says where it stands.
func stopped(t testing.TB, spec *Spec, out string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := spec.Run(ctx, Options{Out: out, Jobs: 1, Progress: func(done, _ int) {
		if done >= 10 {
			cancel()
		}
	}})
	left := besides(t, out, resumePrefix)
	if !errors.Is(err, context.Canceled) || len(left) != 1 {
		t.Fatalf("%v, and left %v; want a run that was stopped in one cell", err, left)
	}
	return left[0]
}

// TestDamagedResumePoints: what is not where this cell stands is told in one line that
// names the file, and nothing but the time is lost.
func TestDamagedResumePoints(t *testing.T) {
	everyStep(t)
	spec, whole := small(t), t.TempDir()
	runIn(t, spec, whole, 1)
	want := wholeCells(t, whole)
	good := func() (string, string, []byte) {
		out := t.TempDir()
		path := stopped(t, spec, out)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return out, path, data
	}
	edited := func(data []byte, edit func(*resumePoint)) []byte {
		point, err := parseResumePoint(data)
		if err != nil {
			t.Fatal(err)
		}
		edit(point)
		if data, err = point.bytes(); err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, c := range []struct {
		reason, want string
		damage       func([]byte) []byte
	}{
		{"nothing in it", "not an unfinished cell of this version", func([]byte) []byte { return nil }},
		{"another version", "not an unfinished cell of this version", func(d []byte) []byte { return bytes.Replace(d, []byte("cell 1"), []byte("cell 2"), 1) }},
		{"cut off in the checksum", "it is cut off", func(d []byte) []byte { return d[:len(resumeHeader)+5] }},
		{"cut off", "its checksum does not match", func(d []byte) []byte { return d[:len(d)-1] }},
		{"a bit of the policy", "its checksum does not match", func(d []byte) []byte { d[len(d)-9] ^= 4; return d }},
		{"a foreign file", "not an unfinished cell of this version", func([]byte) []byte { return []byte("#!/bin/sh\n") }},
		{"of another cell", `it is of another cell, "grpo-s7-0"`, func(d []byte) []byte { return edited(d, func(r *resumePoint) { r.Cell = "grpo-s7-0" }) }},
		{"behind the end", "step: got 21, want 1 to 20", func(d []byte) []byte { return edited(d, func(r *resumePoint) { r.Step = 21 }) }},
		{"batches that were not drawn", "generation: got 3 at step 11", func(d []byte) []byte { return edited(d, func(r *resumePoint) { r.Generation = 3 }) }},
		{"a question that is not there", "question 9, and there are 1", func(d []byte) []byte { return edited(d, func(r *resumePoint) { r.Unlisted = []int{9} }) }},
		{"times of some phases", "spent: got 0 and 1 steps", func(d []byte) []byte {
			return edited(d, func(r *resumePoint) { r.Spent = [phases][]float64{nil, {1}, nil, nil} })
		}},
		{"answers", "the cell keeps none", func(d []byte) []byte { return edited(d, func(r *resumePoint) { r.pools = []byte("{}\n") }) }},
		{"a policy of another kind", "not a checkpoint of a tabular policy", func(d []byte) []byte { return edited(d, func(r *resumePoint) { r.policy = []byte("x") }) }},
	} {
		out, path, data := good()
		if err := os.WriteFile(path, c.damage(data), 0o644); err != nil {
			t.Fatal(err)
		}
		var notes []string
		if _, err := spec.Run(context.Background(), Options{Out: out, Jobs: 1, Notes: func(line string) { notes = append(notes, line) }}); err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if len(notes) != 1 || !strings.HasPrefix(notes[0], path+": ") || !strings.Contains(notes[0], c.want) || strings.Contains(notes[0], "\n") {
			t.Errorf("%s: got %q, want one line with %q", c.reason, notes, c.want)
		}
		if d := cmp.Diff(want, wholeCells(t, out)); d != "" {
			t.Errorf("%s: other files:\n%.500s", c.reason, d)
		}
	}
}

// TestResumePointsAreWrittenOnTheWay: a run that is killed, not stopped, leaves what it
// wrote every so often; a method that does not train has nothing to go on from.
func TestResumePointsAreWrittenOnTheWay(t *testing.T) {
	everyStep(t)
	spec, out := small(t), t.TempDir()
	seen := 0
	_, err := spec.Run(context.Background(), Options{Out: out, Jobs: 1, Checkpoint: 1, Progress: func(done, _ int) {
		seen = max(seen, len(besides(t, out, resumePrefix)))
	}})
	if err != nil || seen != 1 {
		t.Errorf("%v, %d files on the way; want one", err, seen)
	}
	if left := besides(t, out, "."); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestFailedCellsStartOver: a cell that fails for a reason of its own leaves why, and
// not where it stands; a later success takes that away.
func TestFailedCellsStartOver(t *testing.T) {
	everyStep(t)
	spec, err := Parse("fail.toml", []byte(minimal+"[[method]]\nname = \"reinforce\"\nkl = \"k2\"\nkl_coef = 1\ntrain = { epochs = 2, lr = 1e308, optimizer = \"sgd\" }\n"))
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if _, err = spec.Run(context.Background(), Options{Out: out, Jobs: 1, Checkpoint: 1}); err == nil {
		t.Fatal("nothing failed")
	}
	if left := besides(t, out, resumePrefix); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	failures := besides(t, out, failedPrefix)
	if len(failures) != 2 {
		t.Fatalf("failures: %v, want two", failures)
	}
	id := strings.TrimPrefix(filepath.Base(failures[0]), failedPrefix)
	if why, ok := readFailure(filepath.Join(out, record.CellsDir), id); !ok || !strings.Contains(why, "step ") {
		t.Errorf("why: %q", why)
	}
	// The files of cells that are there are old.
	runIn(t, small(t), out, 1)
	done := filepath.Base(filepath.Dir(glob(t, filepath.Join(out, record.CellsDir, "grpo*", record.DoneFile))))
	for _, prefix := range []string{resumePrefix, failedPrefix} {
		if err := os.WriteFile(filepath.Join(out, record.CellsDir, prefix+done), []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runIn(t, small(t), out, 1)
	if left := besides(t, out, resumePrefix); len(left) > 0 || len(besides(t, out, failedPrefix)) != 2 {
		t.Errorf("files of a finished cell are still there: %v", left)
	}
}

func glob(t testing.TB, pattern string) string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v", pattern, err)
	}
	return paths[0]
}

// TestFailFast: the first failure ends the run, what was under way can be gone on with,
// and it does not count as an interruption.
func TestFailFast(t *testing.T) {
	everyStep(t)
	spec, err := Parse("fail.toml", []byte(strings.Replace(minimal, `name = "grpo"`, "name = \"reinforce\"\nkl = \"k2\"\nkl_coef = 1\ntrain = { epochs = 2, lr = 1e308, optimizer = \"sgd\" }\n[[method]]\nname = \"grpo\"", 1)))
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	_, err = spec.Run(context.Background(), Options{Out: out, Jobs: 1, FailFast: true})
	var cell *CellError
	if !errors.As(err, &cell) || errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "\n") || cell.Cell != 0 {
		t.Errorf("got %v, want the failure of the first cell alone", err)
	}
	if whole := besides(t, out, "grpo"); len(whole) > 0 {
		t.Errorf("cells behind the failure were run: %v", whole)
	}
}

func FuzzResumePoint(f *testing.F) {
	point := resumePoint{Cell: "grpo-s0-0123456789ab", Step: 3, Generation: 3, train: []byte("{}\n"), policy: []byte("p")}
	data, err := point.bytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(resumeHeader))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, file := range [][]byte{data, sealedPoint(data)} {
			point, err := parseResumePoint(file)
			if err != nil {
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("an error of several lines: %q", err)
				}
				continue
			}
			again, err := point.bytes()
			if err != nil {
				t.Fatal(err)
			}
			other, err := parseResumePoint(again)
			if err != nil || fmt.Sprint(point) != fmt.Sprint(other) {
				t.Errorf("%+v came back as %+v (%v)", point, other, err)
			}
		}
	})
}

package board

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
)

// tiny is a task that runs in a moment. Its budget is spent after 20 of its 30 steps.
const tiny = `
[env]
name = "bandit"
modes = 6
rewarded = 2
[train]
steps = 30
tokens = 320
problems = 1
batch = 1
group = 16
lr = 0.1
[eval]
every = 5
k = [1, 4]
samples = 64
measure = ["drawn"]
`

// twoSeeds is a stage of the tiny task.
var twoSeeds = Stage{"tuning", 1, 2, 0}

func tinyTask(t *testing.T) Task {
	t.Helper()
	task := Task{Name: "tiny", Policy: "tabular", Accuracy: "pass@1", Diversity: "coverage@4", Solved: "pass", Found: "coverage"}
	if err := task.read(tiny); err != nil {
		t.Fatal(err)
	}
	return task
}

// entry is a method at a setting, as its row has it.
func entry(method string, s Setting, pace int) Entry { return (&Row{Name: method}).entry(s, pace) }

func tinyEntries() []Entry {
	return []Entry{
		entry("grpo", setting(0.1, nil), 1), entry("grpo", setting(0.3, nil), 1),
		entry("rloo", setting(0.1, nil), 1), entry("vpo", setting(0.1, []Assignment{{"alpha", 1.0}}), 3),
	}
}

func runTiny(t *testing.T, task Task, entries []Entry) []*record.Run {
	t.Helper()
	return runTinyOn(t, task, entries, twoSeeds)[twoSeeds.Name]
}

// runTinyOn runs entries on stages, and returns the runs by the names of these.
func runTinyOn(t *testing.T, task Task, entries []Entry, stages ...Stage) map[string][]*record.Run {
	t.Helper()
	out, runs := t.TempDir(), map[string][]*record.Run{}
	for _, stage := range stages {
		specs, err := task.Specs(stage, entries, spec.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range specs {
			run, err := sweep.Run(t.Context(), s, sweep.Options{Out: out, Jobs: 2, Cache: out})
			if err != nil {
				t.Fatal(err)
			}
			runs[stage.Name] = append(runs[stage.Name], run)
		}
	}
	return runs
}

// tinyNetwork is a task with the smallest transformer, whose base policy is random.
const tinyNetwork = `
[env]
name = "bandit"
modes = 6
rewarded = 2
[policy]
name = "transformer"
layers = 1
width = 32
heads = 2
pretrain_steps = 0
legal_mask = true
[train]
steps = 6
tokens = 60
problems = 1
batch = 1
group = 16
[eval]
every = 2
k = [1, 4]
samples = 64
measure = ["drawn"]
split = "train"
problems = 1
`

// TestScoreWithATransformer: the base policy and the exact optimum are the references of a
// network's seed too, and its budget ends its training.
func TestScoreWithATransformer(t *testing.T) {
	task := Task{Name: "tiny", Policy: "transformer", Accuracy: "pass@1", Diversity: "coverage@4", Solved: "pass", Found: "coverage"}
	if err := task.read(tinyNetwork); err != nil {
		t.Fatal(err)
	}
	entries := []Entry{entry("grpo", setting(0.002, nil), 1), entry("vpo", setting(0.002, []Assignment{{"alpha", 1.0}}), 3)}
	runs := runTiny(t, task, entries)
	if got, want := filepath.Base(runs[0].Dir), "board-transformer-tiny-tuning"; got != want {
		t.Errorf("the run is %s, want %s, beside that of tables", got, want)
	}
	scored, err := task.Scored(runs, entries, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		for j := range twoSeeds.Seeds {
			seed := twoSeeds.FirstSeed + j
			base, optimum := exptest.Evals(t, runs[i], Base, seed)[0]["pass@1"], exptest.Evals(t, runs[i], Optimum, seed)[0]["pass@1"]
			own := exptest.Evals(t, runs[i], e.label(), seed)
			last := own[len(own)-1]
			if want := (last["pass@1"] - base) / (1 - base); optimum != 1 || math.Abs(scored[i].Values["accuracy"][j]-want) > 1e-12 {
				t.Errorf("%s, seed %d: accuracy %v, want %v, and an optimum of 1, not %v", e.Method, seed, scored[i].Values["accuracy"][j], want, optimum)
			}
			if drawn := last["drawn_tokens"]; drawn < 60 || drawn > 96 {
				t.Errorf("%s, seed %d drew %v tokens of 60", e.Method, seed, drawn)
			}
		}
	}
}

// TestScoreOfARun works out the columns anew from the evaluations of a run as its files have them.
func TestScoreOfARun(t *testing.T) {
	task, entries := tinyTask(t), tinyEntries()
	runs := runTiny(t, task, entries)
	scored, err := task.Scored(runs, entries, nil)
	if err != nil {
		t.Fatal(err)
	}
	for at, e := range entries {
		run, got := runs[min(e.Pace-1, 1)], scored[at]
		for i := range twoSeeds.Seeds {
			seed := twoSeeds.FirstSeed + i
			base, optimum := exptest.Evals(t, run, Base, seed)[0], exptest.Evals(t, run, Optimum, seed)[0]
			way := func(name string, x float64) float64 { return (x - base[name]) / (optimum[name] - base[name]) }
			own := exptest.Evals(t, run, e.label(), seed)
			last := own[len(own)-1]
			if last["drawn_tokens"] < 300 || last["drawn_tokens"] > 400 {
				t.Errorf("%s drew %v tokens of 320", e.label(), last["drawn_tokens"])
			}
			want := map[string]float64{
				"accuracy": way("pass@1", last["pass@1"]), "diversity": last["coverage@4"], "distinct": last["distinct_correct"],
				"entropy": last["entropy_mode"], "best@64": math.NaN(), "ew_best@64": math.NaN(), "solved@64": math.NaN(), // k ends at 4
			}
			const slices = 100000
			for j := range slices {
				most := 0.0
				for _, m := range own {
					if way("pass@1", m["pass@1"]) >= (float64(j)+.5)/slices {
						most = max(most, m["coverage@4"])
					}
				}
				want["area"] += most / slices
			}
			part, j := firstAt(own, func(m map[string]float64) float64 { return m["drawn_tokens"] }, 160)
			want["halfway"] = (1-part)*way("pass@1", own[j-1]["pass@1"]) + part*way("pass@1", own[j]["pass@1"])
			want["gain"], want["solved@16_gain"], want["end_gain"] = math.NaN(), math.NaN(), math.NaN() // without a reference
			want["collapsed"] = 0
			for j := len(own) - 1; j >= 0 && own[j]["entropy_mode"] <= own[0]["entropy_mode"]/10; j-- {
				want["collapsed"] = 1
			}
			p := func(m map[string]float64) float64 { return m["pass@1"] }
			part, j = firstAt(own, p, p(own[0])+.9*(p(last)-p(own[0])))
			want["tokens90"] = ((1-part)*own[j-1]["drawn_tokens"] + part*own[j]["drawn_tokens"]) / 320
			for _, c := range Columns {
				x, known := want[c.Name]
				if y := got.Values[c.Name][i]; !known || math.IsNaN(x) != math.IsNaN(y) || math.Abs(x-y) > 1e-4 {
					t.Errorf("%s, seed %d: %s is %v, want %v", e.label(), seed, c.Name, y, x)
				}
			}
			for k, n := range task.K {
				if got.Solved[i][k] != last[fmt.Sprintf("pass@%d", n)] || got.Found[i][k] != last[fmt.Sprintf("coverage@%d", n)] {
					t.Errorf("%s, seed %d: curves %v and %v at %d, want those of %v", e.label(), seed, got.Solved[i], got.Found[i], n, last)
				}
			}
			trace := got.Traces[i]
			if e.Pace == 1 && (len(trace) != 5 || len(own) != 7) || trace[len(trace)-1].Drawn != last["drawn_tokens"] {
				t.Errorf("%s: a trace of %d evaluations, of %d", e.label(), len(trace), len(own))
			}
		}
	}
	one, other := scored[0], scored[2]
	if one.Same == scored[1].Same || one.Cells == other.Cells || len(one.Same) != 16 {
		t.Errorf("hashes %q %q of different records", one.Same, one.Cells)
	}
}

// firstAt is the first evaluation that has a level, and the part of the way to it from the one before.
func firstAt(own []map[string]float64, of func(map[string]float64) float64, level float64) (part float64, at int) {
	for j, m := range own {
		if of(m) >= level {
			if j == 0 {
				return 1, 0
			}
			return (level - of(own[j-1])) / (of(m) - of(own[j-1])), j
		}
	}
	return 0, -1
}

// TestRecordsThatCannotBeScored: a missing part is an error that names it, and no number.
func TestRecordsThatCannotBeScored(t *testing.T) {
	task, entries := tinyTask(t), tinyEntries()[:1]
	runs := runTiny(t, task, entries)
	if _, err := task.Scored(runs, tinyEntries()[:2], nil); err == nil || !strings.Contains(err.Error(), `task tiny: the runs lack "grpo: lr=0.3"`) {
		t.Errorf("an entry that was not run: %v", err)
	}
	lacking := task
	lacking.Diversity = "coverage@64"
	if _, err := lacking.Scored(runs, entries, nil); err == nil || !strings.Contains(err.Error(), "coverage@64") {
		t.Errorf("a metric that was not measured: %v", err)
	}
	lacking = task
	lacking.Accuracy = "front_coverage@4"
	if _, err := lacking.Scored(runs, entries, nil); err == nil || !strings.Contains(err.Error(), "front_coverage@4") {
		t.Errorf("a metric that was not measured: %v", err)
	}
	for _, name := range []string{Base, Optimum} {
		short := *runs[0]
		short.Variants = slices.DeleteFunc(slices.Clone(short.Variants), func(v record.Variant) bool { return v.Name == name })
		if _, err := task.Scored([]*record.Run{&short}, entries, nil); err == nil || !strings.Contains(err.Error(), "task tiny: seed 1: ") || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestTrained(t *testing.T) {
	points := func(drawn ...float64) (out Trace) {
		for _, d := range drawn {
			out = append(out, Point{Drawn: d})
		}
		return out
	}
	for _, c := range []struct {
		drawn []float64
		want  int
	}{{[]float64{0}, 1}, {[]float64{0, 0, 0}, 1}, {[]float64{0, 5, 9}, 3}, {[]float64{0, 5, 9, 9, 9}, 3}, {[]float64{0, 5, 5, 9}, 4}} {
		if got := points(c.drawn...).trained(); len(got) != c.want {
			t.Errorf("of evaluations at %v, %d are kept, want %d", c.drawn, len(got), c.want)
		}
	}
}

// TestAccuracyIsOfTheFirstAnswer: of a chain of answers the first one counts on every task, so accuracy is a metric
// at 1: the mean reward is of all answers.
func TestAccuracyIsOfTheFirstAnswer(t *testing.T) {
	for _, policy := range []string{"tabular", "transformer"} {
		tasks, err := Tasks(policy)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			if !strings.HasSuffix(task.Accuracy, "@1") {
				t.Errorf("%s, %s: accuracy is %s", policy, task.Name, task.Accuracy)
			}
		}
	}
}

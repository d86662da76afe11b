package train

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/internal/rng"
	"modebench/metrics"
	"modebench/policies"
)

// TestBoundaryOfRecordedAnswers: the effect of training on each problem follows from the answers
// that the run recorded, judged again.
func TestBoundaryOfRecordedAnswers(t *testing.T) {
	run := trained(t, exptest.Load(t, "t.toml", boundarySpec(2, 30, 15, `keep = 12
measure = ["boundary"]`)), t.TempDir())
	lostAny, gainedAny := false, false
	for _, ref := range run.Variants[0].Cells {
		evals, err := run.Evals(ref)
		if err != nil {
			t.Fatal(err)
		}
		pools, err := run.Pools(ref)
		if err != nil {
			t.Fatal(err)
		}
		before := solvedBy(pools, 0)
		for _, e := range evals {
			now := solvedBy(pools, e.Step)
			if d := cmp.Diff(now.solved, e.Solved); d != "" {
				t.Errorf("step %d: solved (-answers +record):\n%s", e.Step, d)
			}
			was, lost, gained := 0, 0, 0
			for i, b := range before.solved {
				if b == 1 {
					was++
					lost += int(1 - now.solved[i])
				} else {
					gained += int(now.solved[i])
				}
			}
			want := map[string]float64{
				metrics.LostMetric: float64(lost) / float64(was), metrics.GainedMetric: float64(gained) / float64(12-was),
				"cover_10": now.covered(1), "cover_50": now.covered(4), "cover_90": now.covered(8), // of 8 answers
			}
			if u := now.unsolved(); len(u) > 0 {
				want["distinct_unsolved"] = mean(u)
			} else if _, has := e.Metrics["distinct_unsolved"]; has {
				t.Errorf("step %d: distinct answers of no problem", e.Step)
			}
			for name, x := range want {
				if math.Abs(e.Metrics[name]-x) > 1e-12 {
					t.Errorf("step %d: %s is %v, want %v", e.Step, name, e.Metrics[name], x)
				}
			}
			lostAny, gainedAny = lostAny || lost > 0, gainedAny || gained > 0
		}
		if first := evals[0].Metrics; first[metrics.LostMetric] != 0 || first[metrics.GainedMetric] != 0 || first[metrics.CrossingMetric] != 3 {
			t.Errorf("before training: %v", first)
		}
	}
	if !lostAny || !gainedAny {
		t.Errorf("no run lost a problem (%v) or none gained one (%v): nothing was tested", lostAny, gainedAny)
	}
}

// nullSpec is of a policy whose second pool solves other problems than its first one.
var nullSpec = boundarySpec(3, 6, 3, `measure = ["boundary", "boundary_null"]`)

// boundarySpec is of a policy that leaves some Countdown problems unsolved by eight answers, with more
// lines for its evaluations.
func boundarySpec(seeds, steps, every int, eval string) string {
	return fmt.Sprintf(`
title = "boundary"
seeds = %d
[env]
name = "countdown"
min_modes = 1
q = 0.3
[train]
steps = %d
problems = 12
batch = 12
group = 4
optimizer = "adam"
lr = 0.2
[eval]
every = %d
k = [1, 2, 8]
samples = 8
enumerate = 0
%s
[[method]]
name = "grpo"
`, seeds, steps, every, eval)
}

// TestNullOfASecondPool: the null counts the problems that a second pool of the policy before
// training, drawn and judged here again, loses and gains against the first one. Every evaluation
// has it.
func TestNullOfASecondPool(t *testing.T) {
	s := exptest.Load(t, "t.toml", nullSpec)
	run := trained(t, s, t.TempDir())
	moved := 0.0
	for _, ref := range run.Variants[0].Cells {
		evals, err := run.Evals(ref)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Variants[0].SetupFor(ref.Seed)
		if err != nil {
			t.Fatal(err)
		}
		asked, err := prompts(t.Context(), p, envs.Split(p.Eval.Split), 12)
		if err != nil {
			t.Fatal(err)
		}
		policy, _, err := (&Bases{opt: BaseOptions{Dir: t.TempDir()}}).policy(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		key := rng.New(uint64(ref.Seed)).Str("eval, again")
		was, lost, gained := 0.0, 0.0, 0.0
		pass := []float64{0, 0, 0} // of 1, 2 and 8 of 8 answers
		for i, q := range asked {
			groups, err := policy.Sample(q.tasks, 8, policies.SampleOptions{Temperature: 1, TopP: 1, Key: key, Context: t.Context()})
			if err != nil {
				t.Fatal(err)
			}
			correct := 0.0
			for _, r := range groups[0].Rollouts {
				if q.problem.Judge(r.Tokens).Correct {
					correct++
				}
			}
			solved := min(correct, 1)
			pass[0] += correct / 8 / 12
			pass[1] += (1 - (8-correct)*(7-correct)/(8*7)) / 12
			pass[2] += solved / 12
			before := evals[0].Solved[i]
			was, lost, gained = was+before, lost+before*(1-solved), gained+(1-before)*solved
		}
		first := evals[0].Metrics
		crossing, _ := metrics.Crossing([]int{1, 2, 8}, []float64{first["pass@1"], first["pass@2"], first["pass@8"]}, pass)
		want := map[string]float64{"lost_null": lost / was, "gained_null": gained / (12 - was), "crossing_null": crossing}
		for _, e := range evals {
			for name, x := range want {
				if got, has := e.Metrics[name]; !has || math.Abs(got-x) > 1e-9 {
					t.Errorf("seed %d, step %d: %s is %v (%v), want %v", ref.Seed, e.Step, name, got, has, x)
				}
			}
		}
		moved += lost * gained
	}
	if moved == 0 {
		t.Error("no second pool lost and gained a problem: nothing was tested")
	}
}

// TestNullMovesNoRecord: with the null and without it, all else that a cell records is the same.
func TestNullMovesNoRecord(t *testing.T) {
	with := trained(t, exptest.Load(t, "t.toml", nullSpec), t.TempDir())
	without := trained(t, exptest.Load(t, "t.toml", strings.Replace(nullSpec, `, "boundary_null"`, "", 1)), t.TempDir())
	for i, ref := range with.Variants[0].Cells {
		got, err := with.Evals(ref)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range got {
			n := len(e.Metrics)
			maps.DeleteFunc(e.Metrics, func(name string, _ float64) bool { return strings.HasSuffix(name, metrics.NullSuffix) })
			if n-len(e.Metrics) != 3 {
				t.Errorf("step %d: %d metrics are a null, want 3", e.Step, n-len(e.Metrics))
			}
		}
		other := without.Variants[0].Cells[i]
		want, err := without.Evals(other)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("seed %d: evaluations (-without +with):\n%s", ref.Seed, d)
		}
		for _, name := range []string{record.TrainFile, record.CheckpointFile} {
			a, err := os.ReadFile(filepath.Join(with.Folder(ref), name))
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(filepath.Join(without.Folder(other), name))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Errorf("seed %d: %s differs", ref.Seed, name)
			}
		}
	}
}

// TestNullOfAnswersThatAreListed: where all answers can be listed nothing is drawn. Two pools
// then differ as two draws of the policy would, a problem solved by one of them and not by the
// other, and their curves are one.
func TestNullOfAnswersThatAreListed(t *testing.T) {
	run := trained(t, exptest.Load(t, "t.toml", `
seeds = 1
[env]
name = "bandit"
[train]
steps = 2
[eval]
every = 2
k = [1, 2]
measure = ["boundary", "boundary_null"]
[[method]]
name = "grpo"
`), t.TempDir())
	evals, err := run.Evals(run.Variants[0].Cells[0])
	if err != nil {
		t.Fatal(err)
	}
	p := evals[0].Solved[0] // of the one problem
	for _, e := range evals {
		for name, want := range map[string]float64{"lost_null": 1 - p, "gained_null": p, "crossing_null": 1} {
			if got, has := e.Metrics[name]; !has || math.Abs(got-want) > 1e-12 {
				t.Errorf("step %d: %s is %v (%v), want %v", e.Step, name, got, has, want)
			}
		}
	}
	if !(p > 0 && p < 1) {
		t.Errorf("two answers solve the problem with probability %v: nothing was tested", p)
	}
}

// judged holds the results of the answers to each problem.
type judged struct {
	solved   []float64 // 1: some answer is correct
	correct  []int
	distinct []float64 // distinct answers by mode
}

func solvedBy(pools []record.Pool, step int) judged {
	var c judged
	for _, pool := range pools {
		if pool.Step != step {
			continue
		}
		n, modes := 0, []string{}
		for _, a := range pool.Answers {
			if a.Correct {
				n++
			}
			if !slices.Contains(modes, a.Mode) {
				modes = append(modes, a.Mode)
			}
		}
		c.solved, c.correct, c.distinct = append(c.solved, float64(min(n, 1))), append(c.correct, n), append(c.distinct, float64(len(modes)))
	}
	return c
}

// covered is the share of problems with that many correct answers.
func (c judged) covered(least int) float64 {
	n := 0
	for _, correct := range c.correct {
		if correct >= least {
			n++
		}
	}
	return float64(n) / float64(len(c.correct))
}

// unsolved lists the distinct answers to the problems that no answer solves.
func (c judged) unsolved() []float64 {
	var out []float64
	for i, correct := range c.correct {
		if correct == 0 {
			out = append(out, c.distinct[i])
		}
	}
	return out
}

// mean is the average, summed in order.
func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

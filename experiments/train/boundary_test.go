package train

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/metrics"
)

// TestBoundaryOfRecordedAnswers: what training made of each problem is judged again from
// the answers that the run recorded.
func TestBoundaryOfRecordedAnswers(t *testing.T) {
	run := trained(t, exptest.Load(t, "t.toml", `
title = "boundary"
seeds = 2
[env]
name = "countdown"
min_modes = 1
q = 0.3
[train]
steps = 30
problems = 12
batch = 12
group = 4
optimizer = "adam"
lr = 0.2
[eval]
every = 15
k = [1, 2, 8]
samples = 8
enumerate = 0
keep = 12
measure = ["boundary"]
[[method]]
name = "grpo"
`), t.TempDir())
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
				want[metrics.UnsolvedMetric] = mean(u)
			} else if _, has := e.Metrics[metrics.UnsolvedMetric]; has {
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

// judged is what the answers to each problem came to.
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

// covered is the share of problems with so many correct answers.
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

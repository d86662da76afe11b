package train

import (
	"math"
	"testing"

	"modebench/experiments/internal/exptest"
	"modebench/metrics"
)

// TestLawOfRecordedEvaluations: the law of a cell is fitted again from its records, by the
// normal equations, and so is the error of the early one.
func TestLawOfRecordedEvaluations(t *testing.T) {
	run := trained(t, exptest.Load(t, "t.toml", `
title = "law"
seeds = 1
[env]
name = "countdown"
[train]
steps = 40
problems = 8
batch = 8
optimizer = "adam"
lr = 0.1
[eval]
every = 2
enumerate = 0
samples = 16
k = [1]
measure = ["law"]
[[method]]
name = "grpo"
`), t.TempDir())
	evals, err := run.Evals(run.Variants[0].Cells[0])
	if err != nil {
		t.Fatal(err)
	}
	fit := func(n int) (a, b float64) {
		var s, x, y, xx, xy float64
		for _, e := range evals[:n] {
			u, v := math.Exp(e.Metrics["entropy_token"]), e.Metrics["accuracy"]
			s, x, y, xx, xy = s+1, x+u, y+v, xx+u*u, xy+u*v
		}
		slope := (s*xy - x*y) / (s*xx - x*x)
		return -slope, (y - slope*x) / s
	}
	for n := range evals {
		m := evals[n].Metrics
		if n < 2 {
			if _, has := m[metrics.LawAMetric]; has {
				t.Errorf("a law of %d evaluations", n+1)
			}
			continue
		}
		a, b := fit(n + 1)
		if math.Abs(m[metrics.LawAMetric]-a) > 1e-9 || math.Abs(m[metrics.LawBMetric]-b) > 1e-9 {
			t.Errorf("step %d: a %v, b %v; want %v, %v", evals[n].Step, m[metrics.LawAMetric], m[metrics.LawBMetric], a, b)
		}
		got, has := m[metrics.LawErrorMetric]
		if early := evals[n].Step <= 6; early == has { // 15% of 40 steps
			t.Errorf("step %d: it has an error: %v", evals[n].Step, has)
		}
		if has {
			a, b := fit(4) // of steps 0, 2, 4, 6
			if want := m["accuracy"] - (b - a*math.Exp(m["entropy_token"])); math.Abs(got-want) > 1e-9 {
				t.Errorf("step %d: error %v, want %v", evals[n].Step, got, want)
			}
		}
	}
}

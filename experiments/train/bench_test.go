package train

import (
	"strconv"
	"strings"
	"testing"

	"modebench/envs/envtest"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/spec"
)

// banditTrainer is the default bandit (12 arms, groups of 8, Adam) under a method.
func banditTrainer(tb testing.TB, method string) *trainer {
	tb.Helper()
	p, err := exptest.Variant(tb, "bandit", method).Setup()
	if err != nil {
		tb.Fatal(err)
	}
	t, err := newTrainer(tb.Context(), p, policyOf(tb, p), 0)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// BenchmarkStep times whole training steps of the runner, sampling, judging,
// estimating and updating, in runs of the default length one after the other: a
// policy that has collapsed for good steps faster than one that still learns.
// The target is 2,000,000 GRPO steps a second on the 12-armed bandit. x-python is
// how many times a plain Python loop of the same step is slower (PyTorch and
// NumPy are slower still at this size: 7.6k and 19k steps a second were measured
// where plain Python made 101k).
func BenchmarkStep(b *testing.B) {
	baseline := pythonSteps(b)
	for _, method := range []string{"grpo", "poly-epo", "setpo+grpo"} {
		b.Run(method, func(b *testing.B) {
			t := banditTrainer(b, method)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				step := i % t.Train.Steps
				if step == 0 {
					b.StopTimer()
					t = banditTrainer(b, method)
					b.StartTimer()
				}
				if err := t.step(step, nil); err != nil {
					b.Fatal(err)
				}
			}
			rate := float64(b.N) / b.Elapsed().Seconds()
			b.ReportMetric(rate, "steps/s")
			if baseline > 0 && method == "grpo" {
				b.ReportMetric(rate/baseline, "x-python")
			}
		})
	}
}

// BenchmarkTokens times whole training steps of answers of several tokens, on
// twenty problems, from the untrained policy to the hundredth step and again, in
// tokens sampled, judged and learned from. The target is 1,000,000 tokens a second
// on one core.
func BenchmarkTokens(b *testing.B) {
	for _, c := range []struct{ env, method string }{
		{"maze", "grpo@vpo"}, {"maze", "max-at-k"}, {"maze", "multi-rlvr"}, {"maze", "vpo"},
		{"countdown", "grpo"}, {"countdown", "poly-epo"}, {"countdown", "setpo+grpo"},
		{"multiplication", "grpo"}, {"multiplication", "poly-epo"}, {"multiplication", "setpo+grpo"},
		{"polynomial", "grpo"}, {"polynomial", "poly-epo"}, {"polynomial", "setpo+grpo"},
	} {
		b.Run(c.env+"/"+c.method, func(b *testing.B) {
			p, err := exptest.Variant(b, c.env, c.method, exptest.Set("train", "problems", 20), exptest.Set("train", "batch", 20)).Setup()
			if err != nil {
				b.Fatal(err)
			}
			benchTokens(b, p)
		})
	}
}

func benchTokens(b *testing.B, p *spec.Setup) {
	const steps = 100
	var t *trainer
	tokens := 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%steps == 0 {
			b.StopTimer()
			var err error
			if t, err = newTrainer(b.Context(), p, policyOf(b, p), 0); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
		if err := t.step(i%steps, nil); err != nil {
			b.Fatal(err)
		}
		for g := range t.batch.Groups {
			for r := range t.batch.Groups[g].Rollouts {
				tokens += t.batch.Groups[g].Rollouts[r].Tokens
			}
		}
	}
	b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
}

// pythonSteps runs the baseline script; 0 without Python.
func pythonSteps(b *testing.B) float64 {
	b.Helper()
	out := envtest.Python(b, nil, "testdata/bandit_step.py", "30000")
	if out == nil {
		return 0
	}
	rate, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return rate
}

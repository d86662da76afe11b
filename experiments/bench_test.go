package experiments

import "testing"

// banditTrainer is the default bandit (12 arms, groups of 8, Adam) under a method.
func banditTrainer(tb testing.TB, method string) *trainer {
	tb.Helper()
	v := Variant{env: "bandit", policy: "tabular", Method: method}
	p, at := v.build()
	if at != nil {
		tb.Fatal(at.err)
	}
	t, err := newTrainer(p, 0)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// BenchmarkStep times whole training steps of the runner, sampling, judging,
// estimating and updating. The target is 2,000,000 GRPO steps a second
// on the 12-armed bandit; what users would run instead was measured at 7.6k
// (PyTorch), 19k (NumPy) and 101k (pure Python).
func BenchmarkStep(b *testing.B) {
	for _, method := range []string{"grpo", "poly-epo", "setpo+grpo"} {
		b.Run(method, func(b *testing.B) {
			// Runs of the default length, one after the other: a policy that has
			// collapsed for good steps faster than one that still learns.
			var t *trainer
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				step := i % DefaultTrain().Steps
				if step == 0 {
					t = banditTrainer(b, method)
				}
				if err := t.step(step, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

package train

import (
	"math"
	"testing"

	"modebench/experiments/internal/exptest"
)

// TestLengthsOfRecordedPools: the lengths of right and of wrong answers are those of the
// answers that are recorded. Where all are known, both together are the mean length.
func TestLengthsOfRecordedPools(t *testing.T) {
	for _, c := range []struct {
		reason, env string
		exact       bool
	}{
		{"answers are drawn", "[env]\nname = \"derivation\"\n", false},
		{"there are few", "[env]\nname = \"derivation\"\nsteps = 1\ndistractors = 0\n", true},
	} {
		run := trained(t, exptest.Load(t, "t.toml", c.env+`
[train]
steps = 2
problems = 6
batch = 6
lr = 0.1
[eval]
every = 1
k = [1]
keep = 6
measure = ["rollouts", "lengths"]
[[method]]
name = "grpo"
`), t.TempDir())
		cell := run.Variants[0].Cells[0]
		evals, err := run.Evals(cell)
		if err != nil {
			t.Fatal(err)
		}
		pools, err := run.Pools(cell)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range evals {
			right, wrong := e.Metrics["tokens_right"], e.Metrics["tokens_wrong"]
			accuracy := e.Metrics["accuracy"]
			if got := accuracy*right + (1-accuracy)*wrong; math.Abs(got-e.Metrics["tokens"]) > 1e-9 {
				t.Errorf("%s, step %d: %v tokens of right answers and %v of wrong ones make %v, want %v", c.reason, e.Step, right, wrong, got, e.Metrics["tokens"])
			}
			if e.Exact != c.exact {
				t.Errorf("%s: exact: %v", c.reason, e.Exact)
			}
			if e.Exact {
				continue
			}
			var tokens, n float64
			for _, p := range pools {
				for _, a := range p.Answers {
					if p.Step == e.Step && !a.Correct {
						tokens, n = tokens+float64(len(a.Tokens)), n+1
					}
				}
			}
			if n == 0 || math.Abs(wrong-tokens/n) > 1e-9 {
				t.Errorf("%s, step %d: wrong answers have %v tokens, want %v of %v of them", c.reason, e.Step, wrong, tokens/n, n)
			}
		}
	}
}

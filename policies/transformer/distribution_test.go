package transformer

import (
	"math"
	"slices"
	"testing"

	"modebench/internal/rng"
	"modebench/policies"
)

// TestDistributionsOfTokens: Flatten describes the distribution that each token was drawn
// from agrees with the token's own probability, and advantages of tokens come in their order.
func TestDistributionsOfTokens(t *testing.T) {
	for _, mask := range []bool{true, false} {
		w := mazes(t)
		p := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Mask = mask })
		groups := sample(t, p, w.tasks(t, 2), 3, policies.SampleOptions{Temperature: 0.9, TopP: 1, Key: rng.New(5)})
		b := policies.Batch{Groups: groups, Want: policies.Want{Squares: true, Legal: true, Entropy: true, Top: 2}, Temperature: 0.9}
		var flat []float64
		for _, g := range groups {
			var own [][]float64
			for _, r := range g.Rollouts {
				list := make([]float64, len(r.Tokens))
				for k := range list {
					list[k] = float64(len(flat) + k)
				}
				own, flat = append(own, list), append(flat, list...)
			}
			b.TokenAdvantages = append(b.TokenAdvantages, own)
		}
		l, err := p.Flatten(b)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(l.Groups, []int{0, 3, 6}) {
			t.Errorf("groups %v, want two of three rollouts", l.Groups)
		}
		if !slices.Equal(l.TokenAdvantage, flat) || len(l.Squares) != len(flat) || len(l.Legal) != len(flat) || len(l.Likeliest) != len(flat) || len(l.DTop) != len(flat) {
			t.Fatalf("advantages %v, want %v; %d and %d distributions", l.TokenAdvantage, flat, len(l.Squares), len(l.Legal))
		}
		for k, legal := range l.Legal {
			total, squares, entropy, drawn := 0.0, 0.0, 0.0, false
			for _, p := range legal {
				total += p
				squares += p * p
				if p > 0 {
					entropy -= p * math.Log(p)
				}
				drawn = drawn || math.Abs(math.Log(p)-l.Logp[k]) < 1e-4
			}
			if math.Abs(total-1) > 1e-4 || math.Abs(squares-l.Squares[k]) > 1e-6 || math.Abs(entropy-l.Entropy[k]) > 1e-4 || !drawn {
				t.Errorf("mask %v, token %d: %v with squares %v, entropy %v, log-probability %v", mask, k, legal, l.Squares[k], l.Entropy[k], l.Logp[k])
			}
			if largest := math.Log(slices.Max(legal)); l.Likeliest[k] != (l.Logp[k] > largest-1e-6) {
				t.Errorf("mask %v, token %d of log-probability %v is said to be the likeliest: %v; that has %v", mask, k, l.Logp[k], l.Likeliest[k], largest)
			}
			if !mask && len(legal) != p.shape.vocabulary {
				t.Errorf("%d tokens may be drawn, want all %d", len(legal), p.shape.vocabulary)
			}
		}
		b.Want, b.TokenAdvantages = policies.Want{}, nil
		if l, err := p.Flatten(b); err != nil || len(l.Squares)+len(l.Legal)+len(l.Likeliest)+len(l.DTop)+len(l.TokenAdvantage) != 0 {
			t.Errorf("nobody asked, and there are %v, %v, %v (%v)", l.Squares, l.Legal, l.TokenAdvantage, err)
		}
	}
}

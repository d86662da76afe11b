package tabular_test

import (
	"math"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/policies"
	"modebench/policies/tabular"
)

// TestDistributionsOfTokens: Flatten describes the distribution that each token was drawn
// from agrees with the token's own probability and the entropy, for rollouts that were just
// sampled and for those that are walked again; and advantages of tokens come in their order.
func TestDistributionsOfTokens(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p := tabular.New(*tabular.Default(), sgd(1))
	opt := plain(3)
	opt.Temperature = 0.7
	groups, err := p.Sample([]envs.Task{g}, 12, opt)
	if err != nil {
		t.Fatal(err)
	}
	again := []policies.Group{{Task: g, Rollouts: slices.Clone(groups[0].Rollouts)}}
	for _, groups := range [][]policies.Group{groups, again} {
		b := policies.Batch{Groups: groups, Want: policies.Want{Squares: true, Legal: true, Entropy: true, Top: 2}, Temperature: 0.7, Advantages: [][]float64{make([]float64, 12)}}
		own := make([][]float64, 12)
		var flat []float64
		for i, r := range groups[0].Rollouts {
			for range r.Tokens {
				flat = append(flat, float64(len(flat)))
			}
			own[i] = flat[len(flat)-len(r.Tokens):]
		}
		b.TokenAdvantages = [][][]float64{own}
		l, err := p.Flatten(b)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(l.TokenAdvantage, flat) || len(l.Squares) != len(flat) || len(l.Legal) != len(flat) || len(l.Likeliest) != len(flat) || len(l.DTop) != len(flat) {
			t.Fatalf("advantages %v, want %v; %d and %d distributions", l.TokenAdvantage, flat, len(l.Squares), len(l.Legal))
		}
		if !slices.Equal(l.Groups, []int{0, 12}) {
			t.Errorf("groups %v, want one of twelve rollouts", l.Groups)
		}
		for k, legal := range l.Legal {
			total, squares, entropy, drawn := 0.0, 0.0, 0.0, false
			for _, p := range legal {
				total += p
				squares += p * p
				entropy -= p * math.Log(p)
				drawn = drawn || math.Abs(math.Log(p)-l.Logp[k]) < 1e-12
			}
			if math.Abs(total-1) > 1e-12 || math.Abs(squares-l.Squares[k]) > 1e-12 || math.Abs(entropy-l.Entropy[k]) > 1e-12 || !drawn {
				t.Errorf("token %d: %v with squares %v, entropy %v, log-probability %v", k, legal, l.Squares[k], l.Entropy[k], l.Logp[k])
			}
			if largest := math.Log(slices.Max(legal)); l.Likeliest[k] != (l.Logp[k] > largest-1e-12) {
				t.Errorf("token %d of log-probability %v is said to be the likeliest: %v; that has %v", k, l.Logp[k], l.Likeliest[k], largest)
			}
		}
		b.Want, b.TokenAdvantages = policies.Want{}, nil
		if l, err := p.Flatten(b); err != nil || len(l.Squares)+len(l.Legal)+len(l.Likeliest)+len(l.DTop)+len(l.TokenAdvantage) != 0 {
			t.Errorf("nobody asked, and there are %v, %v, %v (%v)", l.Squares, l.Legal, l.TokenAdvantage, err)
		}
		b.TokenAdvantages = [][][]float64{own[1:]}
		_, err = p.Flatten(b)
		wantError(t, err, "task one: advantages of tokens for 11 rollouts, want 12")
		b.TokenAdvantages = [][][]float64{append([][]float64{nil}, own[1:]...)}
		_, err = p.Flatten(b)
		wantError(t, err, "rollout 0 of the batch has 0 advantages for")
	}
}

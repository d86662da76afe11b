package tabular_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/policies"
	"modebench/policies/tabular"
)

// textbook is an optimiser as its paper prints it (Kingma and Ba, 2015,
// algorithm 1), one instance per row of parameters.
type textbook struct {
	o    policies.Optimizer
	t    int
	m, v []float64
}

func (b *textbook) step(theta, grad []float64) {
	if b.o.Name == "sgd" {
		for j, g := range grad {
			theta[j] -= b.o.LR * g
		}
		return
	}
	if b.m == nil {
		b.m, b.v = make([]float64, len(grad)), make([]float64, len(grad))
	}
	b.t++
	for j, g := range grad {
		b.m[j] = b.o.Beta1*b.m[j] + (1-b.o.Beta1)*g
		b.v[j] = b.o.Beta2*b.v[j] + (1-b.o.Beta2)*g*g
		mHat := b.m[j] / (1 - math.Pow(b.o.Beta1, float64(b.t)))
		vHat := b.v[j] / (1 - math.Pow(b.o.Beta2, float64(b.t)))
		theta[j] -= b.o.LR * mHat / (math.Sqrt(vHat) + b.o.AdamEps)
	}
}

// policyGradient is the gradient of the loss reinforce, row by row: the
// textbook's 1[j=a] - p_j for each token, times its weight.
func policyGradient(m model, b policies.Batch) deltas {
	grad, tokens := deltas{}, 0
	for _, group := range b.Groups {
		for _, r := range group.Rollouts {
			tokens += len(r.Tokens)
		}
	}
	for i, group := range b.Groups {
		g := group.Task.(*priored)
		for j, r := range group.Rollouts {
			for k, state := range g.states(r.Tokens) {
				key, logp := m.key(g, state), m.logp(g, state)
				if grad[key] == nil {
					grad[key] = make([]float64, len(logp))
				}
				for a, l := range logp {
					d := -math.Exp(l)
					if a == g.index(state, r.Tokens[k]) {
						d++
					}
					grad[key][a] -= b.Advantages[i][j] / float64(tokens) * d
				}
			}
		}
	}
	return grad
}

// TestOptimizers trains on a different handful of answers each step, so that
// rows are visited at different times: each keeps a step count of its own, and
// one that a batch does not visit stays as it is to the bit.
func TestOptimizers(t *testing.T) {
	for _, c := range []struct {
		reason string
		opt    policies.Optimizer
	}{
		{"the default", policies.DefaultOptimizer()},
		{"other decays, a large epsilon", policies.Optimizer{Name: "adam", LR: 0.03, Beta1: 0.5, Beta2: 0.9, AdamEps: 1e-2}},
		{"no momentum", policies.Optimizer{Name: "adam", LR: 0.1, Beta1: 0, Beta2: 0.99, AdamEps: 1e-8}},
		{"no decay at all: the sign of the gradient", policies.Optimizer{Name: "adam", LR: 0.1, AdamEps: 1e-8}},
		{"plain gradient descent", sgd(0.7)},
	} {
		for _, sharing := range []string{"problem", "shared"} {
			t.Run(c.reason+"/"+sharing, func(t *testing.T) { testOptimizer(t, c.opt, sharing) })
		}
	}
}

func testOptimizer(t *testing.T, opt policies.Optimizer, sharing string) {
	problems := []*priored{{grammar: branching("one", 0)}, {grammar: branching("two", 3)}}
	p := tabular.New(tabular.Config{Sharing: sharing, Smoothing: 0.3}, opt)
	m := model{delta: deltas{}, shared: sharing == "shared", temperature: 1}
	states := map[string]*textbook{}
	still, moved := 0, 0
	for step := range 50 {
		b := policies.Batch{Loss: reinforce, Temperature: 1}
		for i, g := range problems {
			all := g.answers()
			pick := func(n int) []envs.Token { return all[(step*n+5*i)%len(all)] }
			b.Groups = append(b.Groups, written(g, pick(1), pick(3), pick(3)))
		}
		b.Advantages = advantages(b.Groups, plain(uint64(step)).Key)
		before := rows(t, p)
		if _, err := p.Update(b); err != nil {
			t.Fatal(err)
		}
		after := rows(t, p)
		grad := policyGradient(m, b)
		for _, key := range slices.Sorted(maps.Keys(after)) {
			if grad[key] == nil {
				still++
				sameRow(t, key, after[key], before[key])
				continue
			}
			moved++
			if states[key] == nil {
				states[key] = &textbook{o: opt}
				m.delta[key] = make([]float64, len(grad[key]))
			}
			states[key].step(m.delta[key], grad[key])
			for j, want := range m.delta[key] {
				if got := after[key].delta[j]; !(math.Abs(got-want) <= 1e-12) {
					t.Fatalf("step %d, state %q, token %d: parameter %.16g, textbook %.16g", step, key, j, got, want)
				}
			}
		}
	}
	// Rows that no update has moved are in no checkpoint, and so not counted.
	if still < 20 || moved < 50 {
		t.Errorf("%d rows moved and %d stayed: the batches do not tell visited from unvisited rows", moved, still)
	}
}

func sameRow(t *testing.T, key string, got, want savedRow) {
	t.Helper()
	equal := got.power1 == want.power1 && got.power2 == want.power2 && slices.Equal(got.delta, want.delta) &&
		slices.Equal(got.first, want.first) && slices.Equal(got.second, want.second)
	if !equal {
		t.Errorf("state %q was not visited and changed from %v to %v", key, want, got)
	}
}

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

// A seat is a token of a batch with all that the slow policy needs to work out what
// an objective sees of it.
type seat struct {
	spot
	advantage, old float64
}

func seats(m *slow, b policies.Batch) []seat {
	var out []seat
	for g, group := range b.Groups {
		for i, r := range group.Rollouts {
			for k, s := range m.spots(group.Task, r.Tokens) {
				out = append(out, seat{s, b.Advantages[g][i], r.Logp[k]})
			}
		}
	}
	return out
}

// see computes what a loss sees from the slow policies alone.
func see(m, ref *slow, temperature float64, at []seat, want policies.Want) []tokenInput {
	var out []tokenInput
	for _, s := range at {
		p, q := m.logp(s.spot, temperature), ref.logp(s.spot, temperature)
		out = append(out, tokenInput{
			advantage: s.advantage, logp: p[s.index], old: s.old,
			ref: q[s.index], entropy: entropy(p), kl: divergences[want.Divergence](p, q), top: meanTop(p, want.Top),
		})
	}
	return out
}

// TestChainGradient is TestGradient for chains, goals and plain answers side by
// side: one step of plain gradient descent against central differences in every
// parameter that a checkpoint lists.
func TestChainGradient(t *testing.T) {
	for k, context := range contexts() {
		for l, sharing := range []string{"problem", "shared"} {
			for i, c := range losses {
				if leftOut(2*k + l + i) {
					continue
				}
				temperature := []float64{1, 0.7}[i%2]
				t.Run(context+"/"+sharing+"/"+c.reason, func(t *testing.T) {
					p, frozen, tasks := moved(t, sharing, context, sgd(gradientRate))
					testChainGradient(t, p, frozen, tasks, temperature, c.want, c.token)
				})
			}
		}
	}
}

// leftOut reports whether short tests leave out a case: they run a quarter, with every loss and every
// kind of policy.
func leftOut(number int) bool { return testing.Short() && number%4 != 0 }

// gradientRate is the step of policies whose gradient is read off it.
const gradientRate = 0.5

// testChainGradient takes a policy in the same state as its slow twin.
func testChainGradient(t *testing.T, p *tabular.Policy, frozen *slow, tasks []envs.Task, temperature float64, want policies.Want, token func(tokenInput) (float64, slopes)) {
	ref := p.Freeze()
	opt := plain(99)
	opt.Temperature = temperature
	groups := keep(sample(t, p, append(tasks, tasks[0]), 5, opt))
	train(t, p, tasks, 25, 20)

	before := trained(t, p)
	m := frozen.with(before.clone())
	b := policies.Batch{
		Groups: groups, Advantages: advantages(groups, opt.Key), Want: want,
		Loss: asLoss(token), Temperature: temperature,
	}
	if want.Ref || want.KL {
		b.Reference = ref
	}
	at := seats(m, b)
	loss := func() float64 { return meanLoss(see(m, frozen, temperature, at, want), token) }
	expected := slopesOf(m.delta, loss)
	stats, err := p.Update(b)
	if err != nil {
		t.Fatal(err)
	}
	after, square := trained(t, p), 0.0
	for _, key := range slices.Sorted(maps.Keys(before)) {
		for j := range before[key] {
			got := (before[key][j] - after[key][j]) / gradientRate
			near(t, "gradient at "+key, got, expected[key][j], 1e-9)
			square += expected[key][j] * expected[key][j]
		}
	}
	if square < 1e-8 {
		t.Errorf("the gradient's norm is %g: this batch tests nothing", math.Sqrt(square))
	}
	near(t, "GradNorm", stats.GradNorm, math.Sqrt(square), 1e-8)
	if want.Top == 0 { // whose value a loss does not see
		near(t, "Loss", stats.Loss, loss(), 1e-12)
	}
}

// slopesOf is the gradient of f by central differences.
func slopesOf(delta deltas, f func() float64) deltas {
	const h = 1e-5
	grad := delta.clone()
	for key, row := range delta {
		for j := range row {
			old := row[j]
			row[j] = old + h
			up := f()
			row[j] = old - h
			down := f()
			row[j] = old
			grad[key][j] = (up - down) / (2 * h)
		}
	}
	return grad
}

// TestChainOptimizer: each row of parameters has an optimiser of its own, as the
// textbook prints it, and a row that a batch does not visit stays as it is. The
// textbook's gradient is the difference that one step of plain descent makes.
func TestChainOptimizer(t *testing.T) {
	adam := policies.Optimizer{Name: "adam", LR: 0.05, Beta1: 0.8, Beta2: 0.95, AdamEps: 1e-6}
	for _, context := range contexts() {
		config := tabular.Config{Sharing: "problem", Context: context, Smoothing: 0.3}
		p, tasks := tabular.New(config, adam), protocol(t, context)
		books := map[string]*textbook{}
		theta := deltas{}
		for step := range 20 {
			opt := plain(uint64(step))
			task := tasks[step%len(tasks)]
			b := policies.Batch{Groups: keep(sample(t, p, []envs.Task{task}, 2, opt)), Loss: reinforce, Temperature: 1}
			b.Advantages = advantages(b.Groups, opt.Key)
			m := newSlow(config, theta.clone())
			at := seats(m, b)
			for _, s := range at {
				for _, key := range s.keys {
					if theta[key] == nil {
						theta[key] = make([]float64, len(s.legal))
						m.delta[key] = make([]float64, len(s.legal))
						books[key] = &textbook{o: adam}
					}
				}
			}
			grad := exactGradient(m, at)
			before := rows(t, p)
			if _, err := p.Update(b); err != nil {
				t.Fatal(err)
			}
			for key, row := range rows(t, p) {
				if grad[key] == nil {
					sameRow(t, key, row, before[key])
					continue
				}
				books[key].step(theta[key], grad[key])
				for j, want := range theta[key] {
					near(t, "parameter of "+key, row.delta[j], want, 1e-10)
				}
				copy(theta[key], row.delta) // where a gradient is 0 up to rounding, adam makes much of it
			}
		}
	}
}

// exactGradient is the gradient of the loss reinforce.
func exactGradient(m *slow, at []seat) deltas {
	grad := deltas{}
	for _, s := range at {
		for _, key := range s.keys {
			if grad[key] == nil {
				grad[key] = make([]float64, len(s.legal))
			}
			for j, l := range m.logp(s.spot, 1) {
				d := -math.Exp(l)
				if j == s.index {
					d++
				}
				grad[key][j] -= s.advantage / float64(len(at)) * d
			}
		}
	}
	return grad
}

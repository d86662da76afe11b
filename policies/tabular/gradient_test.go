package tabular_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/loss"
	"modebench/policies"
	"modebench/policies/tabular"
)

// tokenInput has the inputs of a loss about one token.
type tokenInput struct{ advantage, logp, old, ref, entropy, kl, top float64 }

// slopes are a token loss's partial derivatives.
type slopes struct{ logp, entropy, kl, top float64 }

// losses are token losses, averaged over the batch. No loss is linear in its
// inputs, so that a derivative taken at the wrong place shows.
var losses = []struct {
	reason string
	want   policies.Want
	token  func(tokenInput) (float64, slopes)
}{
	{"the policy term alone: the ratio times the advantage", policies.Want{},
		func(x tokenInput) (float64, slopes) {
			l := -x.advantage * math.Exp(x.logp-x.old)
			return l, slopes{logp: l}
		}},
	{"entropy alone", policies.Want{Entropy: true},
		func(x tokenInput) (float64, slopes) {
			return x.advantage * x.entropy * x.entropy, slopes{entropy: 2 * x.advantage * x.entropy}
		}},
	{"exact divergence alone", policies.Want{KL: true},
		func(x tokenInput) (float64, slopes) {
			return x.kl + 3*x.kl*x.kl, slopes{kl: 1 + 6*x.kl}
		}},
	{"k2 against the reference", policies.Want{Ref: true},
		func(x tokenInput) (float64, slopes) {
			d := x.logp - x.ref
			return d * d / 2, slopes{logp: d}
		}},
	{"k3 against the reference", policies.Want{Ref: true},
		func(x tokenInput) (float64, slopes) {
			d := x.logp - x.ref
			return math.Exp(-d) + d - 1, slopes{logp: 1 - math.Exp(-d)}
		}},
	{"everything at once", policies.Want{Ref: true, Entropy: true, KL: true},
		func(x tokenInput) (float64, slopes) {
			d := x.logp - x.ref
			ratio := math.Exp(x.logp - x.old)
			return -x.advantage*ratio + 0.3*d*d - 0.2*x.entropy*x.entropy + 0.7*x.kl,
				slopes{logp: -x.advantage*ratio + 0.6*d, entropy: -0.4 * x.entropy, kl: 0.7}
		}},
	{"forward divergence alone", policies.Want{KL: true, Divergence: policies.Forward},
		func(x tokenInput) (float64, slopes) {
			return x.kl + 3*x.kl*x.kl, slopes{kl: 1 + 6*x.kl}
		}},
	{"Jensen-Shannon divergence beside others", policies.Want{Ref: true, Entropy: true, KL: true, Divergence: policies.JensenShannon},
		func(x tokenInput) (float64, slopes) {
			d := x.logp - x.ref
			return 0.3*d*d - 0.2*x.entropy + x.kl + 3*x.kl*x.kl, slopes{logp: 0.6 * d, entropy: -0.2, kl: 1 + 6*x.kl}
		}},
	{"the likeliest token alone", policies.Want{Top: 1},
		func(x tokenInput) (float64, slopes) { return x.advantage * x.top, slopes{top: x.advantage} }},
	{"the three likeliest, or all of two, beside others", policies.Want{Ref: true, Entropy: true, Top: 3},
		func(x tokenInput) (float64, slopes) {
			d := x.logp - x.ref
			return 0.3*d*d - 0.2*x.entropy + x.advantage*x.top, slopes{logp: 0.6 * d, entropy: -0.2, top: x.advantage}
		}},
}

// asLoss turns a token loss into what Update takes.
func asLoss(token func(tokenInput) (float64, slopes)) policies.TokenLoss {
	return func(t *loss.Tokens) error {
		n := float64(len(t.Logp))
		for s := range t.Sequences() {
			for k := t.Start[s]; k < t.Start[s+1]; k++ {
				x := tokenInput{advantage: t.Advantage[s], logp: t.Logp[k], old: t.Old[k]}
				if len(t.Ref) > 0 {
					x.ref = t.Ref[k]
				}
				if len(t.Entropy) > 0 {
					x.entropy = t.Entropy[k]
				}
				if len(t.KL) > 0 {
					x.kl = t.KL[k]
				}
				l, d := token(x)
				t.Loss += l / n
				t.DLogp[k] = d.logp / n
				if len(t.Entropy) > 0 {
					t.DEntropy[k] = d.entropy / n
				}
				if len(t.KL) > 0 {
					t.DKL[k] = d.kl / n
				}
				if len(t.DTop) > 0 {
					t.DTop[k] = d.top / n
				}
			}
		}
		return nil
	}
}

// divergences are those of log-probabilities p from q, by their definitions.
var divergences = map[policies.Divergence]func(p, q []float64) float64{
	policies.Reverse: kl,
	policies.Forward: func(p, q []float64) float64 { return kl(q, p) },
	policies.JensenShannon: func(p, q []float64) float64 {
		m := make([]float64, len(p))
		for j := range p {
			m[j] = math.Log((math.Exp(p[j]) + math.Exp(q[j])) / 2)
		}
		return (kl(p, m) + kl(q, m)) / 2
	},
}

// inputs computes what a loss sees, token by token, from the models alone.
func inputs(m, ref model, b policies.Batch) []tokenInput {
	var out []tokenInput
	for i, group := range b.Groups {
		g := group.Task.(*priored)
		for j, rollout := range group.Rollouts {
			for k, state := range g.states(rollout.Tokens) {
				a := g.index(state, rollout.Tokens[k])
				p, q := m.logp(g, state), ref.logp(g, state)
				out = append(out, tokenInput{
					advantage: b.Advantages[i][j], logp: p[a], old: rollout.Logp[k],
					ref: q[a], entropy: entropy(p), kl: divergences[b.Want.Divergence](p, q), top: meanTop(p, b.Want.Top),
				})
			}
		}
	}
	return out
}

// meanTop is the mean of the k largest log-probabilities.
func meanTop(logp []float64, k int) float64 {
	sorted := slices.Sorted(slices.Values(logp))
	k = min(k, len(sorted))
	sum := 0.0
	for _, x := range sorted[len(sorted)-k:] {
		sum += x / float64(k)
	}
	return sum
}

func meanLoss(xs []tokenInput, token func(tokenInput) (float64, slopes)) float64 {
	sum := 0.0
	for _, x := range xs {
		l, _ := token(x)
		sum += l
	}
	return sum / float64(len(xs))
}

// differences is the gradient of the mean loss by central differences.
func differences(m, ref model, b policies.Batch, token func(tokenInput) (float64, slopes)) deltas {
	const h = 1e-5
	grad := m.delta.clone()
	for key, row := range m.delta {
		for j := range row {
			old := row[j]
			row[j] = old + h
			up := meanLoss(inputs(m, ref, b), token)
			row[j] = old - h
			down := meanLoss(inputs(m, ref, b), token)
			row[j] = old
			grad[key][j] = (up - down) / (2 * h)
		}
	}
	return grad
}

// TestGradient compares one step of plain gradient descent with the central
// differences of a loss that is computed without the policy. The batch holds
// two problems, one of them twice, and visits most states many times; the
// policy has moved since the reference was frozen and since the rollouts were
// drawn.
func TestGradient(t *testing.T) {
	for _, c := range losses {
		for _, sharing := range []string{"problem", "shared"} {
			for _, temperature := range []float64{1, 0.7} {
				t.Run(c.reason+"/"+sharing, func(t *testing.T) {
					testGradient(t, c.want, c.token, sharing, temperature)
				})
			}
		}
	}
}

func testGradient(t *testing.T, want policies.Want, token func(tokenInput) (float64, slopes), sharing string, temperature float64) {
	const lr = 0.5
	one, two := &priored{grammar: branching("one", 0)}, &priored{grammar: branching("two", 3)}
	problems := []envs.Task{one, two}
	p := tabular.New(tabular.Config{Sharing: sharing, Smoothing: 0.3}, sgd(lr))
	train(t, p, problems, 0, 20)
	ref, refDelta := p.Freeze(), trained(t, p)
	opt := plain(99)
	opt.Temperature = temperature
	groups := keep(sample(t, p, []envs.Task{one, two, one}, 12, opt))
	train(t, p, problems, 20, 20)

	before := trained(t, p)
	m := model{delta: before.clone(), shared: sharing == "shared", temperature: temperature}
	frozen := model{delta: refDelta, shared: m.shared, temperature: temperature}
	b := policies.Batch{
		Groups: groups, Advantages: advantages(groups, opt.Key), Want: want,
		Loss: asLoss(token), Temperature: temperature,
	}
	if want.Ref || want.KL {
		b.Reference = ref
	}
	expected := differences(m, frozen, b, token)
	stats, err := p.Update(b)
	if err != nil {
		t.Fatal(err)
	}

	after, square, k3 := trained(t, p), 0.0, 0.0
	for _, key := range slices.Sorted(maps.Keys(before)) {
		for j := range before[key] {
			got := (before[key][j] - after[key][j]) / lr
			if math.Abs(got-expected[key][j]) > 1e-9 {
				t.Errorf("state %q, token %d: gradient %.12g, central difference %.12g", key, j, got, expected[key][j])
			}
			square += expected[key][j] * expected[key][j]
		}
	}
	if square < 1e-8 {
		t.Errorf("the gradient's norm is %g: this batch tests nothing", math.Sqrt(square))
	}
	near(t, "GradNorm", stats.GradNorm, math.Sqrt(square), 1e-8)
	xs := inputs(m, frozen, b)
	if want.Top == 0 { // whose value a loss does not see
		near(t, "Loss", stats.Loss, meanLoss(xs, token), 1e-12)
	}
	for _, x := range xs {
		k3 += math.Exp(x.ref-x.logp) - (x.ref - x.logp) - 1
	}
	if want.Ref {
		near(t, "KL", stats.KL, k3/float64(len(xs)), 1e-12)
	}
}

func near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

// TestKLWithoutRef: the statistic is the k3 estimate whenever the batch has a
// reference, also where the objective reads the exact divergence alone.
func TestKLWithoutRef(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p := tabular.New(*tabular.Default(), sgd(0.5))
	ref := p.Freeze()
	train(t, p, []envs.Task{g}, 0, 20)
	groups := keep(sample(t, p, []envs.Task{g}, 12, plain(99)))
	probe := func(want policies.Want) float64 {
		stats, err := p.Update(policies.Batch{
			Groups: groups, Advantages: advantages(groups, plain(99).Key), Want: want, Reference: ref, Temperature: 1,
			Loss: asLoss(func(tokenInput) (float64, slopes) { return 0, slopes{} }),
		})
		if err != nil {
			t.Fatal(err)
		}
		return stats.KL
	}
	sampled := probe(policies.Want{Ref: true})
	if sampled < 1e-3 {
		t.Fatalf("the mean k3 is %g: the policy has not moved and this tests nothing", sampled)
	}
	if got := probe(policies.Want{KL: true}); got != sampled {
		t.Errorf("KL is %v when the exact divergence is asked for, want %v as when log-probabilities of the reference are", got, sampled)
	}
}

// TestClippedIsAShare: Clipped counts tokens, the statistic is their share.
func TestClippedIsAShare(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p := tabular.New(*tabular.Default(), sgd(0.5))
	b := policies.Batch{
		Groups:     []policies.Group{written(g, []envs.Token{2, 1, 3}, []envs.Token{5, 0})},
		Advantages: [][]float64{{1, 1}}, Temperature: 1,
		Loss: func(l *loss.Tokens) error {
			clear(l.DLogp)
			l.Clipped += 2
			return nil
		},
	}
	for range 2 { // the second time would show a count that is not reset
		stats, err := p.Update(b)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "Clipped", stats.Clipped, 2.0/5, 0)
	}
}

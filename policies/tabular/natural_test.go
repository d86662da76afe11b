package tabular_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"modebench/envs"
	"modebench/internal/loss"
	"modebench/policies"
	"modebench/policies/tabular"
)

func natural(lr float64) policies.Optimizer { return policies.Optimizer{Name: "natural", LR: lr} }

// TestNaturalStepIsTheReplicator: in expectation over the arm that is drawn, one
// natural step moves each logit of a bandit by the rate times its advantage, up to
// a constant, whatever the arm's probability; at temperature T, by T times that.
// An arm that is never drawn does not move.
func TestNaturalStepIsTheReplicator(t *testing.T) {
	const lr = 0.3
	advantage := []float64{2, -1, 0.5, 0, -3}
	never := func(_ string, token envs.Token) float64 {
		if token == 3 {
			return math.Inf(-1)
		}
		return float64(token) * 1.3
	}
	for _, c := range []struct {
		reason string
		logits func(string, envs.Token) float64
		alive  []int
	}{
		{"arms of probabilities from 1/30 to 1/3", nil, []int{0, 1, 2, 3, 4}},
		{"an arm that is never drawn", never, []int{0, 1, 2, 4}},
	} {
		for _, temperature := range []float64{1, 0.7} {
			g := &priored{grammar: flat("bandit", 5), logits: c.logits}
			got, mean := make([]float64, 5), 0.0
			for _, a := range c.alive {
				p := tabular.New(*tabular.Default(), natural(lr))
				_, err := p.Update(policies.Batch{
					Groups: []policies.Group{written(g, []envs.Token{envs.Token(a)})}, Advantages: [][]float64{advantage[a : a+1]},
					Loss: reinforce, Temperature: temperature,
				})
				if err != nil {
					t.Fatal(err)
				}
				chance := math.Exp(model{temperature: temperature}.logp(g, "F")[a])
				for j, x := range trained(t, p)["bandit\x00F"] {
					got[j] += chance * x
				}
				mean += advantage[a] / float64(len(c.alive))
			}
			for j := range got {
				want := 0.0
				if slices.Contains(c.alive, j) {
					want = lr * temperature * (advantage[j] - mean)
				}
				near(t, fmt.Sprintf("%s, temperature %v: expected step of arm %d", c.reason, temperature, j), got[j], want, 1e-13)
			}
		}
	}
}

// A fisher is a dense matrix over all parameters of some rows.
type fisher struct {
	keys  []string
	start map[string]int
	n     int
	f     *mat.SymDense
}

func newFisher(d deltas) *fisher {
	f := &fisher{keys: slices.Sorted(maps.Keys(d)), start: map[string]int{}}
	for _, key := range f.keys {
		f.start[key] = f.n
		f.n += len(d[key])
	}
	f.f = mat.NewSymDense(f.n, nil)
	return f
}

// score adds the gradient of log pi(a) at a state of that policy to dst.
func (f *fisher) score(dst []float64, m model, g *priored, state string, a int) {
	at := f.start[m.key(g, state)]
	for j, l := range m.logp(g, state) {
		dst[at+j] -= math.Exp(l) / m.temperature
	}
	dst[at+a] += 1 / m.temperature
}

func (f *fisher) add(by float64, score []float64) {
	f.f.SymRankOne(f.f, by, mat.NewVecDense(f.n, score))
}

// solve is F^+ g by the singular values of the dense matrix.
func (f *fisher) solve(t *testing.T, g deltas) deltas {
	t.Helper()
	var flat []float64
	for _, key := range f.keys {
		flat = append(flat, g[key]...)
	}
	var svd mat.SVD
	if !svd.Factorize(f.f, mat.SVDThin) {
		t.Fatal("the Fisher matrix has no singular values")
	}
	rank := svd.Rank(1e-10)
	if rank == f.n || rank == 0 {
		t.Fatalf("rank %d of %d: want one short for every row", rank, f.n)
	}
	var x mat.VecDense
	svd.SolveVecTo(&x, mat.NewVecDense(f.n, flat), rank)
	out := deltas{}
	for _, key := range f.keys {
		at := f.start[key]
		out[key] = slices.Clone(x.RawVector().Data[at : at+len(g[key])])
	}
	return out
}

// twoSteps makes a step of two policies from one start: the gradient, by plain descent, and the step that
// the natural gradient makes of it.
func twoSteps(t *testing.T, begin func(policies.Optimizer) (*tabular.Policy, policies.Batch)) (grad, step deltas) {
	t.Helper()
	var moves [2]deltas
	for i, opt := range []policies.Optimizer{sgd(1), natural(1)} {
		p, b := begin(opt)
		before := trained(t, p)
		if _, err := p.Update(b); err != nil {
			t.Fatal(err)
		}
		moves[i] = trained(t, p)
		for key, row := range moves[i] {
			for j := range row {
				was := 0.0
				if before[key] != nil {
					was = before[key][j]
				}
				row[j] = was - row[j]
			}
		}
	}
	return moves[0], moves[1]
}

// TestNaturalInvertsTheSampledFisher: against the dense matrix of the batch, the
// mean over its rollouts of E[score score'] of each token, and a solver of linear
// equations. One of the problems asks for the same row again and again in a
// rollout; the loss has every term there is.
func TestNaturalInvertsTheSampledFisher(t *testing.T) {
	problems := []*priored{{grammar: branching("one", 0)}, {grammar: branching("two", 3)}, {grammar: loop("round")}}
	for _, temperature := range []float64{1, 0.7} {
		m := model{delta: deltas{}, temperature: temperature}
		var b policies.Batch
		grad, step := twoSteps(t, func(opt policies.Optimizer) (*tabular.Policy, policies.Batch) {
			options := plain(7)
			options.Temperature = temperature
			p := tabular.New(*tabular.Default(), opt)
			b = policies.Batch{
				Groups: keep(sample(t, p, asTasks(problems), 8, options)), Want: everything, Reference: p.Freeze(),
				Loss: asLoss(losses[5].token), Temperature: temperature,
			}
			b.Advantages = advantages(b.Groups, options.Key)
			for _, g := range b.Groups { // the policy has moved since
				for _, r := range g.Rollouts {
					for k := range r.Logp {
						r.Logp[k] -= 0.1
					}
				}
			}
			return p, b
		})
		f, again := newFisher(grad), 0
		for i, group := range b.Groups {
			g := problems[i]
			for _, r := range group.Rollouts {
				states := g.states(r.Tokens)
				again += len(states) - len(slices.Compact(slices.Clone(states)))
				for _, state := range states {
					for a, l := range m.logp(g, state) {
						score := make([]float64, f.n)
						f.score(score, m, g, state, a)
						f.add(math.Exp(l)/24, score)
					}
				}
			}
		}
		if again < 3 {
			t.Errorf("only %d visits of a row that a rollout has visited before", again)
		}
		compare(t, step, f.solve(t, grad), 1e-10)
	}
}

func compare(t *testing.T, got, want deltas, tolerance float64) {
	t.Helper()
	largest := 0.0
	for _, key := range slices.Sorted(maps.Keys(want)) {
		for j, x := range want[key] {
			near(t, fmt.Sprintf("step of %q, token %d", key, j), got[key][j], x, tolerance)
			largest = max(largest, math.Abs(x))
		}
	}
	if largest < 1e-3 {
		t.Errorf("the largest step is %g: this tests nothing", largest)
	}
}

// TestNaturalInvertsTheFisherOfRollouts: where the batch holds each answer as often
// as its probability, it is its own expectation, and the Fisher matrix is the
// mean of the outer products of whole rollouts' scores: that what is left out of
// it, between the tokens of a rollout, is nothing, at any temperature. A token's
// probability is to those beside it as its place in the row times the number of
// answers, so weighed, that follow.
func TestNaturalInvertsTheFisherOfRollouts(t *testing.T) {
	for _, temperature := range []float64{1, 0.7, 2} {
		g := &priored{grammar: branching("one", 0)}
		var below func(state string) float64
		below = func(state string) float64 {
			if state == "" {
				return 1
			}
			n := 0.0
			for i, m := range g.moves[state] {
				n += float64(i+1) * below(m.to)
			}
			return n
		}
		g.logits = func(state string, token envs.Token) float64 {
			i := g.index(state, token)
			return temperature * math.Log(float64(i+1)*below(g.moves[state][i].to))
		}
		var all [][]envs.Token
		for _, answer := range g.answers() {
			copies := 1
			for k, state := range g.states(answer) {
				copies *= g.index(state, answer[k]) + 1
			}
			for range copies {
				all = append(all, answer)
			}
		}
		if n := below(g.start); float64(len(all)) != n || len(all) == len(g.answers()) {
			t.Fatalf("%d rollouts, want %v, and some more often than others", len(all), n)
		}
		m := model{delta: deltas{}, temperature: temperature}
		grad, step := twoSteps(t, func(opt policies.Optimizer) (*tabular.Policy, policies.Batch) {
			b := policies.Batch{Groups: []policies.Group{written(g, all...)}, Loss: reinforce, Temperature: temperature}
			b.Advantages = advantages(b.Groups, plain(3).Key)
			return tabular.New(*tabular.Default(), opt), b
		})
		f := newFisher(grad)
		for _, answer := range all {
			score := make([]float64, f.n)
			for k, state := range g.states(answer) {
				f.score(score, m, g, state, g.index(state, answer[k]))
			}
			f.add(1/float64(len(all)), score)
		}
		compare(t, step, f.solve(t, grad), 1e-11)
	}
}

// TestNaturalClips: the bound is on the gradient of the loss, and the step is
// linear in that.
func TestNaturalClips(t *testing.T) {
	const bound = 0.01
	g := &priored{grammar: branching("one", 0)}
	var moves [2]deltas
	norm := 0.0
	for i, clip := range []float64{0, bound} {
		opt := natural(1)
		opt.ClipNorm = clip
		p := tabular.New(*tabular.Default(), opt)
		stats, err := p.Update(batch(t, p, []envs.Task{g}, 1, false))
		if err != nil {
			t.Fatal(err)
		}
		if moves[i] = trained(t, p); i == 1 {
			near(t, "GradNorm", stats.GradNorm, norm, 0)
		}
		norm = stats.GradNorm
	}
	if norm < 2*bound {
		t.Fatalf("the gradient's norm is %v: nothing to clip", norm)
	}
	moves[0].scale(bound / norm)
	compare(t, moves[1], moves[0], 1e-14)
}

// TestNaturalRefuses what has no Fisher matrix of blocks, and leaves nothing
// behind.
func TestNaturalRefuses(t *testing.T) {
	long := func(l *loss.Tokens) error {
		for k := range l.DLogp {
			l.DLogp[k] = 1e200
		}
		return nil
	}
	rare := &priored{grammar: flat("rare", 3), logits: func(_ string, token envs.Token) float64 { return -330 * float64(token) }}
	steep := func(l *loss.Tokens) error {
		for k := range l.DLogp {
			l.DLogp[k] = 1e150
		}
		return nil
	}
	one := &priored{grammar: branching("one", 0)}
	for _, c := range []struct {
		reason string
		config tabular.Config
		opt    policies.Optimizer
		tasks  []envs.Task
		spoil  func(*policies.Batch)
		words  string
	}{
		{"problems that share", tabular.Config{Sharing: "shared", Smoothing: 0.3}, natural(1), []envs.Task{one}, nil, "want sharing = \"problem\""},
		{"chains whose answers learn together and apart", tabular.Config{Sharing: "problem", Context: tabular.ContextAdd, Smoothing: 0.3}, natural(1), protocol(t, tabular.ContextAdd), nil, "want context = \"independent\" or \"blind\""},
		{"the same by what was found", tabular.Config{Sharing: "problem", Context: tabular.ContextFound, Smoothing: 0.3}, natural(1), protocol(t, tabular.ContextFound), nil, "want context = \"independent\" or \"blind\""},
		{"a norm that overflows", *tabular.Default(), natural(1), []envs.Task{one}, func(b *policies.Batch) { b.Loss = long }, "the norm of the gradient is +Inf"},
		{"the same, only to be clipped", *tabular.Default(), policies.Optimizer{Name: "sgd", LR: 1, ClipNorm: 1}, []envs.Task{one}, func(b *policies.Batch) { b.Loss = long }, "the norm of the gradient is +Inf"},
		{"a token that is next to impossible", *tabular.Default(), natural(1), []envs.Task{rare}, func(b *policies.Batch) {
			b.Loss, b.Groups = steep, []policies.Group{written(rare, []envs.Token{0}, []envs.Token{2})}
			b.Advantages = [][]float64{{1, 1}}
		}, "the step of a token of probability"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			p := tabular.New(c.config, c.opt)
			bad := batch(t, p, c.tasks, 1, true)
			bad.Want, bad.Loss = policies.Want{}, reinforce
			if c.spoil != nil {
				c.spoil(&bad)
			}
			before := save(t, p)
			_, err := p.Update(bad)
			wantError(t, err, c.words)
			if !bytes.Equal(save(t, p), before) {
				t.Error("a refused update moved the policy")
			}
			if c.spoil == nil {
				return // it refuses every batch
			}
			fresh := tabular.New(c.config, c.opt)
			for _, q := range []*tabular.Policy{p, fresh} {
				good := batch(t, q, []envs.Task{one}, 2, true)
				if _, err := q.Update(good); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(save(t, p), save(t, fresh)) {
				t.Error("a good update after a refused one ended elsewhere than without it")
			}
		})
	}
}

// TestNaturalTakesContextsThatLearnApart: chains and goals whose answers have one
// row of parameters each.
func TestNaturalTakesContextsThatLearnApart(t *testing.T) {
	for _, context := range []string{tabular.ContextIndependent, tabular.ContextBlind} {
		p := tabular.New(tabular.Config{Sharing: "problem", Context: context, Smoothing: 0.3}, natural(0.1))
		train(t, p, protocol(t, context), 0, 10)
		if len(trained(t, p)) == 0 {
			t.Errorf("%s: nothing has moved", context)
		}
	}
}

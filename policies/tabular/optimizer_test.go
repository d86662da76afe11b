package tabular_test

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/policies"
	"modebench/policies/tabular"
)

// textbook is an optimiser as its paper prints it (Kingma and Ba, 2015,
// algorithm 1; the decay is the decoupled one of Loshchilov and Hutter, 2019,
// algorithm 2, times the rate), one instance per row of parameters.
type textbook struct {
	o    policies.Optimizer
	t    int
	m, v []float64
}

func (b *textbook) step(theta, grad []float64) {
	for j := range theta {
		theta[j] *= 1 - b.o.LR*b.o.WeightDecay
	}
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
// a row that a batch does not visit stays as it is to the bit, decay or not. The
// rate has a schedule.
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
		{"adamw", policies.Optimizer{Name: "adam", LR: 0.1, Beta1: 0.9, Beta2: 0.999, AdamEps: 1e-8, WeightDecay: 0.2}},
		{"plain gradient descent with decay", policies.Optimizer{Name: "sgd", LR: 0.7, WeightDecay: 0.2}},
		{"clipped, most of the time", policies.Optimizer{Name: "sgd", LR: 0.7, ClipNorm: 0.15}},
		{"clipped and decayed", policies.Optimizer{Name: "adam", LR: 0.1, Beta1: 0.5, Beta2: 0.9, AdamEps: 1e-2, ClipNorm: 0.15, WeightDecay: 0.1}},
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
	still, moved, clipped := 0, 0, 0
	schedule := []float64{0, 1, 0.25, 2} // 0 is 1
	for step := range 50 {
		b := policies.Batch{Loss: reinforce, Temperature: 1, Rate: schedule[step%len(schedule)]}
		for i, g := range problems {
			all := g.answers()
			pick := func(n int) []envs.Token { return all[(step*n+5*i)%len(all)] }
			b.Groups = append(b.Groups, written(g, pick(1), pick(3), pick(3)))
		}
		b.Advantages = advantages(b.Groups, plain(uint64(step)).Key)
		before := rows(t, p)
		stats, err := p.Update(b)
		if err != nil {
			t.Fatal(err)
		}
		after := rows(t, p)
		grad := policyGradient(m, b)
		norm := grad.norm()
		near(t, "GradNorm", stats.GradNorm, norm, 1e-12)
		if opt.ClipNorm > 0 && norm > opt.ClipNorm {
			grad.scale(opt.ClipNorm / norm)
			clipped++
		}
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
			states[key].o.LR = opt.LR
			if b.Rate != 0 {
				states[key].o.LR *= b.Rate
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
	if opt.ClipNorm > 0 && (clipped < 10 || clipped > 45) {
		t.Errorf("%d of 50 gradients were clipped: the bound does not tell long from short ones", clipped)
	}
}

// norm is the Euclidean norm over all rows.
func (d deltas) norm() float64 {
	square := 0.0
	for _, key := range slices.Sorted(maps.Keys(d)) {
		for _, x := range d[key] {
			square += x * x
		}
	}
	return math.Sqrt(square)
}

func (d deltas) scale(by float64) {
	for _, row := range d {
		for j := range row {
			row[j] *= by
		}
	}
}

// TestRateOfOne: no rate at all is the rate 1, to the bit, and so are a decay and a
// bound that are off.
func TestRateOfOne(t *testing.T) {
	var saved [2][]byte
	for i, rate := range []float64{0, 1} {
		g := &priored{grammar: branching("one", 0)}
		p := tabular.New(*tabular.Default(), policies.DefaultOptimizer())
		for step := range 10 {
			b := batch(t, p, []envs.Task{g}, step, false)
			b.Rate = rate
			if _, err := p.Update(b); err != nil {
				t.Fatal(err)
			}
		}
		saved[i] = save(t, p)
	}
	if !slices.Equal(saved[0], saved[1]) {
		t.Error("a rate of 1 moves the policy elsewhere than none")
	}
}

func TestBadRates(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p, _ := grown(t, "problem", g)
	before := save(t, p)
	for _, rate := range []float64{-1, math.NaN(), math.Inf(1)} {
		b := batch(t, p, []envs.Task{g}, 1, false)
		b.Rate = rate
		_, err := p.Update(b)
		wantError(t, err, "multiplies the learning rate by")
	}
	if !slices.Equal(save(t, p), before) {
		t.Error("a refused rate moved the policy")
	}
}

// TestCheckpointNamesTheOptimizer: the later fields are part of the settings that a
// checkpoint has to agree on, unless they are off (TestGolden holds
// the bytes).
func TestCheckpointNamesTheOptimizer(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	plainly := policies.DefaultOptimizer()
	p := tabular.New(*tabular.Default(), plainly)
	train(t, p, []envs.Task{g}, 0, 3)
	for reason, change := range map[string]func(*policies.Optimizer){
		"weight decay":  func(o *policies.Optimizer) { o.WeightDecay = 0.1 },
		"gradient clip": func(o *policies.Optimizer) { o.ClipNorm = 0.1 },
		"natural":       func(o *policies.Optimizer) { o.Name = "natural" },
	} {
		opt := plainly
		change(&opt)
		q := tabular.New(*tabular.Default(), opt)
		wantError(t, q.Load(bytes.NewReader(save(t, p))), "settings")
		train(t, q, []envs.Task{g}, 0, 3)
		r := tabular.New(*tabular.Default(), opt)
		load(t, r, save(t, q))
		train(t, q, []envs.Task{g}, 3, 3)
		train(t, r, []envs.Task{g}, 3, 3)
		if !slices.Equal(save(t, q), save(t, r)) {
			t.Errorf("%s: a resumed policy ended elsewhere", reason)
		}
	}
}

// TestShapedStepsDoNotAllocate is TestStepsDoNotAllocate for the optimisers that
// look at the gradient before they use it.
func TestShapedStepsDoNotAllocate(t *testing.T) {
	for _, name := range []string{"natural", "adam"} {
		opt := policies.DefaultOptimizer()
		opt.Name, opt.ClipNorm, opt.WeightDecay = name, 0.01, 0.1
		p := tabular.New(*tabular.Default(), opt)
		problems := []envs.Task{branching("one", 0), branching("two", 3)}
		correct := [][]bool{make([]bool, 8), make([]bool, 8)}
		b := policies.Batch{Loss: reinforce, Temperature: 1, Want: policies.Want{Correct: true}, Correct: correct}
		b.Advantages = advantages(sample(t, p, problems, 8, plain(1)), plain(1).Key)
		step := uint64(0)
		once := func() {
			step++
			options := plain()
			options.Key = options.Key.Int(step)
			b.Key = options.Key
			b.Groups = sample(t, p, problems, 8, options)
			if _, err := p.Update(b); err != nil {
				t.Fatal(err)
			}
		}
		for range 500 {
			once()
		}
		if n := testing.AllocsPerRun(200, once); n != 0 {
			t.Errorf("%s: a step allocates %v times", name, n)
		}
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

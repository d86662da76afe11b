package transformer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/policies"
	"modebench/policies/internal/device"
	"modebench/policies/internal/device/cpu"
)

// An example is a batch of one chunk with a loss: the sum over tokens of logpBy
// times the log-probability, entropyBy times the entropy, klBy times the
// divergence from a reference, and klBy times the mean log-probability of the
// top likeliest tokens too.
type example struct {
	prompts                 [][][]int32
	rollouts                [][][][]int32 // by prompt
	targets                 []envs.Token
	logpBy, entropyBy, klBy []float64
	temperature             float64
	top                     int
}

// randomExample draws prompts of several lengths, one of them empty, with some
// rollouts each, one of which is longer than a block of causal attention. They share prefixes.
func randomExample(r *rand.Rand, features, vocabulary int) example {
	e := example{temperature: 0.7}
	position := func() []int32 {
		var out []int32
		for range 1 + r.IntN(4) {
			out = append(out, int32(r.IntN(features)))
		}
		return out
	}
	states := map[string][]int32{} // a prefix has one
	for i, n := range []int{4, 0, 9} {
		var prompt [][]int32
		for range n {
			prompt = append(prompt, position())
		}
		var rollouts [][][]int32
		for j := range 6 {
			length := 1 + r.IntN(5)
			if i == 2 && j == 0 {
				length = causalBlock + 3
			}
			var rollout [][]int32
			var tokens []envs.Token
			for range length {
				prefix := fmt.Sprint(i, tokens)
				if states[prefix] == nil {
					states[prefix] = position()
				}
				rollout = append(rollout, states[prefix])
				tokens = append(tokens, envs.Token(r.IntN(3)))
				e.targets = append(e.targets, tokens[len(tokens)-1])
				e.logpBy = append(e.logpBy, r.NormFloat64())
				e.entropyBy = append(e.entropyBy, r.NormFloat64())
				e.klBy = append(e.klBy, r.NormFloat64())
			}
			rollouts = append(rollouts, rollout)
		}
		e.prompts, e.rollouts = append(e.prompts, prompt), append(e.rollouts, rollouts)
	}
	return e
}

// chunk lays the example out as a policy would.
func (e *example) chunk(shared bool) *chunk {
	c := &chunk{}
	c.reset()
	c.targets = e.targets
	for i, prompt := range e.prompts {
		c.begin(prompt)
		s, t, before := &c.segments[i], &c.tree, len(c.rowOf)
		t.reset()
		states := map[int32][]int32{} // of each node
		for _, rollout := range e.rollouts[i] {
			from := len(c.rowOf)
			c.rowOf = t.add(c.rowOf, e.targets[from:from+len(rollout)], !shared)
			for j, features := range rollout {
				states[c.rowOf[from+j]] = features
			}
		}
		t.arrange()
		s.runs, s.spans = t.cut(c.rows(), nil, nil)
		for row, node := range t.nodeOf {
			c.features = append(c.features, states[node]...)
			c.starts = append(c.starts, len(c.features))
			c.width = max(c.width, s.prompt+int(t.depth[row])+1)
		}
		for k := before; k < len(c.rowOf); k++ {
			c.rowOf[k] = int32(c.answers) + t.rowOf[c.rowOf[k]]
		}
		s.rows += len(t.nodeOf)
		c.answers += len(t.nodeOf)
	}
	c.sortTokens()
	return c
}

// loss works the example's loss out with the plain model.
func (e *example) loss(m naive, reference [][]float64) float64 {
	sum := 0.0
	for i, logp := range e.logp(m) {
		entropy, kl := 0.0, 0.0
		for j, x := range logp {
			entropy -= math.Exp(x) * x
			kl += math.Exp(x) * (x - reference[i][j])
		}
		sum += e.logpBy[i]*logp[e.targets[i]] + e.entropyBy[i]*entropy + e.klBy[i]*kl + e.klBy[i]*meanTop(logp, e.top)
	}
	return sum
}

func (e *example) logp(m naive) (out [][]float64) {
	for i, prompt := range e.prompts {
		for _, rollout := range e.rollouts[i] {
			for _, z := range m.logits(prompt, rollout) {
				out = append(out, logSoftmax(z, e.temperature))
			}
		}
	}
	return out
}

// tiny makes a policy of two layers with parameters that are all away from their
// initial zeros and ones.
func tiny(t testing.TB, k device.Kernels, features, vocabulary int) *Policy {
	t.Helper()
	config := Config{Layers: 2, Width: 32, Heads: 2, Seed: 3}
	p, err := newOn(t.Context(), k, nil, config, policies.DefaultOptimizer(), &envs.Encoding{Features: features, Vocabulary: vocabulary})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range p.weights.flat {
		p.weights.flat[i] += float32(0.1 * r.NormFloat64())
	}
	p.weights.pack(k, &p.shape)
	return p
}

func plain(p *Policy) naive {
	m := naive{&p.shape, make([]float64, len(p.weights.flat))}
	for i, x := range p.weights.flat {
		m.w[i] = float64(x)
	}
	return m
}

func reference(t testing.TB) device.Kernels {
	t.Helper()
	k, err := cpu.New("reference")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestForwardAgainstPlainModel: log-probabilities agree with those of a float64
// model to float32, and are the same to the bit whether rollouts share their prefixes or not.
func TestForwardAgainstPlainModel(t *testing.T) {
	p := tiny(t, reference(t), 30, 7)
	e := randomExample(rand.New(rand.NewPCG(5, 6)), 30, 7)
	var apart []float32
	for _, shared := range []bool{false, true} {
		c, s := e.chunk(shared), &space{}
		n := p.network(t.Context(), p.weights)
		n.forward(c, s, false)
		n.predict(c, s, float32(1/e.temperature))
		if !shared {
			apart = s.logp
		}
		worst := 0.0
		for i, want := range e.logp(plain(p)) {
			at := int(c.rowOf[i]) * 7
			for j := range want {
				worst = max(worst, math.Abs(float64(s.logp[at+j])-want[j]))
				if p := float64(s.p[at+j]); math.Abs(p-math.Exp(want[j])) > 2e-6 {
					t.Errorf("shared %v: token %d, %d: probability %v, want %v", shared, i, j, p, math.Exp(want[j]))
				}
			}
			if !slices.Equal(s.logp[at:at+7], apart[i*7:(i+1)*7]) {
				t.Errorf("token %d: with shared prefixes %v, apart %v", i, s.logp[at:at+7], apart[i*7:(i+1)*7])
			}
		}
		if !(worst < 1e-5) {
			t.Errorf("shared %v: a log-probability is off by %v", shared, worst)
		}
		t.Logf("shared %v: %d rows for %d tokens, worst error of a log-probability: %.1e", shared, c.answers, len(c.rowOf), worst)
	}
}

// TestSharedGradient: the gradient over shared prefixes is that of the rollouts apart but for rounding, which is
// below a millionth of the largest entry of a tensor.
func TestSharedGradient(t *testing.T) {
	p := tiny(t, reference(t), 30, 7)
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 9))
		e := randomExample(r, 30, 7)
		e.top = 3
		state := make([]float32, 7)
		for j, x := range logSoftmax([]float64{1, 2, 3, 0, 1, 2, 3}, 1) {
			state[j] = float32(x)
		}
		var grads [2][]float32
		for i, shared := range []bool{false, true} {
			c := e.chunk(shared)
			e.differentiate(t, p, c, slices.Repeat(state, c.answers))
			grads[i] = c.grad
		}
		for _, tensor := range p.shape.tensors {
			apart, shared, largest, worst := tensor.slice(grads[0]), tensor.slice(grads[1]), 0.0, 0.0
			for i := range apart {
				largest = max(largest, math.Abs(float64(apart[i])))
				worst = max(worst, math.Abs(float64(apart[i])-float64(shared[i])))
			}
			if !(worst <= 1e-6*largest) {
				t.Errorf("seed %d, %s: an entry is off by %.2g of the largest", seed, tensor.name, worst/largest)
			}
		}
	}
}

// differentiate leaves the gradient of the example's loss in the chunk, given the reference's log-probabilities of
// each row.
func (e *example) differentiate(t *testing.T, p *Policy, c *chunk, reference []float32) {
	t.Helper()
	s := &space{}
	c.space = s
	n := p.network(t.Context(), p.weights)
	n.forward(c, s, true)
	n.predict(c, s, float32(1/e.temperature))
	s.reference = reference
	p.tokens.DLogp, p.tokens.DEntropy, p.tokens.DKL, p.tokens.DTop = e.logpBy, e.entropyBy, e.klBy, e.klBy
	p.tokens.Entropy, p.tokens.KL = make([]float64, len(c.rowOf)), make([]float64, len(c.rowOf))
	for i, row := range c.rowOf {
		at := int(row) * 7
		p.tokens.Entropy[i] = entropy(s.p[at:at+7], s.logp[at:at+7])
		for j, prob := range s.p[at : at+7] {
			p.tokens.KL[i] += float64(prob) * (float64(s.logp[at+j]) - float64(reference[at+j]))
		}
	}
	p.logits(c, &policies.Batch{Temperature: e.temperature, Want: policies.Want{Top: e.top}})
	p.gather(n, c, s)
}

// TestGradientAgainstDifferences: the gradient of every tensor agrees with central
// differences of the plain float64 model: along a random direction within the
// tensor, and in two of its entries.
func TestGradientAgainstDifferences(t *testing.T) {
	if testing.Short() {
		t.Skip("arithmetic alone: nothing for the race detector")
	}
	k := reference(t)
	p, other := tiny(t, k, 30, 7), tiny(t, k, 30, 7)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range other.weights.flat {
		other.weights.flat[i] += float32(0.1 * r.NormFloat64())
	}
	e := randomExample(r, 30, 7)
	e.top = 3
	theirs := e.logp(plain(other))

	for _, shared := range []bool{false, true} {
		c := e.chunk(shared)
		reference := make([]float32, c.answers*7)
		for i, row := range theirs {
			for j, x := range row {
				reference[int(c.rowOf[i])*7+j] = float32(x)
			}
		}
		e.differentiate(t, p, c, reference)
		e.againstDifferences(t, p, c, theirs, r)
	}
}

// againstDifferences holds the chunk's gradient to differences of the loss.
func (e *example) againstDifferences(t *testing.T, p *Policy, c *chunk, theirs [][]float64, r *rand.Rand) {
	t.Helper()
	m := plain(p)
	along := func(from int, direction []float64) float64 {
		const h = 1e-4
		at := func(step float64) float64 {
			for i, x := range direction {
				m.w[from+i] += step * x
			}
			loss := e.loss(m, theirs)
			for i, x := range direction {
				m.w[from+i] -= step * x
			}
			return loss
		}
		return (at(h) - at(-h)) / (2 * h)
	}
	for _, tensor := range p.shape.tensors {
		got := tensor.slice(c.grad)
		norm := 0.0
		for _, g := range got {
			norm += float64(g) * float64(g)
		}
		norm = math.Sqrt(norm)
		if norm == 0 {
			t.Errorf("%s: the gradient is zero", tensor.name)
		}
		direction, want := make([]float64, len(got)), 0.0
		for i, g := range got {
			direction[i] = float64(g)/norm + r.NormFloat64()/math.Sqrt(float64(len(got)))
			want += direction[i] * float64(g)
		}
		if d := along(tensor.offset, direction); math.Abs(d-want) > 2e-4*norm {
			t.Errorf("%s: along a direction the loss changes by %v, the gradient says %v", tensor.name, d, want)
		}
		for range 2 {
			i := r.IntN(len(got))
			one := make([]float64, len(got))
			one[i] = 1
			if d := along(tensor.offset, one); math.Abs(d-float64(got[i])) > 2e-4*norm {
				t.Errorf("%s: by parameter %d the loss changes by %v, the gradient says %v", tensor.name, i, d, got[i])
			}
		}
	}
}

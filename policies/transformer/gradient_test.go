package transformer

import (
	"math"
	"math/rand/v2"
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

// randomExample draws prompts of several lengths, one of them empty, with two
// rollouts each, one of which is longer than a block of causal attention.
func randomExample(r *rand.Rand, features, vocabulary int) example {
	e := example{temperature: 0.7}
	position := func() []int32 {
		var out []int32
		for range 1 + r.IntN(4) {
			out = append(out, int32(r.IntN(features)))
		}
		return out
	}
	for i, n := range []int{4, 0, 9} {
		var prompt [][]int32
		for range n {
			prompt = append(prompt, position())
		}
		var rollouts [][][]int32
		for j := range 2 {
			length := 1 + r.IntN(5)
			if i == 2 && j == 0 {
				length = causalBlock + 3
			}
			var rollout [][]int32
			for range length {
				rollout = append(rollout, position())
				e.targets = append(e.targets, envs.Token(r.IntN(vocabulary)))
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
func (e *example) chunk() *chunk {
	c := &chunk{}
	c.reset()
	for i, prompt := range e.prompts {
		c.begin(prompt)
		s := &c.segments[i]
		for _, rollout := range e.rollouts[i] {
			s.rollouts = append(s.rollouts, span{c.rows(), len(rollout)})
			for _, features := range rollout {
				c.features = append(c.features, features...)
				c.starts = append(c.starts, len(c.features))
			}
			s.rows += len(rollout)
			c.answers += len(rollout)
			c.width = max(c.width, s.prompt+len(rollout))
		}
	}
	c.targets = e.targets
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
// model to float32.
func TestForwardAgainstPlainModel(t *testing.T) {
	p := tiny(t, reference(t), 30, 7)
	e := randomExample(rand.New(rand.NewPCG(5, 6)), 30, 7)
	c, s := e.chunk(), &space{}
	n := p.network(t.Context(), p.weights)
	n.forward(c, s, false)
	n.predict(c, s, float32(1/e.temperature))
	worst := 0.0
	for i, row := range e.logp(plain(p)) {
		for j, want := range row {
			worst = max(worst, math.Abs(float64(s.logp[i*7+j])-want))
			if p := float64(s.p[i*7+j]); math.Abs(p-math.Exp(want)) > 2e-6 {
				t.Errorf("row %d token %d: probability %v, want %v", i, j, p, math.Exp(want))
			}
		}
	}
	if !(worst < 1e-5) {
		t.Errorf("a log-probability is off by %v", worst)
	}
	t.Logf("worst error of a log-probability: %.1e", worst)
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

	c := e.chunk()
	s := &space{}
	c.space = s
	n := p.network(t.Context(), p.weights)
	n.forward(c, s, true)
	n.predict(c, s, float32(1/e.temperature))
	s.reference = nil
	p.tokens.DLogp, p.tokens.DEntropy, p.tokens.DKL, p.tokens.DTop = e.logpBy, e.entropyBy, e.klBy, e.klBy
	p.tokens.Entropy, p.tokens.KL = make([]float64, c.answers), make([]float64, c.answers)
	for i, row := range theirs {
		for _, x := range row {
			s.reference = append(s.reference, float32(x))
		}
		p.tokens.Entropy[i] = entropy(s.p[i*7:(i+1)*7], s.logp[i*7:(i+1)*7])
		for j, prob := range s.p[i*7 : (i+1)*7] {
			p.tokens.KL[i] += float64(prob) * (float64(s.logp[i*7+j]) - row[j])
		}
	}
	p.logits(c, &policies.Batch{Temperature: e.temperature, Want: policies.Want{Top: e.top}})
	p.gather(n, c, s)

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

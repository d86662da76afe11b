package transformer

import (
	"math"
	"math/rand/v2"
	"testing"

	"modebench/policies"
)

// TestDivergencesOfLogits: the values of the divergences, and the gradient that they give
// to logits, against definitions in float64 and their central differences.
func TestDivergencesOfLogits(t *testing.T) {
	const h, v = 1e-5, 7
	p := tiny(t, reference(t), 30, v)
	r := rand.New(rand.NewPCG(5, 60))
	e := randomExample(r, 30, v)
	c, s := e.chunk(false), &space{}
	c.space = s
	n := p.network(t.Context(), p.weights)
	n.forward(c, s, true)
	n.predict(c, s, 1)
	s.reference = nil
	for range c.answers {
		z := make([]float64, v)
		for j := range z {
			z[j] = r.NormFloat64()
		}
		for _, x := range logSoftmax(z, 1) {
			s.reference = append(s.reference, float32(x))
		}
	}
	kl := func(p, q []float64) (sum float64) {
		for j := range p {
			sum += math.Exp(p[j]) * (p[j] - q[j])
		}
		return sum
	}
	for kind, of := range map[policies.Divergence]func(p, q []float64) float64{
		policies.Reverse: kl,
		policies.Forward: func(p, q []float64) float64 { return kl(q, p) },
		policies.JensenShannon: func(p, q []float64) float64 {
			m := make([]float64, v)
			for j := range m {
				m[j] = math.Log((math.Exp(p[j]) + math.Exp(q[j])) / 2)
			}
			return (kl(p, m) + kl(q, m)) / 2
		},
	} {
		p.tokens.DLogp, p.tokens.DKL, p.tokens.KL = make([]float64, c.answers), e.klBy, make([]float64, c.answers)
		p.tokens.Entropy, p.tokens.DEntropy = nil, nil
		var logp, logq [][]float64
		for i := range c.answers {
			row := func(of []float32) (out []float64) {
				for _, x := range of[i*v : (i+1)*v] {
					out = append(out, float64(x))
				}
				return out
			}
			logp, logq = append(logp, row(s.logp)), append(logq, row(s.reference))
			p.tokens.KL[i] = divergence(kind, s.p[i*v:(i+1)*v], s.logp[i*v:(i+1)*v], s.reference[i*v:(i+1)*v])
			if want := of(logp[i], logq[i]); math.Abs(p.tokens.KL[i]-want) > 1e-5 {
				t.Errorf("divergence %d of answer %d is %v, want %v", kind, i, p.tokens.KL[i], want)
			}
		}
		p.logits(c, &policies.Batch{Temperature: 1, Want: policies.Want{KL: true, Divergence: kind}})
		for i := range c.answers {
			for j := range v {
				at := func(step float64) float64 {
					z := append([]float64(nil), logp[i]...)
					z[j] += step
					return of(logSoftmax(z, 1), logq[i])
				}
				want := e.klBy[i] * (at(h) - at(-h)) / (2 * h)
				if got := float64(s.dlogits[i*v+j]); math.Abs(got-want) > 1e-5*max(1, math.Abs(e.klBy[i])) {
					t.Errorf("divergence %d, answer %d, token %d: slope %v, central difference %v", kind, i, j, got, want)
				}
			}
		}
	}
}

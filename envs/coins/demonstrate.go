package coins

import (
	"math/rand/v2"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/rng"
)

// Demonstrate implements envs.Problem: each token is drawn from the prior.
func (p *Problem) Demonstrate(r *rand.Rand) []envs.Token {
	var logits, room [maxKinds + 1]float64
	c := p.begin()
	return envs.Walk(make([]envs.Token, 0, p.most+1), c, r, func([]envs.Token) []float64 {
		prior := p.prior(logits[:0], c)
		exact.Softmax(room[:len(prior)], prior)
		return room[:len(prior)]
	})
}

// AppendPrior implements envs.Priored: with V the number of correct completions,
//
//	log((1-q)/|A| + q V(child)/V(state)) + sigma N(0, 1)
//
// for each of |A| legal tokens, or log(1/|A|) where V(state) is 0. The noise belongs to
// the problem and the state.
func (p *Problem) AppendPrior(dst []float64, prefix []envs.Token) []float64 {
	c := p.begin()
	if !envs.After(c, prefix) {
		return dst
	}
	return p.prior(dst, c)
}

func (p *Problem) prior(dst []float64, c *cursor) []float64 {
	var room [maxKinds + 1]byte
	noise := p.currency.key.Str("noise").Str(p.id).Str(string(c.AppendState(room[:0]))).Rand()
	legal := c.Legal()
	total := p.completions(c.sum, c.count)
	for _, t := range legal {
		share := 1 / float64(len(legal))
		if total > 0 {
			likely := float64(p.after(c, t)) / float64(total)
			share = float64((1-p.currency.q)*share) + float64(p.currency.q*likely)
		}
		dst = append(dst, exact.Log(share)+float64(p.currency.sigma*rng.Normal(noise)))
	}
	return dst
}

// after counts the correct completions that begin with a legal token.
func (p *Problem) after(c *cursor, t envs.Token) int64 {
	if t != endToken {
		return p.completions(c.sum+p.currency.values[p.currency.kind(t)], c.count+1)
	}
	if c.sum == p.amount {
		return 1
	}
	return 0
}

// Lesson implements envs.Teacher: problem number index of the split pretrain, with
// correct payments, of which each is as likely as any other in its order.
func (e *Env) Lesson(index, n int, r *rand.Rand) (envs.Problem, [][]envs.Token, error) {
	return envs.PretrainLesson(e, index, n, func(p *Problem) []envs.Token { return p.teach(r) })
}

// teach draws a correct payment.
func (p *Problem) teach(r *rand.Rand) []envs.Token {
	out := make([]envs.Token, 0, p.most+1)
	c := p.begin()
	for !c.done {
		choice := r.Int64N(p.completions(c.sum, c.count))
		for _, t := range c.Legal() {
			if choice -= p.after(c, t); choice < 0 {
				out = append(out, t)
				if c.Push(t) != nil {
					return out // not reached: the token is legal
				}
				break
			}
		}
	}
	return out
}

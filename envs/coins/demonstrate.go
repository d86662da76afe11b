package coins

import (
	"math/rand/v2"

	"modebench/envs"
)

// Demonstrate implements envs.Problem: each token is drawn from the prior.
func (p *Problem) Demonstrate(r *rand.Rand) []envs.Token {
	return envs.Demonstrate(p.begin(), p.limit+1, r, p.prior)
}

// AppendPrior implements envs.Priored, by envs.AppendCounted. The noise belongs to the problem and
// the state.
func (p *Problem) AppendPrior(dst []float64, prefix []envs.Token) []float64 {
	return envs.AppendPrior(dst, p.begin(), prefix, p.prior)
}

func (p *Problem) prior(dst []float64, c *cursor) []float64 {
	var room [maxKinds + 1]byte
	noise := p.currency.key.Str("noise").Str(p.id).Str(string(c.AppendState(room[:0]))).Rand()
	var counts [maxKinds + 1]int64
	return envs.AppendCounted(dst, p.appendCounts(counts[:0], c), p.currency.q, p.currency.sigma, noise)
}

// appendCounts appends how many correct payments begin with each legal token.
func (p *Problem) appendCounts(dst []int64, c *cursor) []int64 {
	for _, t := range c.Legal() {
		switch {
		case t != endToken:
			dst = append(dst, p.completions(c.sum+p.currency.values[p.currency.kind(t)], c.count+1))
		case c.sum == p.amount:
			dst = append(dst, 1)
		default:
			dst = append(dst, 0)
		}
	}
	return dst
}

// Lesson implements envs.Teacher: problem number index of the split pretrain, with
// correct payments, of which each is as likely as any other in its order.
func (e *Env) Lesson(index, n int, r *rand.Rand) (envs.Problem, [][]envs.Token, error) {
	return envs.PretrainLesson(e, index, n, func(p *Problem) []envs.Token {
		return envs.DrawCorrect(make([]envs.Token, 0, p.limit+1), p.begin(), p.appendCounts, r.Int64N)
	})
}

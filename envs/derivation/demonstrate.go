package derivation

import (
	"math/rand/v2"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/rng"
)

// Demonstrate implements envs.Problem: each token is drawn from the prior.
func (p *Problem) Demonstrate(r *rand.Rand) []envs.Token {
	return envs.Demonstrate(p.begin(), 2*p.derived(), r, p.prior)
}

// AppendPrior implements envs.Priored:
//
//	log((1-q)/|A| + q P(token)) + sigma N(0, 1)
//
// for each of |A| legal tokens. P models a person who goes through the variables after the
// last written variable, in their order: the person writes a needed variable with the
// chance written, any other with the chance digress, and the asked variable at the end. The
// digit follows from the written digits, right or wrong, unless one of the variables that
// are computed in the head for it goes wrong, each with the chance slip; then any digit is
// as likely. The noise belongs to the problem and the state.
func (p *Problem) AppendPrior(dst []float64, prefix []envs.Token) []float64 {
	return envs.AppendPrior(dst, p.begin(), prefix, p.prior)
}

func (p *Problem) prior(dst []float64, c *cursor) []float64 {
	config := &p.rules.config
	var key [maxVariables + 1]byte
	noise := p.rules.key.Str("noise").Str(p.id).Str(string(c.AppendState(key[:0]))).Rand()
	from := len(dst)
	dst = p.habit(dst, c, config.Slip)
	uniform := (1 - config.Q) / float64(len(dst)-from)
	for i, chance := range dst[from:] {
		dst[from+i] = exact.Log(uniform+float64(config.Q*chance)) + float64(config.Sigma*rng.Normal(noise))
	}
	return dst
}

// habit appends P(token) of AppendPrior for each legal token, under a chance to slip.
func (p *Problem) habit(dst []float64, c *cursor, slip float64) []float64 {
	if c.due < 0 {
		return p.choice(dst, c)
	}
	f := p.facts[c.due]
	var met set
	value := join(f.op, p.compute(c, f.left, &met), p.compute(c, f.right, &met))
	sure := 1.0
	for range met.size() {
		sure *= 1 - slip
	}
	for d := range int8(base) {
		chance := (1 - sure) / base
		if d == value {
			chance += sure
		}
		dst = append(dst, chance)
	}
	return dst
}

// choice is habit where a variable is due.
func (p *Problem) choice(dst []float64, c *cursor) []float64 {
	config := &p.rules.config
	last := -1
	for _, i := range c.order[:c.written] {
		last = max(last, int(i))
	}
	left, asked := 1.0, 0
	for _, t := range c.legal {
		i, chance := p.rules.variableOf(t), 0.0
		switch {
		case i == p.asked:
			asked = len(dst)
		case i > last && p.needed.has(i):
			chance = float64(left * config.Written)
		case i > last:
			chance = float64(left * config.Digress)
		}
		left -= chance
		dst = append(dst, chance)
	}
	dst[asked] = max(left, 0)
	return dst
}

// compute is the value of a variable as it follows from the written digits; met is the set
// of variables that are not written and were computed on the way.
func (p *Problem) compute(c *cursor, i int, met *set) int8 {
	if digit := c.claims[i]; digit != unwritten {
		return digit
	}
	*met = met.with(i)
	f := p.facts[i]
	return join(f.op, p.compute(c, f.left, met), p.compute(c, f.right, met))
}

// Lesson implements envs.Teacher: problem number index of the split pretrain, with answers
// of the demonstrator that are right in every digit.
func (e *Env) Lesson(index, n int, r *rand.Rand) (envs.Problem, [][]envs.Token, error) {
	return envs.PretrainLesson(e, index, n, func(p *Problem) []envs.Token {
		var room [max(base, maxVariables)]float64
		c := p.begin()
		return envs.Walk(nil, c, r, func([]envs.Token) []float64 { return p.habit(room[:0], c, 0) })
	})
}

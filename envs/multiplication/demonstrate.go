package multiplication

import (
	"math/rand/v2"
	"slices"

	"modebench/envs"
	"modebench/internal/exact"
)

// Demonstrate implements envs.Problem: an answer of a demonstrator that knows a
// few expressions of each kind for each operand, and errs.
//
// A kind is drawn for the first operand with the weights of the parameter skew, and one of
// its expressions uniformly; then for the second operand, plain excluded if the first is.
// From there on the right token copies, multiplies or adds up correctly. But each token is
// drawn uniformly from the legal ones instead with the probability slip, in the product, or
// lapse, elsewhere. A lapse that leads away from all known expressions of an operand is not
// mended: the demonstrator closes the number and the expression as soon as it can, and
// copies its own writing. After a wrong digit it continues with the next digit.
func (p *Problem) Demonstrate(r *rand.Rand) []envs.Token {
	c := cursor{problem: p}
	var room [words]float64
	return envs.Walk(make([]envs.Token, 0, p.format.limit), &c, r, func(answer []envs.Token) []float64 {
		return p.chances(room[:0], &c, answer)
	})
}

// AppendPrior implements envs.Priored. After a prefix that is not legal there are no next tokens.
func (p *Problem) AppendPrior(dst []float64, prefix []envs.Token) []float64 {
	c := cursor{problem: p}
	if !envs.After(&c, prefix) {
		return dst
	}
	n := len(dst)
	dst = p.chances(dst, &c, prefix)
	for i, q := range dst[n:] {
		dst[n+i] = exact.Log(q)
	}
	return dst
}

// chances appends the probability of each legal token after a prefix that the cursor has taken.
func (p *Problem) chances(dst []float64, c *cursor, prefix []envs.Token) []float64 {
	choice := c.choice()
	legal, n := choice.tokens(), len(dst)
	if len(legal) == 1 {
		return append(dst, 1)
	}
	err := p.env.config.Lapse
	if c.stage == product {
		err = p.env.config.Slip
	}
	for range legal {
		dst = append(dst, 0)
	}
	sum := 1.0
	if c.stage > secondOperand {
		right(dst[n:], legal, c.right())
	} else if sum = p.recall(dst[n:], c, legal, prefix[len(prefix)-int(c.length):]); sum == 0 {
		sum = 1
		right(dst[n:], legal, c.shortest(choice))
	}
	if slices.Max(dst[n:]) == 0 { // the right token is not legal, after a mistake
		err = 1
	}
	for i, q := range dst[n:] {
		dst[n+i] = float64(float64((1-err)*q)/sum) + err/float64(len(legal))
	}
	return dst
}

// right gives one token all the weight, if it is legal.
func right(weights []float64, legal []envs.Token, t envs.Token) {
	if i := slices.Index(legal, t); i >= 0 {
		weights[i] = 1
	}
}

// recall adds up, for each legal token, the weights of the known expressions that continue
// with it after the written part of the operand, and returns their sum.
func (p *Problem) recall(weights []float64, c *cursor, legal, written []envs.Token) float64 {
	p.findShown.Do(p.know)
	sum := 0.0
	for i := range p.shown[c.stage] {
		x := &p.shown[c.stage][i]
		if c.stage == secondOperand && x.kind == plain && c.sides[0].class == bare || !begins(x.tokens, written) {
			continue
		}
		for j, t := range legal {
			if t == x.tokens[len(written)] {
				weights[j] += x.weight
				sum += x.weight
			}
		}
	}
	return sum
}

func begins(tokens, prefix []envs.Token) bool {
	return len(tokens) > len(prefix) && slices.Equal(tokens[:len(prefix)], prefix)
}

func (c *cursor) shortest(legal choice) envs.Token {
	for _, t := range [...]envs.Token{closing, equals, plus, star} {
		if legal.has(t) {
			return t
		}
	}
	return -1 // a number begins: any digit will do
}

// right is the token that the demonstrator means to write, from the expansion on.
func (c *cursor) right() envs.Token {
	var room [2 * maxTerms]int32
	value, written := int64(0), int(c.digits)
	switch c.stage {
	case expansion:
		value = int64(c.expected(room[:0], int(c.term))[c.factor])
		if n := length(value); written < n {
			return envs.Token(value / powers[n-1-written] % 10)
		}
		return c.follower()
	case partials:
		value = c.worth(int(c.term))
	default:
		value = c.problem.product
	}
	if written < length(value) {
		return envs.Token(value / powers[written] % 10)
	}
	return c.follower()
}

func length(v int64) int {
	n := 1
	for n < len(powers) && powers[n] <= v {
		n++
	}
	return n
}

// Lesson implements envs.Teacher: the answer that the demonstrator means to write on problem number
// index of the split pretrain, without its slips and lapses, which leave one answer in five right.
func (e *Env) Lesson(index, n int, r *rand.Rand) (envs.Problem, [][]envs.Token, error) {
	return envs.PretrainLesson(e, index, n, func(p *Problem) []envs.Token { return p.teach(r) })
}

func (p *Problem) teach(r *rand.Rand) []envs.Token {
	p.findShown.Do(p.know)
	first := p.choose(0, false, r.Float64())
	return p.finish(first, p.choose(1, first.kind == plain, r.Float64()))
}

// finish is the right answer with an expression for each operand.
func (p *Problem) finish(expressions ...*shown) []envs.Token {
	out := make([]envs.Token, 0, p.format.limit)
	c := cursor{problem: p}
	for _, x := range expressions {
		for _, t := range x.tokens {
			c.take(t)
		}
		out = append(out, x.tokens...)
	}
	for !c.Done() {
		t := c.right()
		c.take(t)
		out = append(out, t)
	}
	return out
}

// choose draws one of the known expressions for an operand by u in [0, 1). The
// second operand is not left plain if the first one is.
func (p *Problem) choose(side int, afterPlain bool, u float64) (last *shown) {
	sum := 0.0
	fits := func(x *shown) bool { return !afterPlain || x.kind != plain }
	for i := range p.shown[side] {
		if x := &p.shown[side][i]; fits(x) {
			sum += x.weight
		}
	}
	u = float64(u * sum)
	for i := range p.shown[side] {
		x := &p.shown[side][i]
		if !fits(x) {
			continue
		}
		if last = x; u < x.weight {
			break
		}
		u -= x.weight
	}
	return last
}

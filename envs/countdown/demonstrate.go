package countdown

import (
	"math/bits"
	"math/rand/v2"

	"modebench/envs"
	"modebench/internal/exact"
)

// Demonstrate implements envs.Problem: each token is drawn from the prior.
func (p *Problem) Demonstrate(r *rand.Rand) []envs.Token {
	c := p.begin()
	return envs.Walk(make([]envs.Token, 0, p.shape.env.longest), c, r, func([]envs.Token) []float64 { return p.row(c).probabilities })
}

// AppendPrior implements envs.Priored: with V the number of correct completions,
//
//	log((1-q)/|A| + q V(child)/V(state)) + sigma N(0, 1)
//
// for each of |A| legal tokens, or log(1/|A|) where V(state) is 0. The noise
// belongs to the problem and the view, so that states of one view have one prior.
func (p *Problem) AppendPrior(dst []float64, prefix []envs.Token) []float64 {
	return envs.AppendPrior(dst, p.begin(), prefix, func(dst []float64, c *cursor) []float64 { return append(dst, p.row(c).logits...) })
}

// row finds the distribution in a state, making it on first sight of its view.
func (p *Problem) row(c *cursor) *row {
	var room [64]byte
	view := c.AppendView(room[:0])
	if r, ok := p.rows.Get(string(view)); ok {
		return r
	}
	r := p.makeRow(c, view)
	p.rows.Put(string(view), r, mostRows)
	return r
}

// mostRows bounds the distributions that a problem keeps, at about half a kilobyte each. Those
// that are asked for first lie at the beginning of answers and take longest to make.
const mostRows = 10_000

func (p *Problem) makeRow(c *cursor, view []byte) *row {
	config := &p.shape.env.config
	var counts [maxLegal]int64
	noise := p.shape.env.key.Str("noise").Str(p.id).Str(string(view)).Rand()
	logits := envs.AppendCounted(nil, p.appendCounts(counts[:0], c), config.Q, config.Sigma, noise)
	r := &row{logits: logits, probabilities: make([]float64, len(logits))}
	exact.Softmax(r.probabilities, r.logits)
	return r
}

// maxLegal bounds the legal tokens of a state: four operators, the end, and the numbers.
const maxLegal = 5 + maxSlots

func (p *Problem) appendCounts(dst []int64, c *cursor) []int64 {
	for _, t := range c.Legal() {
		dst = append(dst, p.completions(c, t))
	}
	return dst
}

// completions counts the correct answers that begin with the cursor's tokens and a legal token.
func (p *Problem) completions(c *cursor, t envs.Token) int64 {
	next := *c
	if next.Push(t) != nil {
		return 0
	}
	k := tally{problem: p, target: int64(p.target), optional: p.shape.env.config.AtMostOnce}
	for i, v := range next.stack[:next.depth] {
		k.stack[i] = value{v.Num, v.Den}
	}
	if next.done {
		if k.stack[0].is(k.target) {
			return 1
		}
		return 0
	}
	return k.count(int(next.depth), next.used)
}

// A tally counts the correct completions of token answers.
type tally struct {
	problem  *Problem
	target   int64
	optional bool // numbers may be left out
	stack    [maxSlots]value
}

func (k *tally) count(depth int, used slots) int64 {
	s := k.problem.shape
	total := int64(0)
	if depth == 1 && (k.optional || used == s.full) && k.stack[0].is(k.target) {
		total++
	}
	if depth >= 2 {
		total += k.join(depth, used)
	}
	for rest := s.full &^ used; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros8(rest)
		if s.free(used, k.problem.equal, i) {
			k.stack[depth] = value{int64(k.problem.numbers[i]), 1}
			total += k.count(depth+1, used|1<<i)
		}
	}
	return total
}

// join counts the completions that continue with an operator.
func (k *tally) join(depth int, used slots) int64 {
	x, y := k.stack[depth-2], k.stack[depth-1]
	if depth == 2 && used == k.problem.shape.full {
		return k.last(x, y)
	}
	total := int64(0)
	for o := sum; o <= quotient; o++ {
		if v := o.join(x, y); v.den != 0 {
			k.stack[depth-2] = v
			total += k.count(depth-1, used)
		}
	}
	k.stack[depth-2], k.stack[depth-1] = x, y
	return total
}

// last counts the operators that make the target of two values.
func (k *tally) last(x, y value) int64 {
	a, b, c := x.num*y.den, y.num*x.den, x.den*y.den
	if over := k.target * c; a+b != over && a-b != over && x.num*y.num != over && a != k.target*b {
		return 0 // as almost always
	}
	total := int64(0)
	for o := sum; o <= quotient; o++ {
		if o.join(x, y).is(k.target) {
			total++
		}
	}
	return total
}

package multiplication

import (
	"errors"
	"math"
	"strconv"

	"modebench/envs"
	"modebench/internal/arith"
)

// rewards are the reward vectors, by the bits product, decomposition and
// expansion. They are shared.
var rewards = func() (r [1 << components][]float64) {
	for i := range r {
		r[i] = make([]float64, components)
		for j := range r[i] {
			r[i][j] = float64(i >> j & 1)
		}
	}
	return r
}()

// Judge implements envs.Problem. Tokens that are not a whole answer of the grammar are
// judged by their text.
func (p *Problem) Judge(answer []envs.Token) *envs.Verdict {
	c := cursor{problem: p}
	var room leaves
	d, r, whole := c.run(answer, &room)
	switch {
	case !whole:
		return p.JudgeText(p.AnswerText(answer))
	case !c.valid:
		return p.degenerate(c.value)
	}
	return p.verdict(&d, r, c.matched, c.value)
}

func (p *Problem) verdict(d *decomposition, r reading, expanded bool, product int64) *envs.Verdict {
	s := p.solution(d, r)
	v := &envs.Verdict{Answer: p.vote(product), Mode: r.mode(), Variant: s.variant, Embedding: s.embedding[:]}
	reward := 0b010
	if v.Correct = product == p.product; v.Correct {
		reward |= 0b001
	}
	if expanded {
		reward |= 0b100
	}
	v.Reward = rewards[reward]
	return v
}

// solution is that of a valid reading, kept from an earlier answer if there was
// one: writing and embedding a variant costs more than looking it up.
func (p *Problem) solution(d *decomposition, r reading) *solution {
	var room [96]byte
	text := d.appendVariant(room[:0], r)
	if s, ok := p.solutions.Get(string(text)); ok {
		return s
	}
	s := &solution{variant: string(text)}
	d.embed(&s.embedding, r)
	p.solutions.Put(s.variant, s, maxSolutions)
	return s
}

// degenerate is the verdict of an answer that has a product and no valid decomposition.
func (p *Problem) degenerate(product int64) *envs.Verdict {
	v := &envs.Verdict{Reward: rewards[0], Answer: p.vote(product), Mode: envs.Degenerate}
	if v.Correct = product == p.product; v.Correct {
		v.Reward = rewards[0b001]
	}
	return v
}

func (p *Problem) vote(product int64) string {
	if product == p.product {
		return p.answer
	}
	return strconv.FormatInt(product, 10)
}

// JudgeText implements envs.Problem: see the package comment. Expressions are
// read by package arith.
func (p *Problem) JudgeText(text string) *envs.Verdict {
	var room [maxSides + 1]string
	parts, err := sides(room[:0], text)
	if err != nil {
		return envs.Reject(rewards[0], err)
	}
	read := readers.Get().(*reader)
	defer readers.Put(read)
	for i, side := range parts {
		if read.sides[i], err = arith.Parse(read.sides[i][:0], side); err != nil {
			return envs.Reject(rewards[0], &sideError{i + 1, side, err})
		}
	}
	last := len(parts) - 1
	product, ok := number(read.sides[last])
	if !ok {
		return envs.Reject(rewards[0], &sideError{last + 1, parts[last], errNoProduct})
	}
	given := read.sides[:last] // the sides before the product
	if last > 1 && p.isQuestion(given[0]) {
		given = given[1:]
	}
	if len(given) >= maxSides {
		return envs.Reject(rewards[0], tooMany(len(parts)))
	}
	return p.judgeSides(read, given, product)
}

// judgeSides judges an answer by the sides before its product.
func (p *Problem) judgeSides(read *reader, given [][]arith.Node, product int64) *envs.Verdict {
	if len(given) == 0 {
		return p.degenerate(product)
	}
	d := read.decomposition(given[0])
	r := d.read(p.a, p.b)
	if !r.valid {
		return p.degenerate(product)
	}
	expanded := len(given) > 1 && read.isExpansion(given[1], d, r)
	if len(given) > 2 {
		expanded = expanded && read.arePartials(given[2])
		for _, running := range given[3:] {
			expanded = expanded && read.isSum(running, p.product)
		}
	}
	return p.verdict(d, r, expanded, product)
}

func (p *Problem) isQuestion(nodes []arith.Node) bool {
	if len(nodes) != 3 || nodes[2].Op != arith.Mul {
		return false
	}
	x, y := nodes[0].Value, nodes[1].Value
	return x == p.a && y == p.b || x == p.b && y == p.a
}

// number is the value of an expression that is a number with or without signs.
func number(nodes []arith.Node) (int64, bool) {
	sign := int64(1)
	for i := len(nodes) - 1; ; i-- {
		switch nodes[i].Op {
		case arith.Neg:
			sign = -sign
		case arith.Number:
			return sign * nodes[i].Value, true
		default:
			return 0, false
		}
	}
}

var errNoProduct = errors.New("the last side is the product, want a whole number")

var kindLength = float32(math.Sqrt(alike / 2))

// Layout of an embedding: a coordinate for each kind of each operand, then
// coordinates that terms are hashed to.
const (
	dimensions = 64
	hashed     = dimensions - 2*kinds
)

// alike is the share of the kinds in the squared length of an embedding. Above 2/3, two answers of
// one family are always closer than two of different ones: the cosine of the former is at least
// alike, and that of the latter at most alike/2 + (1 - alike), for terms only add.
const alike = 0.7

// embed writes the features of a valid reading: the kind of each operand, and the terms or
// factors that represent it, hashed. The result has length 1.
func (d *decomposition) embed(dst *[dimensions]float32, r reading) {
	squares := 0
	for i, p := range r.parts {
		dst[i*kinds+int(p.kind)] = kindLength
		for _, x := range d.span(p) {
			entry := &dst[coordinate(i, p.kind == factor, x)]
			squares += 2*int(*entry) + 1
			*entry++
		}
	}
	length := float32(math.Sqrt((1 - alike) / float64(squares)))
	for i, p := range r.parts {
		for _, x := range d.span(p) {
			// Terms may share a coordinate: counts are 1 or more, and scaled below 1.
			if entry := &dst[coordinate(i, p.kind == factor, x)]; *entry >= 1 {
				*entry *= length
			}
		}
	}
}

func coordinate(operand int, isFactor bool, x int64) int {
	h := uint64(x)<<2 | uint64(operand)<<1
	if isFactor {
		h |= 1
	}
	// A multiplicative hash: the high bits of the product depend on all of h.
	h *= 0x9e3779b97f4a7c15
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	return 2*kinds + int(h>>32*hashed>>32)
}

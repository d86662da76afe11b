package countdown

import (
	"encoding/binary"
	"fmt"

	"modebench/envs"
	"modebench/internal/arith"
)

// A cursor walks one answer. Beside its tokens it keeps what the view shows.
type cursor struct {
	problem *Problem
	used    slots
	done    bool
	depth   int8
	length  int8
	stack   [maxSlots]arith.Rat // values; the zero Rat is undefined
	tokens  [2 * maxSlots]envs.Token
}

// Start implements envs.Problem.
func (p *Problem) Start() envs.Cursor { return p.begin() }

func (p *Problem) begin() *cursor {
	p.listLegal.Do(p.makeLegal)
	return &cursor{problem: p}
}

// AppendState implements envs.Cursor: the variant of each value on the stack, and
// whether the answer is done. A variant tells everything that a judge still
// asks: the numbers used and the strings, values and modes it may become part of.
func (c *cursor) AppendState(dst []byte) []byte {
	var room [2 * maxSlots]arith.Node
	var stack [maxSlots]int32
	tokens := c.tokens[:c.length]
	if c.done && c.problem.shape.env.config.AtMostOnce {
		tokens = tokens[:c.length-1] // without the end
	}
	nodes, values, _ := c.problem.shape.env.join(room[:0], stack[:0], tokens)
	for _, place := range values {
		dst = append(appendVariant(dst, nodes, int(place)), ' ')
	}
	if c.done {
		dst = append(dst, '.')
	}
	return dst
}

// AppendView implements envs.Viewer: the numbers left, and the values on the
// stack, whatever they were made of. So a tabular policy meets the same row after 2*2 as
// after 2+2, and strategies part where their values do.
func (c *cursor) AppendView(dst []byte) []byte {
	left := c.problem.shape.full &^ c.used
	if c.done {
		left |= 1 << 7
	}
	dst = append(dst, left)
	for _, v := range c.stack[:c.depth] {
		dst = binary.AppendVarint(dst, v.Num)
		dst = binary.AppendUvarint(dst, uint64(v.Den))
	}
	return dst
}

func (c *cursor) Legal() []envs.Token {
	if c.done {
		return nil
	}
	return c.problem.legal[c.problem.legalAt(c.used, int(c.depth))]
}

// legalAt is the index in legal of the tokens that may follow with depth values on the
// stack: two or more can be joined, a single one can be the answer.
func (p *Problem) legalAt(used slots, depth int) int { return 3*int(used) + min(depth, 2) }

// makeLegal lists the legal tokens for all sets of slots that answers may have
// used. The lists share one array.
func (p *Problem) makeLegal() {
	s := p.shape
	p.legal = make([][]envs.Token, 3*(int(s.full)+1))
	all := make([]envs.Token, 0, (int(s.full)+1)*(3*s.n+5))
	for used := range int(s.full) + 1 {
		if !s.leftmost(slots(used), p.equal) {
			continue
		}
		for depth := range 3 {
			from := len(all)
			if depth == 2 {
				all = append(all, plusToken, minusToken, timesToken, overToken)
			}
			if depth == 1 && s.env.config.AtMostOnce {
				all = append(all, endToken)
			}
			for i, number := range p.given() {
				if s.free(slots(used), p.equal, i) {
					all = append(all, p.token(number))
				}
			}
			p.legal[p.legalAt(slots(used), depth)] = all[from:len(all):len(all)]
		}
	}
}

// free reports whether a slot is the first of its number that is not used.
func (s *shape) free(used slots, equal uint8, i int) bool {
	taken := i == 0 || equal>>(i-1)&1 == 0 || used>>(i-1)&1 == 1
	return taken && used>>i&1 == 0
}

// Done implements envs.Cursor: one value made of all numbers or, with at_most_once, the end token.
func (c *cursor) Done() bool { return c.done }

// Push implements envs.Cursor.
func (c *cursor) Push(t envs.Token) error {
	p := c.problem
	e := p.shape.env
	switch {
	case c.done:
		return fmt.Errorf("token %d comes after the end of the answer", t)
	case t >= plusToken && t <= overToken && c.depth >= 2:
		c.depth--
		c.stack[c.depth-1] = apply(arith.Add+arith.Op(t), c.stack[c.depth-1], c.stack[c.depth])
	case t == endToken && c.depth == 1 && e.config.AtMostOnce:
		c.done = true
	case t >= firstNumber && int(t-firstNumber) <= e.high-e.low:
		number := int64(t-firstNumber) + int64(e.low)
		slot := p.slot(number, c.used)
		if slot == 0 {
			return p.misused(number)
		}
		c.used |= slot
		c.stack[c.depth] = arith.Int(number)
		c.depth++
	default:
		return fmt.Errorf("token %d, %q, is not legal here", t, e.word(t))
	}
	c.tokens[c.length] = t
	c.length++
	if !e.config.AtMostOnce {
		c.done = c.used == p.shape.full && c.depth == 1
	}
	return nil
}

// apply joins two values; a division by zero is undefined, and so is every value made with
// it. Nothing overflows: see value.
func apply(op arith.Op, x, y arith.Rat) arith.Rat {
	if x.Den == 0 || y.Den == 0 {
		return arith.Rat{}
	}
	x, _ = arith.Apply(op, x, y)
	return x
}

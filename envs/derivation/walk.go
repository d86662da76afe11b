package derivation

import (
	"fmt"

	"modebench/envs"
)

// unwritten is the value of a digit that has not been written.
const unwritten = -1

// A cursor walks one answer.
type cursor struct {
	problem *Problem
	claims  [maxVariables]int8 // digits, by variable; those that are given are as given
	order   [maxVariables]int8 // the variables written, in their order
	written int                // how many these are
	due     int                // the variable whose digit comes next, or -1
	legal   []envs.Token       // variables that may be written
}

// Start implements envs.Problem.
func (p *Problem) Start() envs.Cursor { return p.begin() }

func (p *Problem) begin() *cursor {
	c := &cursor{problem: p, due: -1}
	for i, f := range p.facts {
		c.claims[i] = f.value
		if f.op != 0 {
			c.claims[i] = unwritten
		}
	}
	c.list()
	return c
}

// list lists the variables that may be written. The list is a new one, so that one who holds
// an earlier one keeps it.
func (c *cursor) list() {
	p := c.problem
	c.legal = make([]envs.Token, 0, p.derived()-c.written)
	for i := p.given(); i < len(p.facts); i++ {
		if c.claims[i] == unwritten {
			c.legal = append(c.legal, p.rules.variable(i))
		}
	}
}

// AppendState implements envs.Cursor: the digits written, without their order, which matters
// to neither legality nor reward nor mode, and the variable whose digit is due.
func (c *cursor) AppendState(dst []byte) []byte {
	for _, digit := range c.claims[c.problem.given():len(c.problem.facts)] {
		dst = append(dst, '0'+byte(digit)) // '/' for an unwritten digit
	}
	if c.due >= 0 {
		dst = append(dst, letter(c.due))
	}
	return dst
}

// digits are the tokens of all digits.
var digits = []envs.Token{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}

// Legal implements envs.Cursor: a variable that has not been written, and then any digit.
func (c *cursor) Legal() []envs.Token {
	switch {
	case c.Done():
		return nil
	case c.due >= 0:
		return digits
	}
	return c.legal
}

func (c *cursor) Done() bool { return c.claims[c.problem.asked] != unwritten }

func (c *cursor) Push(t envs.Token) error {
	if c.due < 0 {
		i := c.problem.rules.variableOf(t)
		if i < 0 {
			return fmt.Errorf("token %d is no variable, want one", t)
		}
		return c.begins(i)
	}
	if t < 0 || t >= firstVariable {
		return fmt.Errorf("token %d after %c is no digit, want one", t, letter(c.due))
	}
	c.claims[c.due] = int8(t)
	c.order[c.written] = int8(c.due)
	c.written++
	c.due = -1
	c.list()
	return nil
}

// begins begins a statement about a variable; the error is why it cannot begin.
func (c *cursor) begins(i int) error {
	p := c.problem
	switch {
	case c.Done():
		return fmt.Errorf("%c comes after %c, which ends the answer", letter(i), letter(p.asked))
	case i >= len(p.facts):
		return fmt.Errorf("there is no variable %c; the last one is %c", letter(i), letter(len(p.facts)-1))
	case i < p.given():
		return fmt.Errorf("%c is given, want one that is not", letter(i))
	case c.claims[i] != unwritten:
		return fmt.Errorf("%c stands there twice", letter(i))
	}
	c.due = i
	return nil
}

func (c *cursor) names() set {
	var s set
	for _, i := range c.order[:c.written] {
		s = s.with(int(i))
	}
	return s
}

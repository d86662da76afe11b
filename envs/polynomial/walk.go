package polynomial

import (
	"fmt"

	"modebench/envs"
)

// The parts of an answer.
const (
	writingX = iota
	writingY
	written
)

// A cursor walks one answer: the tokens of x, a comma, the tokens of y, an end.
type cursor struct {
	grammar *grammar
	number  number // under way, or y
	x       int32  // in units, once it is written
	part    uint8
}

// Start implements envs.Problem.
func (p *Problem) Start() envs.Cursor { return &cursor{grammar: &p.env.grammar} }

// AppendState implements envs.Cursor. Of x only the value is remembered once it is written, since
// how it is spelled matters to neither legality nor reward; of an answer that is done, nothing.
func (c *cursor) AppendState(dst []byte) []byte {
	switch c.part {
	case writingX:
		return c.number.appendState(append(dst, 'x'))
	case writingY:
		return c.number.appendState(append(dst, 'y', byte(c.x>>24), byte(c.x>>16), byte(c.x>>8), byte(c.x)))
	}
	return append(dst, '.')
}

// Legal implements envs.Cursor.
func (c *cursor) Legal() []envs.Token {
	if c.part == written {
		return nil
	}
	return c.grammar.legal[c.part][c.number.stage]
}

// Done implements envs.Cursor.
func (c *cursor) Done() bool { return c.part == written }

// Push implements envs.Cursor.
func (c *cursor) Push(t envs.Token) error {
	switch {
	case c.step(t):
		return nil
	case c.part == written:
		return fmt.Errorf("token %d comes after the end of the pair", t)
	}
	return fmt.Errorf("token %d is not legal here; legal tokens are %v", t, c.Legal())
}

// step takes a token, or changes nothing and reports that it is not legal.
func (c *cursor) step(t envs.Token) bool {
	switch {
	case c.part == written:
		return false
	case t == comma && c.part == writingX && c.number.stage.whole():
		c.x = int32(c.number.value(c.grammar))
		c.part, c.number = writingY, number{}
		return true
	case t == end && c.part == writingY && c.number.stage.whole():
		c.part = written
		return true
	}
	return c.number.add(c.grammar, t)
}

package maze

import (
	"fmt"

	"modebench/envs"
)

// legal are the tokens of moves, wherever a route is not done.
var legal = []envs.Token{up, down, left, right}

// A cursor walks one route.
type cursor struct {
	problem *Problem
	items   itemSet
	cell    int16
	steps   uint16
	bumped  bool // the last move stayed put
	fresh   bool // it was the first to step on an item
}

// Start implements envs.Problem.
func (p *Problem) Start() envs.Cursor { return &cursor{problem: p, cell: p.start} }

// AppendState implements envs.Cursor: the cell, the steps used, and the items stepped on.
func (c *cursor) AppendState(dst []byte) []byte {
	return append(dst, byte(c.cell>>8), byte(c.cell), byte(c.steps>>8), byte(c.steps),
		byte(c.items>>16), byte(c.items>>8), byte(c.items))
}

// AppendView implements envs.Viewer: the cell, and the gold, the diamonds and, if it has an
// effect, the bonus collected. Neither the steps nor the lava stepped on are shown, so that a
// tabular policy meets the same rows again. A route that is done looks as if it were on the first
// cell of the border, where no other route can be.
func (c *cursor) AppendView(dst []byte) []byte {
	cell, items := c.cell, c.items&^(lavaBits|bonusBit)|c.items&bonusBit>>(bonusShift-lavaShift)
	if c.Done() {
		cell = 0
	}
	return append(dst, byte(cell>>8), byte(cell), byte(items>>8), byte(items))
}

// Legal implements envs.Cursor.
func (c *cursor) Legal() []envs.Token {
	if c.Done() {
		return nil
	}
	return legal
}

// Done implements envs.Cursor: at E, or with the budget used up.
func (c *cursor) Done() bool {
	return c.cell == c.problem.exit || int(c.steps) == c.problem.budget
}

// Push implements envs.Cursor.
func (c *cursor) Push(t envs.Token) error {
	if uint(t) >= uint(len(legal)) {
		return fmt.Errorf("token %d is no move; moves are 0 to %d", t, len(legal)-1)
	}
	if c.Done() {
		return fmt.Errorf("token %d comes after the end of the route", t)
	}
	c.move(t)
	return nil
}

// move takes a step. A wall or the border stops it, but it is a step all the same.
func (c *cursor) move(t envs.Token) {
	next := c.cell + c.problem.geo.delta[t&3]
	c.bumped, c.fresh = c.problem.cells[next] == wallCell, false
	if !c.bumped {
		c.cell = next
		items := c.items | c.problem.items[next]
		c.fresh, c.items = items != c.items, items
	}
	c.steps++
}

package coins

import (
	"fmt"

	"modebench/envs"
)

// A cursor walks one payment.
type cursor struct {
	problem *Problem
	taken   purse
	count   int // coins taken
	sum     int // their worth
	done    bool
	legal   []envs.Token // the end and the coins on offer
}

// Start implements envs.Problem.
func (p *Problem) Start() envs.Cursor { return p.begin() }

func (p *Problem) begin() *cursor {
	c := &cursor{problem: p, legal: make([]envs.Token, 1, maxKinds+1)}
	for _, kind := range p.coins {
		c.legal = append(c.legal, p.currency.coin(kind))
	}
	return c
}

// AppendState implements envs.Cursor: the coins taken, without their order, which
// matters to neither legality nor reward nor mode.
func (c *cursor) AppendState(dst []byte) []byte {
	dst = append(dst, c.taken[:c.problem.kinds()]...)
	if c.done {
		dst = append(dst, '.')
	}
	return dst
}

// Legal implements envs.Cursor: a coin on offer while there is room, and the end from the
// first coin on.
func (c *cursor) Legal() []envs.Token {
	switch {
	case c.done:
		return nil
	case c.count == 0:
		return c.legal[1:]
	case c.count == c.problem.limit:
		return c.legal[:1]
	}
	return c.legal
}

func (c *cursor) Done() bool { return c.done }

func (c *cursor) Push(t envs.Token) error {
	p := c.problem
	switch {
	case c.done:
		return fmt.Errorf("token %d comes after the end of the payment", t)
	case t == endToken && c.count == 0:
		return fmt.Errorf("the payment has no coin, want 1 to %d", p.limit)
	case t == endToken:
		c.done = true
		return nil
	}
	kind := p.currency.kind(t)
	if kind < 0 {
		return fmt.Errorf("token %d is no coin and no end", t)
	}
	return c.take(kind)
}

// take takes a coin; the error is why it cannot be taken.
func (c *cursor) take(kind int) error {
	p := c.problem
	value := p.currency.values[kind]
	place := p.offer(kind)
	switch {
	case place < 0:
		return fmt.Errorf("there is no coin of %d; coins are %s", value, p.offered())
	case c.count == p.limit:
		return fmt.Errorf("more than %d coins", p.limit)
	}
	c.taken[place]++
	c.count++
	c.sum += value
	return nil
}

package tabular_test

import (
	"fmt"
	"math/rand/v2"

	"modebench/envs"
)

// A corridor is a small maze: cells 0 to 3 in a row, things to take in cells 0
// and 2, from cell 1 to the exit at 3 within a budget of steps. Its state counts
// the steps; its view, which has a row of a policy, shows the cell and the thing that was
// taken. The demonstrator looks at the steps too, so that what it does in a view
// is an average.
type corridor struct {
	id     string
	budget int
	salt   int
}

const (
	goLeft  envs.Token = 3
	goRight envs.Token = 5
	takeIt  envs.Token = 6
)

func (c *corridor) ID() string         { return c.id }
func (c *corridor) Start() envs.Cursor { return &corridorCursor{corridor: c, cell: 1} }

func (c *corridor) Demonstrate(r *rand.Rand) []envs.Token {
	at, out := c.Start().(*corridorCursor), []envs.Token(nil)
	for !at.Done() {
		var pool []envs.Token
		for _, token := range at.Legal() {
			for range 1 + (7*int(token)+3*at.cell+5*at.taken+2*at.steps+c.salt)%5 {
				pool = append(pool, token)
			}
		}
		token := pool[r.IntN(len(pool))]
		out = append(out, token)
		if err := at.Push(token); err != nil {
			panic(err)
		}
	}
	return out
}

// Judge gives as mode what was taken and whether the exit was reached.
func (c *corridor) Judge(answer []envs.Token) *envs.Verdict {
	at := c.Start().(*corridorCursor)
	for _, token := range answer {
		if err := at.Push(token); err != nil {
			return &envs.Verdict{Err: err}
		}
	}
	return &envs.Verdict{Mode: envs.Mode(fmt.Sprint(at.taken, at.cell == 3)), Correct: true}
}

// A policy asks nothing of the following.

func (c *corridor) Prompt() []envs.Token                      { return nil }
func (c *corridor) PromptText() string                        { return c.id }
func (c *corridor) JudgeText(string) *envs.Verdict            { return &envs.Verdict{} }
func (c *corridor) AnswerText(a []envs.Token) string          { return fmt.Sprint(a) }
func (c *corridor) AnswerTokens(string) ([]envs.Token, error) { return nil, nil }
func (c *corridor) Truth() envs.Truth                         { return envs.Truth{} }
func (c *corridor) Picture(...[]envs.Token) string            { return "" }
func (c *corridor) Fields() map[string]any                    { return nil }

type corridorCursor struct {
	*corridor
	cell, taken, steps int
}

func (c *corridorCursor) AppendState(dst []byte) []byte {
	return append(c.AppendView(dst), byte(c.steps))
}

func (c *corridorCursor) AppendView(dst []byte) []byte {
	return append(dst, byte(c.cell), byte(c.taken))
}

func (c *corridorCursor) Done() bool { return c.cell == 3 || c.steps == c.budget }

func (c *corridorCursor) Legal() []envs.Token {
	if c.Done() {
		return nil
	}
	var out []envs.Token
	if c.cell > 0 {
		out = append(out, goLeft)
	}
	out = append(out, goRight)
	if c.cell%2 == 0 && c.taken&(1+c.cell) == 0 {
		out = append(out, takeIt)
	}
	return out
}

func (c *corridorCursor) Push(t envs.Token) error {
	for _, legal := range c.Legal() {
		if t != legal {
			continue
		}
		c.steps++
		switch t {
		case goLeft:
			c.cell--
		case goRight:
			c.cell++
		case takeIt:
			c.taken |= 1 + c.cell
		}
		return nil
	}
	return fmt.Errorf("token %d is not legal in cell %d", t, c.cell)
}

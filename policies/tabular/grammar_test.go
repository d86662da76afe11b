package tabular_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"modebench/envs"
)

// A grammar is a problem written down as a table: the tokens of each state and
// their successors. It exercises more than the bandit can: answers of several
// tokens, token numbers with gaps, and a state that two prefixes reach.
type grammar struct {
	id    string
	start string
	moves map[string][]move
	salt  int // makes the demonstrator's weights differ from problem to problem
}

type move struct {
	token envs.Token
	to    string // "" ends the answer
}

// branching has eleven answers of one to three tokens. State C follows both
// [2 1] and [5 4]; D's tokens have no gap, those of the others do; E leaves no
// choice.
func branching(id string, salt int) *grammar {
	return &grammar{id: id, start: "S", salt: salt, moves: map[string][]move{
		"S": {{2, "A"}, {5, "B"}, {9, ""}},
		"A": {{1, "C"}, {4, ""}},
		"B": {{0, ""}, {4, "C"}, {6, "E"}, {11, "D"}},
		"C": {{3, ""}, {10, ""}},
		"D": {{3, ""}, {4, ""}, {5, ""}},
		"E": {{8, ""}},
	}}
}

// loop has answers without bound: 7 ends, 8 goes round again in the same state.
func loop(id string) *grammar {
	return &grammar{id: id, start: "L", moves: map[string][]move{"L": {{7, ""}, {8, "L"}}}}
}

// flat is a bandit of n arms whose weights are given.
func flat(id string, n int) *grammar {
	g := &grammar{id: id, start: "F", moves: map[string][]move{}}
	for i := range n {
		g.moves["F"] = append(g.moves["F"], move{envs.Token(i), ""})
	}
	return g
}

// weight is how much the demonstrator likes a token, up to a factor.
func (g *grammar) weight(state string, token envs.Token) float64 {
	return float64(1 + (7*int(token)+3*int(state[0])+5*g.salt)%11)
}

func (g *grammar) index(state string, token envs.Token) int {
	return slices.IndexFunc(g.moves[state], func(m move) bool { return m.token == token })
}

// states lists the states that an answer goes through, one per token.
func (g *grammar) states(answer []envs.Token) []string {
	state, out := g.start, []string(nil)
	for _, token := range answer {
		i := g.index(state, token)
		if i < 0 {
			panic(fmt.Sprintf("token %d is not legal in state %q", token, state))
		}
		out = append(out, state)
		state = g.moves[state][i].to
	}
	return out
}

// answers lists all answers in the order of their tokens.
func (g *grammar) answers() [][]envs.Token {
	var out [][]envs.Token
	var visit func(state string, prefix []envs.Token)
	visit = func(state string, prefix []envs.Token) {
		if state == "" {
			out = append(out, slices.Clone(prefix))
			return
		}
		for _, m := range g.moves[state] {
			visit(m.to, append(prefix, m.token))
		}
	}
	visit(g.start, nil)
	return out
}

func (g *grammar) ID() string         { return g.id }
func (g *grammar) Start() envs.Cursor { return &grammarCursor{g: g, state: g.start} }

// Demonstrate takes each token in proportion to its weight.
func (g *grammar) Demonstrate(r *rand.Rand) []envs.Token {
	var out []envs.Token
	for state := g.start; state != ""; {
		total := 0.0
		for _, m := range g.moves[state] {
			total += g.weight(state, m.token)
		}
		u, next := float64(r.Float64()*total), g.moves[state][len(g.moves[state])-1]
		for _, m := range g.moves[state] {
			if u -= g.weight(state, m.token); u < 0 {
				next = m
				break
			}
		}
		out, state = append(out, next.token), next.to
	}
	return out
}

// A policy asks nothing of the following.

func (g *grammar) Prompt() []envs.Token                      { return nil }
func (g *grammar) PromptText() string                        { return g.id }
func (g *grammar) Judge([]envs.Token) *envs.Verdict          { return &envs.Verdict{} }
func (g *grammar) JudgeText(string) *envs.Verdict            { return &envs.Verdict{} }
func (g *grammar) AnswerText(a []envs.Token) string          { return fmt.Sprint(a) }
func (g *grammar) AnswerTokens(string) ([]envs.Token, error) { return nil, nil }
func (g *grammar) Truth() envs.Truth                         { return envs.Truth{} }
func (g *grammar) Picture(...[]envs.Token) string            { return "" }
func (g *grammar) Fields() map[string]any                    { return nil }

type grammarCursor struct {
	g     *grammar
	state string
}

func (c *grammarCursor) AppendState(dst []byte) []byte { return append(dst, c.state...) }
func (c *grammarCursor) Done() bool                    { return c.state == "" }

func (c *grammarCursor) Legal() []envs.Token {
	var out []envs.Token
	for _, m := range c.g.moves[c.state] {
		out = append(out, m.token)
	}
	return out
}

func (c *grammarCursor) Push(t envs.Token) error {
	i := c.g.index(c.state, t)
	if i < 0 {
		return fmt.Errorf("token %d is not legal in state %q", t, c.state)
	}
	c.state = c.g.moves[c.state][i].to
	return nil
}

// A priored grammar states its demonstrator's distribution. The appended list is
// not normalised: the interface leaves a constant open.
type priored struct {
	*grammar
	logits func(state string, token envs.Token) float64 // nil: log of the weights, plus 2.5
}

func (g *priored) logit(state string, token envs.Token) float64 {
	if g.logits != nil {
		return g.logits(state, token)
	}
	return math.Log(g.weight(state, token)) + 2.5
}

func (g *priored) AppendPrior(dst []float64, prefix []envs.Token) []float64 {
	state := g.start
	for _, token := range prefix {
		state = g.moves[state][g.index(state, token)].to
	}
	for _, m := range g.moves[state] {
		dst = append(dst, g.logit(state, m.token))
	}
	return dst
}

package polynomial

import (
	"fmt"
	"strings"
	"sync"

	"modebench/envs"
)

// A Problem is one relation.
type Problem struct {
	env      *Env
	id       string
	relation relation
	curve    curve

	findTruth   sync.Once
	truth       envs.Truth
	solutions   [][2]float64 // correct pairs, at most maxSolutions
	lazyChoices sync.Once
	choices     []choice
}

// ID implements envs.Problem.
func (p *Problem) ID() string { return p.id }

// Prompt implements envs.Problem: the relation's characters without blanks.
func (p *Problem) Prompt() []envs.Token {
	text := p.relation.String()
	out := make([]envs.Token, 0, len(text))
	for _, b := range []byte(text) {
		switch sign := strings.IndexByte(promptSigns, b); {
		case sign >= 0:
			out = append(out, answerTokens+envs.Token(sign))
		case b != ' ':
			out = append(out, tokenOf(b))
		}
	}
	return out
}

// PromptText implements envs.Problem.
func (p *Problem) PromptText() string {
	return p.preamble("Find a pair of numbers (x, y)", "satisfies") +
		"Many pairs are right, and any of them will do. " +
		"Give one inside <answer>...</answer> tags, in the form <answer>x=..., y=...</answer>."
}

// MultiPromptText implements envs.MultiPrompter: the prompt for m pairs.
func (p *Problem) MultiPromptText(m int) string {
	return p.preamble(fmt.Sprintf("Find %d different pairs of numbers (x, y)", m), "satisfy") +
		"Pairs are different when their values of x or of y are; other spellings of one number (1 and 1.0) do not count. " +
		fmt.Sprintf("Put each pair, in the form x=..., y=..., into its own numbered tags: %s.", envs.Tags("pair", m))
}

func (p *Problem) preamble(task, verb string) string {
	return fmt.Sprintf("%s that %s this relation:\n\n%s\n\nWrite each number as %s; expressions, fractions and exponents are not read.\n",
		task, verb, &p.relation, p.env.describe())
}

// Fields implements envs.Problem: "relation" as printed; "coefficients", the terms of its left side
// less its right side (powers of x and y, and the coefficient); and "solutions", the correct pairs
// as [x, y], by x and then by y: all of them, or 2000 at equal distances in that order.
func (p *Problem) Fields() map[string]any {
	p.Truth()
	return map[string]any{"relation": p.relation.String(), "coefficients": p.relation.terms(), "solutions": p.solutions}
}

type choice struct {
	x      int64
	tokens []envs.Token // of its shortest literal, and the comma
	weight float64
}

// The rewards (correct, format) that verdicts share.
var (
	rightReward = []float64{1, 1}
	wrongReward = []float64{0, 1}
	noReward    = []float64{0, 0}
)

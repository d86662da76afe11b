package multiplication

import (
	"slices"

	"modebench/envs"
)

// AnswerText implements envs.Problem. Numbers are turned round if the grammar has their
// last digit first, as far as the tokens keep to it. The end of the answer is not written,
// and elsewhere it is a full stop, which does not parse; nor does "?", an unknown token.
func (p *Problem) AnswerText(answer []envs.Token) string {
	text := make([]byte, 0, len(answer)+2*maxTokenSides)
	c, legal := cursor{problem: p}, true
	digits := 0 // at the end of the text, if they are to be turned round
	for i, t := range answer {
		if legal && t >= 0 && t < plus && c.stage >= partials {
			digits++
		} else {
			slices.Reverse(text[len(text)-digits:])
			digits = 0
		}
		switch {
		case t == equals:
			text = append(text, " = "...)
		case t >= 0 && t < end:
			text = append(text, symbols[t])
		case t == end && i < len(answer)-1:
			text = append(text, '.')
		case t != end:
			text = append(text, '?')
		}
		if legal = legal && c.choice().has(t); legal {
			c.take(t)
		}
	}
	slices.Reverse(text[len(text)-digits:])
	return string(text)
}

package countdown

import (
	"strconv"

	"modebench/envs"
)

// word is the text of a token; one outside the vocabulary is "?".
func (e *Env) word(t envs.Token) string {
	switch {
	case t >= plusToken && t <= overToken:
		return "+-*/"[t : t+1]
	case t == endToken:
		return "end"
	case t >= firstNumber && int(t-firstNumber) <= e.high-e.low:
		return strconv.Itoa(int(t-firstNumber) + e.low)
	}
	return "?"
}

// The tokens: operators, the end of an answer (with at_most_once), and the numbers
// from Env.low on.
const (
	plusToken envs.Token = iota
	minusToken
	timesToken
	overToken
	endToken
	firstNumber
)

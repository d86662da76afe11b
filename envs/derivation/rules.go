package derivation

import (
	"math/bits"
	"strings"

	"modebench/envs"
	"modebench/internal/rng"
)

// Most variables of a problem: 8 given, 6 steps, 3 distractors and the asked one.
const maxVariables = 18

// The rules are common to all problems.
type rules struct {
	config Config
	key    rng.Key // of the hash that deals problems to splits, and of the noise; problems name their draw
	layout layout
}

func newRules(c Config) *rules {
	m := &rules{config: c, key: envs.Draw{}.Key("derivation")}
	m.layout = newLayout(m.variables())
	return m
}

// derived is how many derived variables a problem has at most. One of the split ood has a
// step in the place of a distractor, if there is any.
func (m *rules) derived() int   { return m.config.Steps + 1 + max(m.config.Distractors, 1) }
func (m *rules) variables() int { return m.config.Givens + m.derived() }

// base is the modulus of digits.
const base = 10

// A fact defines a variable: a digit, or two earlier variables and the operation that joins them.
type fact struct {
	op          byte // '+', '-' or '*'; 0: the variable is given
	left, right int  // the two variables
	value       int8 // the digit of the variable
}

func join(op byte, x, y int8) int8 {
	switch op {
	case '+':
		return (x + y) % base
	case '-':
		return (x - y + base) % base
	}
	return x * y % base
}

// A set is a set of variables, bit i for variable i.
type set uint32

func (s set) has(i int) bool   { return s>>i&1 == 1 }
func (s set) with(i int) set   { return s | 1<<i }
func (s set) size() int        { return bits.OnesCount32(uint32(s)) }
func letter(variable int) byte { return 'a' + byte(variable) }

// The tokens: the digits, the variables, and then what only prompts have. An operation's
// token is equalToken plus its place in operations, from 1.
const firstVariable envs.Token = base

// operations are all that there are, in the order of their tokens.
const operations = "+-*"

func (m *rules) variable(i int) envs.Token { return firstVariable + envs.Token(i) }

// variableOf is the variable of a token, or -1 if the token is not a variable.
func (m *rules) variableOf(t envs.Token) int {
	if t < firstVariable || t >= m.equal() {
		return -1
	}
	return int(t - firstVariable)
}

// equal is the token of the equality sign; operations follow it, and then the question.
func (m *rules) equal() envs.Token { return m.variable(m.variables()) }

// question is the token before the variable that is asked for.
func (m *rules) question() envs.Token { return m.equal() + 1 + envs.Token(len(operations)) }

// characters are the texts of the tokens that answers have.
const characters = "0123456789abcdefghijklmnopqr"

func (m *rules) vocabulary() []string {
	return strings.Split(characters[:m.equal()]+"="+operations+"?", "")
}

// word is the text of a token; a token that answers do not have is "?".
func (m *rules) word(t envs.Token) string {
	if t < 0 || t >= m.equal() {
		return "?"
	}
	return characters[t : t+1]
}

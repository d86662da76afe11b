package multiplication

import (
	"strconv"
	"testing"

	"modebench/envs"
	"modebench/envs/envtest"
	"modebench/internal/rng"
)

func build(t testing.TB, change func(*Config)) *Env {
	t.Helper()
	return envtest.Build[*Env](t, Default(), change)
}

func problem(t testing.TB, e *Env, split envs.Split, index int) *Problem {
	t.Helper()
	return envtest.Problem[*Problem](t, e, split, index)
}

// drawn is the problem of two operands, which no split need hold.
func drawn(t testing.TB, a, b int64, terms int) *Problem {
	t.Helper()
	e := build(t, nil)
	return e.newProblem(newFormat(len(strconv.FormatInt(a, 10)), len(strconv.FormatInt(b, 10)), terms), "drawn", a, b)
}

// variants are the parameters that tests go through.
var variants = []struct {
	name   string
	change func(*Config)
}{
	{"default", nil},
	{"two digits by three", func(c *Config) { c.DigitsB = 3 }},
	{"three digits by two, two terms", func(c *Config) { c.DigitsA, c.MaxTerms = 3, 2 }},
	{"two digits, four terms", func(c *Config) { c.MaxTerms, c.Variants = 4, 30 }},
	{"four digits", func(c *Config) { c.DigitsA, c.DigitsB = 4, 4 }},
	{"a careful demonstrator", func(c *Config) { c.Slip, c.Lapse, c.Skew = 0.01, 0.001, 0 }},
	{"a demonstrator that knows nothing", func(c *Config) { c.Slip, c.Lapse = 1, 1 }},
}

// parsed gives the tokens of a text.
func parsed(t testing.TB, p *Problem, text string) []envs.Token {
	t.Helper()
	tokens, err := p.AnswerTokens(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return tokens
}

// walked is a cursor that has taken tokens one by one.
func walked(t testing.TB, p *Problem, tokens []envs.Token) *cursor {
	t.Helper()
	c := p.Start().(*cursor)
	for _, token := range tokens {
		if err := c.Push(token); err != nil {
			t.Fatalf("%s: %v", p.AnswerText(tokens), err)
		}
	}
	return c
}

// wander takes random tokens from a cursor's place to the end, mostly those that the
// demonstrator means, and returns the tokens.
func wander(c *cursor, key rng.Key, random float64) []envs.Token {
	r := key.Rand()
	var out []envs.Token
	for !c.Done() {
		legal := c.Legal()
		next := legal[r.IntN(len(legal))]
		if c.stage > secondOperand && r.Float64() >= random {
			if due := c.right(); c.choice().has(due) {
				next = due
			}
		}
		c.take(next)
		out = append(out, next)
	}
	return out
}

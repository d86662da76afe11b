package polynomial

import (
	"testing"

	"modebench/envs"
	"modebench/envs/envtest"
)

// build makes an environment from the defaults, changed.
func build(t testing.TB, change func(*Config)) *Env {
	t.Helper()
	return envtest.Build[*Env](t, Default(), change)
}

func problem(t testing.TB, e *Env, split envs.Split, index int) *Problem {
	t.Helper()
	return envtest.Problem[*Problem](t, e, split, index)
}

// variants are the parameter sets that the tests of this package run over.
var variants = []struct {
	name   string
	change func(*Config)
}{
	{"default", nil},
	{"integers of one digit", func(c *Config) { c.Digits, c.Decimals, c.DegreeMax, c.MinModes = 1, 0, 2, 3 }},
	{"one digit, one decimal", func(c *Config) { c.Digits, c.Decimals, c.MinModes = 1, 1, 2 }},
	{"two digits, three decimals", func(c *Config) { c.Digits, c.Decimals, c.DegreeMin, c.Coefficients = 2, 3, 2, 20 }},
	{"four digits, one decimal", func(c *Config) { c.Digits, c.Decimals, c.DegreeMin = 4, 1, 3 }},
	{"implicit", func(c *Config) { c.Digits, c.Implicit, c.Coefficients = 2, 1, 5 }},
	{"small lines", func(c *Config) { c.Decimals, c.DegreeMax, c.Implicit, c.Coefficients = 0, 1, 0, 2 }},
	{"a careful demonstrator", func(c *Config) { c.Decimals, c.Choices, c.Skew, c.Slip = 1, 64, 0, 0.001 }},
	{"a blind demonstrator", func(c *Config) { c.Decimals, c.Choices, c.Skew, c.Slip = 1, 1, 10, 1 }},
}

// relate makes a problem of a relation.
func relate(t testing.TB, e *Env, q relation) *Problem {
	t.Helper()
	return &Problem{env: e, id: "made", relation: q, curve: e.scale(&q)}
}

// Relations to try things on.
var (
	paper   = relation{explicit: true, x: [5]int64{-7, -3, -1}, y: 1} // y = x^2+3*x+7, Poly-EPO's own
	round25 = relation{x: [5]int64{-25, 0, 1}, yy: 1}                 // x^2+y^2 = 25
	product = relation{x: [5]int64{-12, -2}, xy: 1, y: 3}             // x*y-2*x+3*y = 12
	slope   = relation{x: [5]int64{-7, 2}, y: 3}                      // 2*x+3*y = 7
	cubic   = relation{explicit: true, x: [5]int64{0, 2, 0, 1}, y: 1} // y = -x^3-2*x
	apart   = relation{x: [5]int64{-3, -6, 1}, y: -4, yy: -1}         // x^2-y^2-6*x-4*y = 3
)

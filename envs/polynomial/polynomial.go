// Package polynomial asks for a pair of numbers that satisfies a relation:
// y = x^2+3*x+7, or x^2+y^2 = 25. Every pair is a mode, so a relation with many
// right pairs is a strategy space whose every point is known exactly.
//
// Poly-EPO sec. 6.2 describes the task and counts diversity by value: outputs whose x or whose y
// differ belong to different clusters. Choices that the paper leaves open are decided here:
//
//   - An answer is `x=1, y=11`. The order is free, so are blanks around names, signs of
//     equality, commas and parentheses, and one pair of parentheses may surround the whole,
//     as the paper prints it.
//   - A number is a literal of the grammar [-−]?(0|[1-9][0-9]*)(\.[0-9]+)?, with at most
//     `digits` digits before the point and `decimals` after it; no blank follows its sign.
//     The minus sign of print (U+2212), which language models write, is one as for other
//     tasks; verdicts have the one of ASCII. No expression can take its place, so a direct
//     reader does what a parser of expressions does for other tasks.
//   - Value decides identity: 1, 1.0 and 1.00 are one mode and three variants. A
//     variant is the pair as it is spelled, up to order and blanks. Minus zero is
//     zero, so 0 has twice as many spellings as other integers.
//   - Tokens always write x first: its characters, a comma, those of y, an end. A
//     text gives the tokens of its pair, whatever its order.
//   - A right pair is worth 1 and a wrong one in the right form 0.1, TinyZero's
//     scheme, as the reward vector (correct, format) under w* = (0.9, 0.1).
//   - Implicit relations are lines, hyperbolas a*x*y+b*x+c*y = d, circles, ellipses
//     and differences of squares; the constant makes a drawn pair of integers right.
//     Conics that fall apart into lines are rejected, and so are relations that
//     a factor divides and lines that could be written y = p(x): every curve has
//     one relation.
//   - A relation with fewer than `min_modes` writable pairs is rejected.
//   - A hash of the relation decides whether it belongs to the split pretrain (half of
//     all), train or test (a quarter each): there are only a few hundred lines, and
//     relations of the training would come back in the test.
//   - Within a split relations may repeat, lines above all, for the same reason: by
//     default 4 of the first 100 problems of the split train have the relation of
//     an earlier one, and 64 of the first 500.
//   - Problems of the split ood are harder, and no other split can have them: explicit ones
//     have one degree more than degree_max, implicit ones a coefficient above the usual
//     bound, up to twice as large.
//
// All arithmetic is in integers, in units of the last decimal place.
package polynomial

import (
	"sync"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/params"
	"modebench/internal/plural"
)

// Config holds the parameters of the environment.
type Config struct {
	DegreeMin    int     `param:"degree_min" doc:"lowest degree of an explicit relation y = p(x)" min:"1" max:"3"`
	DegreeMax    int     `param:"degree_max" doc:"highest degree of an explicit relation; in split ood all have one more" min:"1" max:"3"`
	Implicit     float64 `param:"implicit" doc:"share of implicit relations (lines, hyperbolas, circles, ellipses, differences of squares) among those drawn; as more of them are rejected, a little less among problems" min:"0" max:"1"`
	Coefficients int     `param:"coefficients" doc:"largest absolute value of a coefficient; in split ood some of an implicit relation are larger, up to twice this" min:"2" max:"20"`
	Digits       int     `param:"digits" doc:"most digits of an answer's number before the point" min:"1" max:"4"`
	Decimals     int     `param:"decimals" doc:"most digits of an answer's number after the point; each makes a line's truth ten times as large, up to 7 MB where digits+decimals is 5" min:"0" max:"3"`
	MinModes     int     `param:"min_modes" doc:"fewest correct pairs that a problem may have" min:"1" max:"1000"`

	Choices int     `param:"choices" doc:"demonstrator: values of x that it chooses from, the easiest that are part of a correct pair" min:"1" max:"64" readers:"demonstrator,lessons"`
	Skew    float64 `param:"skew" doc:"demonstrator: it takes the n-th easiest x with a probability in proportion to 1/n^skew" min:"0" max:"10" readers:"demonstrator,lessons" when:"choices>1"`
	Slip    float64 `param:"slip" doc:"demonstrator: probability, at every token, of taking any legal one" min:"0.001" max:"1" readers:"demonstrator"`

	envs.Draw
}

func init() {
	envs.Register(envs.Definition{
		Name:        "polynomial",
		Summary:     "a pair (x, y) that satisfies a polynomial relation; every pair is a mode, and all are known",
		Source:      "Poly-EPO sec. 6.2",
		Default:     func() envs.Config { return Default() },
		Transformer: envs.Transformer{Width: 64, Heads: 4, Steps: 4000, Batch: 64, LR: 2e-3},
	})
}

// Default has degrees 1 to 3, three relations in ten implicit, and numbers of
// three digits with two decimals.
func Default() *Config {
	return &Config{
		DegreeMin: 1, DegreeMax: 3, Implicit: 0.3, Coefficients: 9, Digits: 3, Decimals: 2, MinModes: 8,
		Choices: 16, Skew: 1, Slip: 0.3,
	}
}

// Build makes the environment. Parameters out of their bounds, and contradicting ones,
// are an error.
func (c *Config) Build() (envs.Env, error) {
	if err := params.Check(c); err != nil {
		return nil, err
	}
	switch {
	case c.DegreeMin > c.DegreeMax:
		return nil, params.Errorf("degree_min", "got %d, want 1 to degree_max, %d", c.DegreeMin, c.DegreeMax)
	case c.Digits+c.Decimals > maxPlaces:
		return nil, params.Errorf("decimals", "got %d, want 0 to %d beside %s: a line has up to 2*10^(digits+decimals) correct pairs, and the truth lists them all",
			c.Decimals, maxPlaces-c.Digits, plural.Count(c.Digits, "digit"))
	}
	e := &Env{config: *c, grammar: newGrammar(c.Digits, c.Decimals)}
	e.grammar.layout = newLayout(c)
	e.periods = periods(e.unit, c.Digits)
	for i := range c.Choices {
		e.weights = append(e.weights, exact.Exp(-float64(c.Skew*exact.Log(float64(1+i)))))
	}
	e.scratch.New = func() any { return &scratch{} }
	return e, nil
}

// Env is the environment with its parameters fixed.
type Env struct {
	config Config
	grammar
	periods []int64   // of the embedding's waves, in units
	weights []float64 // demonstrator: of the n-th easiest x
	scratch sync.Pool // *scratch
}

// Info implements envs.Env. Under w* a correct pair is worth 1 and a well-formed wrong one 0.1.
func (e *Env) Info() envs.Info {
	return envs.Info{
		Components: []string{"correct", "format"},
		Weights:    []float64{0.9, 0.1},
		Vocabulary: vocabulary(),
		MaxAnswer:  2*e.longest() + 2,
		Word:       "pair",
		Embeddings: true,
		Variants:   true,
		Formal:     []bool{false, true},
	}
}

// Package countdown is the Countdown task (SetPO sec. 5.2 and app. G.2; TinyZero): an expression
// over given numbers that makes a target. All solutions are known, as strings and as modes, so a
// collapse of strategies shows.
//
// The mode of an expression is its rational function of the number slots, where equal numbers are
// interchangeable: 54-(21-24)*3 and 3*(24-21)+54 are one mode, 54/3+24+21 is another. Among
// expressions that use a slot once this is equality up to commutativity, associativity,
// distribution of signs, and division by a quotient; see form. A mode is printed as one of its
// expressions. A variant is the expression itself without the parentheses that associativity makes
// redundant; SetPO's seven answers for 63 are 2 modes, of 12 variants in all.
//
// A mode is the function, and not what is left of it for these numbers. So ways to do nothing are
// modes: 10, 10, 18 and 25 make 43 in four, 25+18+10-10, (25+18)*10/10, 25*10/10+18 and
// 25+18*10/10. Values that happen to be 0 or 1, as 10-10 and 10-9 are, merge nothing.
//
// Where the papers are silent:
//
//   - Numbers are drawn uniformly and independently, and so is a target; the draw
//     is accepted if the target has at least min_modes modes. With numbers of 1 to
//     99, most solvable problems have a single one: nothing to collapse. min_modes
//     1 is the distribution of the papers.
//   - The splits pretrain, train and test share no numbers: a hash of the numbers gives a
//     half of all draws to pretrain, and a quarter each to train and test. Split ood has
//     one number more; if there are 6 already, it has 6 numbers above max_number, up to
//     twice that.
//   - The numbers of a prompt are in ascending order.
//   - An answer is one expression, of numbers, + - * /, signs and parentheses (see package
//     arith, which takes × ÷ − as well). After it "= target" may follow, and a full stop,
//     but nothing else. So a right answer does not parse if its equation ends in "= 18.0"
//     or in another number, is turned round, or goes on in words; nor with [ ], decimals,
//     or 2(3) for 2*(3).
//   - An expression that lacks a number, uses one too often or uses a foreign one
//     is degenerate and earns nothing; TinyZero pays such answers 0.1. One with
//     another value than the target, or a division by zero anywhere, is valid and
//     wrong; it has a mode and earns the format reward. That may be the mode of
//     correct answers: x/(y/z) is the function x*z/y, which has a value where z
//     is 0.
//   - A minus sign with one operand is allowed and part of the variant, but makes
//     no mode of a correct answer that there would not be without it. Solutions
//     are counted without signs, since with them there is no end of strings.
//   - The reward components are correct and format. TinyZero pays 1 for a correct answer
//     and 0.1 for an answer that is only well formed: on the vectors (1, 1), (0, 1) and (0,
//     0), the only ones there are, w* = (0.9, 0.1) does that. SetPO adds a format reward of
//     weight 0.1: w* = (1, 0.1).
//   - With at_most_once any subset of the numbers may be used, even a single one.
//
// As tokens an answer is in postfix order, numbers being single tokens. That is one to one with
// text that has the parentheses which tell a+(b+c) from a+b+c.
//
// Up to five numbers take microseconds to a millisecond. Six take half a second and some 25 MB
// once, a millisecond for a truth, and a quarter of a second for the first demonstration of a
// problem, which has thirty million answers.
package countdown

import (
	"strconv"
	"sync"

	"modebench/envs"
	"modebench/internal/params"
	"modebench/internal/rng"
)

// Config holds the parameters of Countdown.
type Config struct {
	Numbers    int    `param:"numbers" doc:"how many numbers a problem has; split ood has one more (of 6: larger ones)" min:"3" max:"6"`
	MinNumber  int    `param:"min_number" doc:"smallest number" min:"1" max:"999"`
	MaxNumber  int    `param:"max_number" doc:"largest number; with 6 numbers at most 499" min:"1" max:"999"`
	TargetMin  int    `param:"target_min" doc:"smallest target" min:"1" max:"999"`
	TargetMax  int    `param:"target_max" doc:"largest target" min:"1" max:"999"`
	MinModes   int    `param:"min_modes" doc:"fewest modes of correct answers that a problem may have; 1 is the papers' distribution" min:"1" max:"1000"`
	AtMostOnce bool   `param:"at_most_once" doc:"false: an answer uses every number exactly once; true: at most once"`
	Reward     string `param:"reward" doc:"w* of (correct, format). tinyzero: (0.9, 0.1), a correct answer scores 1; setpo: (1, 0.1)" choices:"tinyzero,setpo" readers:"judge"`

	Q     float64 `param:"q" doc:"demonstrator: share of its moves that are drawn from the correct completions; the rest is uniform" min:"0" max:"0.99" readers:"demonstrator"`
	Sigma float64 `param:"sigma" doc:"demonstrator: standard deviation of the noise on its logits, by problem and view" min:"0" max:"100" readers:"demonstrator"`

	envs.Draw
}

// largest is the largest number and target: these are single tokens, and 64-bit arithmetic
// holds 6 numbers below 1000 without a check (see value).
const largest = 999

func init() {
	envs.Register(envs.Definition{
		Name:        "countdown",
		Summary:     "an expression over given numbers that makes a target; all solutions known as strings and as modes",
		Source:      "SetPO sec. 5.2 and app. G.2; TinyZero",
		Default:     func() envs.Config { return Default() },
		Transformer: envs.Transformer{Width: 64, Heads: 4, Steps: 7000, Batch: 128, LR: 3e-3},
	})
}

// Default has 4 numbers from 2 to 25, targets from 10 to 99, and 4 modes or more. A
// 1 doubles the modes of a problem without a new idea: x*1 is one, x/1 another.
func Default() *Config {
	return &Config{
		Numbers: 4, MinNumber: 2, MaxNumber: 25, TargetMin: 10, TargetMax: 99, MinModes: 4,
		Reward: "tinyzero", Q: 0.6, Sigma: 1,
	}
}

// Build makes the environment. Parameters out of their bounds, and contradicting ones,
// are an error.
func (c *Config) Build() (envs.Env, error) {
	if err := params.Check(c); err != nil {
		return nil, err
	}
	high := largest
	if c.Numbers == maxSlots {
		high /= 2
	}
	switch {
	case c.MaxNumber > high:
		return nil, params.Errorf("max_number", "got %d, want 1 to %d with %d numbers", c.MaxNumber, high, c.Numbers)
	case c.MinNumber > c.MaxNumber:
		return nil, params.Errorf("min_number", "got %d, want 1 to max_number, %d", c.MinNumber, c.MaxNumber)
	case c.TargetMin > c.TargetMax:
		return nil, params.Errorf("target_min", "got %d, want 1 to target_max, %d", c.TargetMin, c.TargetMax)
	}
	key := envs.Draw{}.Key("countdown") // of the parts that are the same in every draw; problems name theirs
	e := &Env{config: *c, key: key, share: key.Str("share"), feature: key.Str("feature"), low: min(c.MinNumber, c.TargetMin)}
	e.usual = newShape(e, c.Numbers, c.MinNumber, c.MaxNumber)
	more := [3]int{c.Numbers + 1, c.MinNumber, c.MaxNumber}
	if c.Numbers == maxSlots {
		more = [3]int{maxSlots, c.MaxNumber + 1, 2 * c.MaxNumber}
	}
	e.high = max(more[2], c.TargetMax)
	e.longest = 2*more[0] - 1
	if c.AtMostOnce {
		e.longest++
	}
	e.layout = newLayout(more[0], e.low, e.high)
	e.harder = sync.OnceValue(func() *shape { return newShape(e, more[0], more[1], more[2]) })
	return e, nil
}

// Env is Countdown with its parameters fixed.
type Env struct {
	config    Config
	key       rng.Key
	share     rng.Key       // of the hash that shares numbers out to splits
	feature   rng.Key       // of the hash that embeddings are made of
	usual     *shape        // of the splits pretrain, train and test
	harder    func() *shape // of the split ood; made when it is asked for, since 6 slots take half a second
	low, high int           // least and largest number with a token
	longest   int           // tokens of an answer
	layout    layout        // of features
}

// Components of the reward vector.
const components = 2

// Info implements envs.Env.
func (e *Env) Info() envs.Info {
	info := envs.Info{
		Components: []string{"correct", "format"},
		Weights:    []float64{0.9, 0.1},
		Vocabulary: []string{"+", "-", "*", "/", "end"},
		MaxAnswer:  e.longest,
		Word:       "expression",
		Embeddings: true,
		Variants:   true,
		Formal:     []bool{false, true},
	}
	if e.config.Reward == "setpo" {
		info.Weights[0] = 1
	}
	for n := e.low; n <= e.high; n++ {
		info.Vocabulary = append(info.Vocabulary, strconv.Itoa(n))
	}
	return info
}

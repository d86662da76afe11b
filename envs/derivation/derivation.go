// Package derivation asks for the value of a variable that is defined step by step: an environment
// with optional steps, where an answer can be short or long. Some variables are given as digits (a
// = 3), each other one is derived from two earlier ones modulo 10 (d = a + b), and one of these is
// asked for. An answer may write the values of others before: those that the asked one depends on
// help, and the others cost tokens alone. It is for questions about length: biases of a loss by it,
// penalties of it, budgets of tokens. It comes from no paper. Everything about it is counted
// exactly.
//
// The mode of an answer is the set of needed variables that it writes besides the asked one, `d,f`,
// or `-` if it writes none besides. So a problem of n steps has 2^n modes. The rest of the writing,
// its order and its values are no strategy. A variant is the answer in its order.
//
// The rules:
//
//   - A problem has variables a, b, c and so on. The first ones are given. Each later one
//     is the sum, the difference or the product of two earlier ones, modulo 10, so that -3
//     is 7. steps of these are needed for the asked one, directly or by way of others;
//     distractors of them are not. A variable is needed if the formulas use it, even if it
//     is multiplied by 0.
//   - An answer is `d=7, f=2, g=9`: statements about derived variables, each at most once,
//     in any order. The statement about the asked variable ends it. Commas, semicolons or
//     ends of lines separate statements, blanks may be anywhere, and a full stop may end
//     the answer.
//   - verify = "answer" asks for the right last digit alone, as outcome verifiers do: an
//     answer with a wrong step and the right digit is correct. verify = "all" asks for every
//     digit.
//   - An answer that breaks these rules is degenerate and earns nothing. One with a wrong
//     digit is valid and wrong, and has a mode.
//   - The reward components are correct and brief. brief is 1 plus DAPO's soft punishment
//     of overlong answers (eq. 13 of 2503.14476): 1 up to overlong_max - overlong_cache
//     tokens, from there on less by the same with every token, and 0 from overlong_max on.
//     w* = (1-v, v) with v = overlong_weight, 0 by default.
//   - A hash of all definitions decides whether a problem belongs to the split pretrain
//     (half of all), train or test (a quarter each). Problems of the split ood have one
//     step more, and one distractor less if there are any, so that all their variables have
//     been met before.
//
// As tokens a statement is its variable and its digit. An answer ends behind the digit of the asked
// variable, so it has 2 tokens at least and 2 (steps + distractors + 1) at most.
package derivation

import (
	"modebench/envs"
	"modebench/internal/params"
	"modebench/internal/rng"
)

// Config holds the parameters of the environment.
type Config struct {
	Givens      int    `param:"givens" doc:"variables that are given as digits" min:"2" max:"8"`
	Steps       int    `param:"steps" doc:"derived variables that the asked one depends on; split ood has one more, and one distractor less" min:"1" max:"6"`
	Distractors int    `param:"distractors" doc:"derived variables that it does not depend on" min:"0" max:"3"`
	Operations  string `param:"operations" doc:"what joins two variables, modulo 10" choices:"+,+-,+-*"`

	Verify         string  `param:"verify" doc:"what makes an answer correct. answer: the digit of the asked variable; all: every digit that is written" choices:"answer,all" readers:"judge"`
	OverlongMax    int     `param:"overlong_max" doc:"tokens from which on an answer is not brief at all (L_max of DAPO eq. 13)" min:"2" max:"64" readers:"judge"`
	OverlongCache  int     `param:"overlong_cache" doc:"up to so many tokens fewer it is brief, and from there on less and less (L_cache)" min:"1" max:"63" readers:"judge"`
	OverlongWeight float64 `param:"overlong_weight" doc:"weight of brief in w*; correct has the rest" min:"0" max:"0.99" readers:"judge"`

	Written float64 `param:"written" doc:"demonstrator: chance that it writes a needed variable" min:"0" max:"1" readers:"demonstrator,lessons"`
	Digress float64 `param:"digress" doc:"demonstrator: chance that it writes a distractor" min:"0" max:"1" readers:"demonstrator,lessons"`
	Slip    float64 `param:"slip" doc:"demonstrator: chance that a variable which it has not written, and needs for another, goes wrong in its head" min:"0" max:"1" readers:"demonstrator"`
	Q       float64 `param:"q" doc:"demonstrator: share of its moves that are made so; the rest is uniform" min:"0" max:"0.99" readers:"demonstrator"`
	Sigma   float64 `param:"sigma" doc:"demonstrator: standard deviation of the noise on its logits, by problem and state" min:"0" max:"100" readers:"demonstrator"`

	envs.Draw
}

func init() {
	envs.Register(envs.Definition{
		Name:        "derivation",
		Summary:     "find a variable by way of others, which may be written or not; modes are the needed ones that are; for questions about length",
		Source:      "none; optional steps, for Dr. GRPO, DAPO eq. 13 and Evol-RL fig. 3",
		Default:     func() envs.Config { return Default() },
		Transformer: envs.Transformer{Width: 32, Heads: 2, Steps: 3000, Batch: 64, LR: 4e-3},
	})
}

// Default asks for a variable that 3 of 5 others lead to, from 3 that are given.
func Default() *Config {
	return &Config{
		Givens: 3, Steps: 3, Distractors: 2, Operations: "+-*",
		Verify: "answer", OverlongMax: 12, OverlongCache: 4,
		Written: 0.5, Digress: 0.3, Slip: 0.5, Q: 0.85, Sigma: 0.5,
	}
}

// Build makes the environment. Parameters out of their bounds, and contradicting ones,
// are an error.
func (c *Config) Build() (envs.Env, error) {
	if err := params.Check(c); err != nil {
		return nil, err
	}
	if c.OverlongCache >= c.OverlongMax {
		return nil, params.Errorf("overlong_cache", "got %d, want less than overlong_max, %d", c.OverlongCache, c.OverlongMax)
	}
	return &Env{newRules(*c)}, nil
}

// Env is the environment with its parameters fixed.
type Env struct{ rules *rules }

// Info implements envs.Env.
func (e *Env) Info() envs.Info {
	v := e.rules.config.OverlongWeight
	return envs.Info{
		Components: []string{"correct", "brief"},
		Weights:    []float64{1 - v, v},
		Vocabulary: e.rules.vocabulary(),
		MaxAnswer:  2 * e.rules.derived(),
		Word:       "derivation",
		Votes:      true,
		Embeddings: true,
		Variants:   true,
		Formal:     []bool{false, true},
	}
}

// Features implements envs.Describer.
func (e *Env) Features() envs.Features { return e.rules.features() }

// Problem implements envs.Env.
func (e *Env) Problem(split envs.Split, index int) (envs.Problem, error) {
	config := &e.rules.config
	steps, distractors := config.Steps, config.Distractors
	if split == envs.OOD {
		steps, distractors = steps+1, max(distractors-1, 0)
	}
	return config.Find("derivation", split, index, "problems drawn belonged to the split", func(key rng.Key) envs.Problem {
		p := &Problem{rules: e.rules, id: config.ID(split, index)}
		p.draw(key.Rand(), steps, distractors)
		if split == envs.OOD || p.owner() == split {
			return p
		}
		return nil
	})
}

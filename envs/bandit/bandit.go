// Package bandit is the multi-mode bandit: one choice among arms that belong to
// modes, of which some are rewarded. Everything about it is known in closed
// form, so it is where an estimator is first put to the test.
//
// SetPO (sec. 1 and fig. 1) describes the original: twelve modes, the first four rewarded, one
// 50-dimensional embedding per mode, cosine similarity. The choices that the paper leaves open are
// parameters here: several arms per mode (surface variety that is no variety of strategy), answer
// classes to vote with, vector rewards whose components agree more or less (VPO app. F), the start
// of the base policy, and a form in which problems share their strategies.
package bandit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/params"
	"modebench/internal/rng"
)

// Config holds the parameters of the bandit.
type Config struct {
	Modes       int     `param:"modes" doc:"number of modes K" min:"1" max:"4096"`
	Rewarded    int     `param:"rewarded" doc:"number of rewarded modes P; the first P modes are rewarded (form modes)" min:"0" readers:"judge" when:"form=modes"`
	ArmsPerMode int     `param:"arms_per_mode" doc:"arms of each mode: surface variety within one strategy" min:"1" max:"1024"`
	Dim         int     `param:"dim" doc:"dimension of the embeddings; 0: verdicts carry none" min:"0" max:"4096" readers:"judge"`
	Jitter      float64 `param:"jitter" doc:"length of the random vector added to a mode's unit vector for each of several arms" min:"0" max:"1000" readers:"judge" when:"arms_per_mode>1,dim>0"`

	CorrectAnswers int `param:"correct_answers" doc:"answer classes the correct modes are spread over" min:"1" readers:"judge"`
	WrongAnswers   int `param:"wrong_answers" doc:"answer classes the other modes are spread over; 0: one each" min:"0" readers:"judge"`

	Components   int     `param:"components" doc:"number d of reward components" min:"1" max:"64"`
	Collinearity float64 `param:"collinearity" doc:"of several components. 1: all are equal, and one mode is best; 0: each correct mode is rewarded in one component alone" min:"0" max:"1" readers:"judge" when:"components>1"`

	Start string  `param:"start" doc:"base policy over modes" choices:"uniform,zipf" readers:"demonstrator"`
	Zipf  float64 `param:"zipf" doc:"exponent of the zipf start" min:"0" max:"1000" readers:"demonstrator" when:"start=zipf"`

	Form   string  `param:"form" doc:"modes: the first P modes are rewarded on every problem; shared: modes are strategies, each right on a problem with a probability of its own" choices:"modes,shared"`
	Low    float64 `param:"low" doc:"form shared: lowest probability that a strategy is right on a problem" min:"0" max:"1" readers:"judge" when:"form=shared"`
	High   float64 `param:"high" doc:"form shared: highest such probability" min:"0" max:"1" readers:"judge" when:"form=shared"`
	Offset float64 `param:"offset" doc:"form shared: standard deviation of the base policy's logits over problems" min:"0" max:"1000" readers:"demonstrator" when:"form=shared"`

	envs.Draw
}

func init() {
	envs.Register(envs.Definition{
		Name:        "bandit",
		Summary:     "one choice among arms that belong to modes, some of them rewarded; everything in closed form",
		Source:      "SetPO sec. 1 and fig. 1; VPO app. F (collinearity)",
		Default:     func() envs.Config { return Default() },
		OneProblem:  true,
		Transformer: envs.Transformer{Width: 32, Heads: 2, Steps: 500, Batch: 64, LR: 4e-3},
	})
}

// Default is SetPO's bandit: 12 modes, the first 4 rewarded, 50 dimensions.
func Default() *Config {
	return &Config{
		Modes: 12, Rewarded: 4, ArmsPerMode: 1, Dim: 50, Jitter: 0.3,
		CorrectAnswers: 1, Components: 1, Start: "uniform", Zipf: 1,
		Form: "modes", Low: 0.5, High: 0.85, Offset: 1,
	}
}

// Bounds of the memory of Build.
const (
	maxArms      = 1 << 18
	maxEmbedding = 1 << 24
)

// Build makes the environment. Parameters out of their bounds, and contradicting ones,
// are an error.
func (c *Config) Build() (envs.Env, error) {
	if err := params.Check(c); err != nil {
		return nil, err
	}
	switch arms := c.Modes * c.ArmsPerMode; {
	case arms > maxArms:
		return nil, params.Errorf("arms_per_mode", "%d arms in all, want at most %d", arms, maxArms)
	case arms*c.Dim > maxEmbedding:
		return nil, params.Errorf("dim", "embeddings of %d arms hold more than %d numbers", arms, maxEmbedding)
	case c.Form == "modes" && c.Rewarded > c.Modes:
		return nil, params.Errorf("rewarded", "got %d, want at most the number of modes, %d", c.Rewarded, c.Modes)
	case c.Form == "shared" && c.Low > c.High:
		return nil, params.Errorf("low", "got %v, want at most high, %v", c.Low, c.High)
	case c.Form == "shared" && c.High == 0:
		return nil, params.Errorf("high", "got 0, want above 0: no problem would have a correct strategy")
	}
	e := &Env{config: *c, key: c.Key("bandit")}
	e.name()
	e.embed()
	if c.Form == "shared" {
		r := e.key.Str("strategies").Rand()
		e.success = make([]float64, c.Modes)
		for m := range e.success {
			e.success[m] = c.Low + float64((c.High-c.Low)*r.Float64())
		}
	}
	return e, nil
}

// Env is the bandit with its parameters fixed.
type Env struct {
	config    Config
	key       rng.Key
	modes     []envs.Mode
	arms      []string // vocabulary: name of each arm, mode by mode
	legal     []envs.Token
	embedding [][]float32 // of each arm; nil when dim is 0
	success   []float64   // form shared: probability that a strategy is right
}

func (e *Env) name() {
	c := e.config
	width := len(strconv.Itoa(c.Modes - 1))
	for m := range c.Modes {
		mode := fmt.Sprintf("m%0*d", width, m)
		e.modes = append(e.modes, envs.Mode(mode))
		for a := range c.ArmsPerMode {
			arm := mode
			if c.ArmsPerMode > 1 {
				arm = fmt.Sprintf("%s.%0*d", mode, len(strconv.Itoa(c.ArmsPerMode-1)), a)
			}
			e.legal = append(e.legal, envs.Token(len(e.arms)))
			e.arms = append(e.arms, arm)
		}
	}
}

// embed draws a unit vector for each mode and, where a mode has several arms,
// moves each arm off it by a random vector of length jitter.
func (e *Env) embed() {
	c := e.config
	if c.Dim == 0 {
		return
	}
	for m := range c.Modes {
		key := e.key.Str("embedding").Int(uint64(m))
		center := direction(key.Rand(), c.Dim)
		for a := range c.ArmsPerMode {
			v := center
			if c.ArmsPerMode > 1 {
				v = make([]float64, c.Dim)
				for i, d := range direction(key.Int(uint64(a)).Rand(), c.Dim) {
					v[i] = center[i] + float64(c.Jitter*d)
				}
				if exact.Dot(v, v) == 0 {
					v = center // one dimension, jitter 1: nothing is left of the vector
				}
			}
			e.embedding = append(e.embedding, unit(v))
		}
	}
}

func direction(r *rand.Rand, dim int) []float64 {
	v := make([]float64, dim)
	for i := range v {
		v[i] = rng.Normal(r)
	}
	scale := 1 / math.Sqrt(exact.Dot(v, v))
	for i := range v {
		v[i] *= scale
	}
	return v
}

func unit(v []float64) []float32 {
	scale := 1 / math.Sqrt(exact.Dot(v, v))
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x * scale)
	}
	return out
}

// Info implements envs.Env.
func (e *Env) Info() envs.Info {
	info := envs.Info{
		Weights:    envs.UniformWeights(e.config.Components),
		Vocabulary: e.arms,
		MaxAnswer:  1,
		Votes:      true,
		Embeddings: e.config.Dim > 0,
	}
	for j := range e.config.Components {
		info.Components = append(info.Components, "r"+strconv.Itoa(j))
	}
	return info
}

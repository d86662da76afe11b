package spec

import (
	"slices"
	"strings"

	"modebench/internal/params"
	"modebench/metrics"
	"modebench/policies"
)

// Train holds the parameters of training.
type Train struct {
	Steps       int     `param:"steps" doc:"optimiser steps on fresh rollouts" min:"1" max:"1e9"`
	Tokens      int     `param:"tokens" doc:"tokens to draw: the step that reaches this number is the last that trains, and later steps are evaluations alone; counted as drawn_tokens; 0: no bound" min:"0" max:"1e12" late:"0"`
	Problems    int     `param:"problems" doc:"size of the pool of train problems" min:"1" max:"1e6"`
	Batch       int     `param:"batch" doc:"problems per step" min:"1" max:"1e6"`
	Group       int     `param:"group" doc:"rollouts per problem, N or G in the papers" min:"1" max:"65536"`
	Candidates  int     `param:"candidates" doc:"answers per rollout, m: above 1 a rollout is a multi-answer chain; 0: the number of the method's paper" min:"0" max:"255"`
	Epochs      int     `param:"epochs" doc:"updates made from each batch of rollouts" min:"1" max:"1000"`
	Temperature float64 `param:"temperature" doc:"sampling temperature of training rollouts" min:"0.001"`
	TopP        float64 `param:"top_p" doc:"nucleus that training rollouts are drawn from; log-probabilities of the loss are of the whole distribution, and corrections (tis, icepop_...) weigh it against the nucleus; 1: none" min:"0.001" max:"1" late:"1"`
	JudgeNoise  float64 `param:"judge_noise" doc:"probability that the mode label an estimator sees is replaced by one drawn uniformly from as many clusters as the group has answers, its own among them; a method that reads no modes sees no difference" min:"0" max:"1" late:"0"`
	RewardNoise float64 `param:"reward_noise" doc:"probability that the verifier of a reward component errs, r -> 1 - r, about an answer that parses; components of the form alone are spared, and metrics see the truth" min:"0" max:"1" late:"0"`
	Stops       bool    `param:"stops" doc:"chains may stop before their last answer, and may name one of their answers as final (SD-E2 sec. 3.1); methods of that protocol always do" late:"false"`
	Minibatches int     `param:"minibatches" doc:"updates per epoch, each on an equal part of the rollouts" min:"1" max:"65536" late:"1"`
	Schedule    string  `param:"schedule" doc:"of the learning rate after the warm-up; cosine: from its value to 0 where a step after the last one would be" choices:"constant,cosine" late:"constant"`
	Warmup      int     `param:"warmup" doc:"steps over which the learning rate rises to its value" min:"0" max:"1e9" late:"0"`
	RecordEvery int     `param:"record_every" doc:"steps from one training record to the next" min:"1"`
	KeepPolicy  bool    `param:"keep_policy" doc:"keep the trained policy with the records; false: its SHA-256 alone, which a sweep of many cells has room for" late:"true"`

	// The policy that draws rollouts, as far as it differs from the policy that learns.
	Lag                int     `param:"lag" doc:"asynchronous training: the rollouts of a step are drawn by the policy as it was this many steps before, or before training if it is that long ago; a step is one batch of rollouts, however many updates are made from it" min:"0" max:"1024" late:"0"`
	LagSpread          int     `param:"lag_spread" doc:"every group has a lag of its own, drawn evenly from lag - lag_spread to lag; 0: all groups have the same" min:"0" max:"1024" late:"0" when:"lag>0"`
	MaxLag             int     `param:"max_lag" doc:"groups that are drawn by a policy of more steps ago are judged, but not learned from (prime-rl: max_off_policy_steps); 0: all are learned from" min:"0" max:"1024" late:"0" when:"lag_spread>0"`
	SamplerTemperature float64 `param:"sampler_temperature" doc:"mismatch of an inference engine: rollouts are drawn at the temperature times this, and the policy learns at the temperature" min:"0.001" late:"1"`
	SamplerBits        int     `param:"sampler_bits" doc:"mismatch of an inference engine: rollouts are drawn by logits rounded to this number of bits of mantissa; bfloat16 has 7, float16 10, float8 3; 0: not rounded" min:"0" max:"52" late:"0"`
	Old                string  `param:"old" doc:"what the old log-probabilities of ratios are of. sampler: what drew the rollouts (verl's bypass mode); learner: the policy that learns, as the step begins, computed anew (decoupled mode), to which corrections add the weight of old over sampler" choices:"sampler,learner" late:"sampler" when:"lag>0|sampler_temperature!=1|sampler_bits>0"`

	policies.Optimizer
}

// tabularTrain suits the bandit: it shows how the methods differ in a few milliseconds.
func tabularTrain() *Train {
	return &Train{
		Steps: 3000, Problems: 1, Batch: 1, Group: 8, Epochs: 1, Temperature: 1, TopP: 1, RecordEvery: 10,
		Minibatches: 1, Schedule: "constant", SamplerTemperature: 1, Old: "sampler", KeepPolicy: true,
		Optimizer: policies.DefaultOptimizer(),
	}
}

// OffPolicy reports whether rollouts are drawn by another policy than the policy that learns
// as a step begins.
func (t *Train) OffPolicy() bool {
	return t.Lag > 0 || t.SamplerTemperature != 1 || t.SamplerBits > 0
}

// maxRollouts bounds the answers of a step, which are in memory together.
const maxRollouts = 1 << 22

func (t *Train) check() error {
	if t.Batch*t.Group*max(1, t.Candidates) > maxRollouts {
		return params.Errorf("batch", "%d groups of %d are more than %d answers a step", t.Batch, t.Group, maxRollouts)
	}
	if t.Batch > t.Problems {
		return params.Errorf("batch", "got %d, want at most the number of problems, %d", t.Batch, t.Problems)
	}
	if t.Warmup > t.Steps {
		return params.Errorf("warmup", "got %d, want at most the number of steps, %d", t.Warmup, t.Steps)
	}
	if t.LagSpread > t.Lag {
		return params.Errorf("lag_spread", "got %d, want at most the lag, %d", t.LagSpread, t.Lag)
	}
	if least := t.Lag - t.LagSpread; t.LagSpread > 0 && t.MaxLag > 0 && t.MaxLag < least {
		return params.Errorf("max_lag", "got %d, want at least the smallest lag, %d, or no group is learned from", t.MaxLag, least)
	}
	if rollouts := t.Batch * t.Group; t.Minibatches > rollouts {
		return params.Errorf("minibatches", "got %d, want at most the rollouts of a step, %d", t.Minibatches, rollouts)
	}
	return nil
}

// Eval holds the parameters of evaluation.
type Eval struct {
	Every       int     `param:"every" doc:"steps from one evaluation to the next; one is always before training and one after" min:"1"`
	K           []int   `param:"k" doc:"pool sizes of pass@k, best@k and so on" min:"1"`
	Samples     int     `param:"samples" doc:"answers drawn per problem if they cannot be enumerated (as whole chains); also the pool size of distinct modes" min:"1" max:"1e6"`
	Draws       int     `param:"draws" doc:"scalarisations w ~ Dir(1) that ew_best@k averages over, the same for all pools; 0: without it" min:"0" max:"65536"`
	Goals       string  `param:"goals" doc:"what a goal-conditioned policy is asked for. fixed: w*; random: w ~ Dir(1), drawn for every rollout, and under ew_best@k the w that it is scored under" choices:"fixed,random"`
	Temperature float64 `param:"temperature" doc:"sampling temperature of evaluation" min:"0.001"`
	TopP        float64 `param:"top_p" doc:"nucleus of evaluation; 1: none" min:"0.001" max:"1"`
	Interpolate float64 `param:"interpolate" doc:"the policy that is measured has the parameters (1 - interpolate) base + interpolate trained (WiSE-FT), base being those before training; training is the same; 1: the trained policy" min:"0" max:"1" late:"1"`
	Split       string  `param:"split" doc:"problems to evaluate on; others than train only where what is learned of one is of use on others: of a transformer, and of tables with sharing = shared" choices:"train,test,ood"`
	Problems    int     `param:"problems" doc:"how many of them; 0: as many as are trained on" min:"0" max:"1e6"`
	Enumerate   int     `param:"enumerate" doc:"most answers per problem that are enumerated for exact metrics; 0: always sample, as of a transformer" min:"0" max:"1e6"`
	Modes       bool    `param:"modes" doc:"record the probability mass of every mode"`

	Measure   Measure `param:"measure" late:"[]"`
	Positions []int   `param:"positions" doc:"token positions h of branches@h" min:"1" max:"1e6" late:"[]"`
	Keep      int     `param:"keep" doc:"problems, the first ones, whose answers every evaluation records, with embeddings of at most 64 of each pool; figures of kinds front, answers, map and tree draw them" min:"0" max:"1e6" late:"0"`
	Delta     float64 `param:"delta" doc:"cosine above which two answers count as a repeat (uniq, redundancy)" min:"-1" max:"1" late:"0.8"`
}

// A Measure lists groups of metrics (metrics.Groups).
type Measure []string

// Describe implements params.Describer.
func (Measure) Describe() (doc string, choices []string) {
	doc = "groups of metrics besides the plain ones, which cost time"
	for _, g := range metrics.Groups() {
		doc += "; " + g.Name + ": " + g.Doc
		choices = append(choices, g.Name)
	}
	return doc, choices
}

func tabularEval() *Eval {
	return &Eval{
		Every: 100, K: []int{1, 2, 4, 8, 16, 32, 64}, Samples: 64, Temperature: 1, TopP: 1, Interpolate: 1,
		Split: "train", Enumerate: 4096, Draws: metrics.DefaultDraws, Goals: "fixed", Delta: metrics.DefaultDelta,
	}
}

func (e *Eval) check() error {
	for i, k := range e.K {
		if k > e.Samples {
			return params.Errorf("k", "entry %d: got %d, want at most samples, %d", i, k, e.Samples)
		}
		if i > 0 && k <= e.K[i-1] {
			return params.Errorf("k", "entry %d: got %d after %d, want ascending sizes", i, k, e.K[i-1])
		}
	}
	if len(e.K) == 0 {
		return params.Errorf("k", "got an empty list, want at least one size")
	}
	for i, h := range e.Positions {
		if i > 0 && h <= e.Positions[i-1] {
			return params.Errorf("positions", "entry %d: got %d after %d, want ascending positions", i, h, e.Positions[i-1])
		}
	}
	asked, _ := params.Lookup(e, "measure")
	for i, group := range e.Measure {
		// In one order alone, so that equal evaluations make equal cells.
		if i > 0 && slices.Index(asked.Choices, group) <= slices.Index(asked.Choices, e.Measure[i-1]) {
			return params.Errorf("measure", "entry %d: got %q after %q, want each once, in the order %s", i, group, e.Measure[i-1], strings.Join(asked.Choices, ", "))
		}
	}
	if slices.Contains(e.Measure, metrics.MeasureBoundaryNull) && !slices.Contains(e.Measure, metrics.MeasureBoundary) {
		return params.Errorf("measure", "got %q without %q, whose metrics it is the null of", metrics.MeasureBoundaryNull, metrics.MeasureBoundary)
	}
	if branches := slices.Contains(e.Measure, metrics.MeasureBranches); branches != (len(e.Positions) > 0) {
		return params.Errorf("positions", "got %d of them with measure = %q; branches are measured at positions, so both or neither", len(e.Positions), e.Measure)
	}
	return nil
}

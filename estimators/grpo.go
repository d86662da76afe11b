package estimators

import (
	"modebench/estimators/loss"
)

// GRPO is the group-relative advantage. With scale "group" it is the z-score
//
//	A_i = (r_i - mean r) / (sd r + epsilon)
//
// where sd divides by G - ddof (VPO app. B: ddof 0, epsilon 1e-6; verl and TRL:
// ddof 1); with scale "none" it is r_i - mean r (Poly-EPO app. A, Dr.GRPO). A
// group whose deviation is below 1e-12 gets zeros.
type GRPO struct {
	Groupwise
	Scale     string  `param:"scale" doc:"group: divide by the group's standard deviation; none: do not" choices:"group,none"`
	DDoF      int     `param:"ddof" doc:"delta degrees of freedom of the standard deviation" min:"0" max:"1" when:"scale=group,train.group>1"`
	Epsilon   float64 `param:"epsilon" doc:"added to the standard deviation" min:"0" when:"scale=group"`
	Singleton string  `param:"singleton" doc:"advantage of a group of one rollout: 0, or its raw reward over 1 + epsilon" choices:"zero,raw" when:"train.group=1"`
}

func (e *GRPO) Advantages(dst [][]float64, b *Batch) error {
	return e.Each(dst, b, e.core)
}

func (e *GRPO) core(dst, rewards []float64, _ []*Rollout) error {
	e.Relative(dst, rewards)
	return nil
}

// Relative writes the group-relative advantage of rewards to dst, which may be
// the same slice. Both have the same length, at least 1.
func (e *GRPO) Relative(dst, rewards []float64) {
	if len(rewards) == 1 {
		dst[0] = singleton(e.Singleton, rewards[0])
		if e.Scale == "group" {
			dst[0] /= 1 + e.Epsilon // verl sets the deviation of a group of one to 1
		}
		return
	}
	if e.Scale == "none" {
		mean := Mean(rewards)
		for i, r := range rewards {
			dst[i] = r - mean
		}
		ZeroBelow(dst, Rounding(rewards))
		return
	}
	Standardise(dst, rewards, e.DDoF, e.Epsilon)
}

// The usual settings, which methods start from.
var (
	ZScore       = GRPO{Scale: "group", Epsilon: 1e-6, Singleton: "zero"}          // VPO app. B
	SampleZScore = GRPO{Scale: "group", DDoF: 1, Epsilon: 1e-6, Singleton: "zero"} // the sample deviation
	Centred      = GRPO{Scale: "none", Epsilon: 1e-6, Singleton: "zero"}           // rewards less their mean
)

// ZScored fills in the common parts of methods whose advantages are z-scores of rewards.
func ZScored(m Method) Method {
	m.Trains, m.Properties = true, zscoreProperties
	if m.Estimator == nil {
		m.Estimator = From(ZScore)
	}
	return m
}

var zscoreProperties = Properties{ShiftInvariant: true, Scale: Invariant, ZeroSum: true, Why: "a z-score"}

var centredProperties = Properties{ShiftInvariant: true, Scale: Linear, ZeroSum: true, Why: "centred rewards"}

// GRPO as frameworks run it. Variants that differ in the loss alone are in zscored.go.
func init() {
	Register(Baselines, 110, ZScored(Method{
		Name: "grpo@verl", Summary: "verl: sample deviation, a lone rollout keeps its reward",
		Source:    "verl core_algos.py (2026-08)",
		Estimator: From(GRPO{Scale: "group", DDoF: 1, Epsilon: 1e-6, Singleton: "raw"}),
		Loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
	}))
	Register(Baselines, 120, ZScored(Method{
		Name: "grpo@trl", Summary: "TRL: sample deviation, epsilon 1e-4",
		Source:    "TRL GRPOTrainer (1.10.0.dev0)",
		Estimator: From(GRPO{Scale: "group", DDoF: 1, Epsilon: 1e-4, Singleton: "zero"}),
		Loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
	}))
	Register(Baselines, 130, ZScored(Method{
		// OpenRLHF gives NaN to a group of one; here it is 0.
		Name: "grpo@openrlhf", Summary: "OpenRLHF: sample deviation, epsilon 1e-9",
		Source:    "OpenRLHF group_norm (2026)",
		Estimator: From(GRPO{Scale: "group", DDoF: 1, Epsilon: 1e-9, Singleton: "zero"}),
		Loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
	}))
	Register(Baselines, 140, Method{
		Name: "grpo@prime", Summary: "prime-rl: mean only", Trains: true,
		Source:     "prime-rl advantage.py (2026)",
		Estimator:  From(Centred),
		Loss:       loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Properties: centredProperties,
	})
	Register(Baselines, 150, Method{
		Name: "dr-grpo", Summary: "mean only, token sum over a constant length", Trains: true,
		Source:     "Liu et al. 2025",
		Estimator:  From(Centred),
		Loss:       loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-sum-norm", KL: "k3"},
		Properties: centredProperties,
	})
}

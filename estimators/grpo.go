package estimators

import (
	"modebench/envs"
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
	groupwise
	Scale     string  `param:"scale" doc:"group: divide by the group's standard deviation; none: do not" choices:"group,none"`
	DDoF      int     `param:"ddof" doc:"delta degrees of freedom of the standard deviation" min:"0" max:"1" when:"scale=group,train.group>1"`
	Epsilon   float64 `param:"epsilon" doc:"added to the standard deviation" min:"0" when:"scale=group"`
	Singleton string  `param:"singleton" doc:"advantage of a group of one rollout: 0, or its raw reward over 1 + epsilon" choices:"zero,raw" when:"train.group=1"`
}

// Requirements implements Estimator.
func (*GRPO) Requirements() Requirements {
	return Requirements{CandidateFields: envs.HasReward, MinGroup: 1}
}

// Advantages implements Estimator.
func (e *GRPO) Advantages(dst [][]float64, b *Batch) error {
	return e.each(dst, b, e.core)
}

// core writes the group-relative advantages of one group.
func (e *GRPO) core(dst, rewards []float64, _ []*Rollout) error {
	e.relative(dst, rewards)
	return nil
}

// relative writes the group-relative advantage of rewards to dst, which may be
// the same slice.
func (e *GRPO) relative(dst, rewards []float64) {
	if len(rewards) == 1 {
		dst[0] = singleton(e.Singleton, rewards[0])
		if e.Scale == "group" {
			dst[0] /= 1 + e.Epsilon // verl sets the deviation of a group of one to 1
		}
		return
	}
	if e.Scale == "none" {
		mean := mean(rewards)
		for i, r := range rewards {
			dst[i] = r - mean
		}
		zeroBelow(dst, rounding(rewards))
		return
	}
	standardise(dst, rewards, e.DDoF, e.Epsilon)
}

// population is the z-score of VPO app. B.
var population = GRPO{Scale: "group", Epsilon: 1e-6, Singleton: "zero"}

func zscore(ddof int, epsilon float64) func() Estimator {
	return func() Estimator {
		return &GRPO{Scale: "group", DDoF: ddof, Epsilon: epsilon, Singleton: "zero"}
	}
}

func centred() Estimator { return &GRPO{Scale: "none", Epsilon: 1e-6, Singleton: "zero"} }

// zscored fills in what methods have in common whose advantages are z-scores of rewards:
// their losses and protocols set them apart.
func zscored(m Method) Method {
	m.Trains, m.Properties, m.Target = true, zscoreProperties, rewardTarget
	if m.estimator == nil {
		m.estimator = zscore(0, 1e-6)
	}
	return m
}

var zscoreProperties = Properties{ShiftInvariant: true, Scale: Invariant, ZeroSum: true, Why: "a z-score"}

var centredProperties = Properties{ShiftInvariant: true, Scale: Linear, ZeroSum: true, Why: "centred rewards"}

// GRPO as its paper and as frameworks run it. The variants of other papers stand in the
// files of their methods.
func init() {
	register(baselines, 50, zscored(Method{
		Name: "grpo", Summary: "group z-score, population deviation",
		Source: "Shao et al. 2024; conventions of VPO app. B",
		loss:   plainLoss,
	}))
	register(baselines, 110, zscored(Method{
		Name: "grpo@verl", Summary: "verl: sample deviation, a lone rollout keeps its reward",
		Source: "verl core_algos.py (2026-08)",
		estimator: func() Estimator {
			return &GRPO{Scale: "group", DDoF: 1, Epsilon: 1e-6, Singleton: "raw"}
		},
		loss: loss.Function{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
	}))
	register(baselines, 120, zscored(Method{
		Name: "grpo@trl", Summary: "TRL: sample deviation, epsilon 1e-4",
		Source:    "TRL GRPOTrainer (1.10.0.dev0)",
		estimator: zscore(1, 1e-4),
		loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
	}))
	register(baselines, 130, zscored(Method{
		// OpenRLHF gives NaN to a group of one; here it is 0.
		Name: "grpo@openrlhf", Summary: "OpenRLHF: sample deviation, epsilon 1e-9",
		Source:    "OpenRLHF group_norm (2026)",
		estimator: zscore(1, 1e-9),
		loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
	}))
	register(baselines, 140, Method{
		Name: "grpo@prime", Summary: "prime-rl: mean only", Trains: true,
		Source:     "prime-rl advantage.py (2026)",
		estimator:  centred,
		loss:       loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Properties: centredProperties,
		Target:     rewardTarget,
	})
	register(baselines, 150, Method{
		Name: "dr-grpo", Summary: "mean only, token sum over a constant length", Trains: true,
		Source:     "Liu et al. 2025",
		estimator:  centred,
		loss:       loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-sum-norm", KL: "k3"},
		Properties: centredProperties,
		Target:     rewardTarget,
	})
}

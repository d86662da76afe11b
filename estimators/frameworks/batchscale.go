// Package frameworks holds methods as training frameworks run them, if settings alone cannot
// express the difference: GRPO in TRL, NeMo-RL and prime-rl, GDPO in verl, REINFORCE++ in OpenRLHF.
package frameworks

import (
	"math"

	"modebench/estimators"
	"modebench/estimators/loss"
)

// BatchScaled is GRPO under TRL's scale_rewards "batch" (grpo_trainer.py): the mean is of the
// group, and the deviation is of all rewards of the batch, centred on the batch's own mean,
//
//	A_i = (r_i - mean of the group) / (sd of the batch + epsilon)
//
// where sd divides by the number less ddof. A group of equal rewards, and so a group of one,
// has 0; where the whole batch has no deviation, all have.
type BatchScaled struct {
	estimators.Groupwise
	DDoF    int       `param:"ddof" doc:"delta degrees of freedom of the standard deviation of the batch" min:"0" max:"1" when:"train.group>1"`
	Epsilon float64   `param:"epsilon" doc:"added to the standard deviation" min:"0" when:"train.group>1"`
	all     []float64 // rewards of the batch
}

func (e *BatchScaled) Advantages(dst [][]float64, b *estimators.Batch) error {
	e.all = e.all[:0]
	err := e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		e.all = append(e.all, rewards...)
		clear(dst)
		return nil
	})
	if err != nil || len(e.all) == 0 {
		return err
	}
	_, sd := estimators.Deviation(e.all, e.DDoF)
	if sd < estimators.Rounding(e.all) {
		return nil
	}
	scale := 1 / (sd + e.Epsilon)
	if scale == 0 {
		scale = math.NaN() // the squares overflowed: reported, not taken for no signal
	}
	return e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		estimators.Centre(dst, rewards)
		for i := range dst {
			dst[i] *= scale
		}
		return nil
	})
}

func init() {
	estimators.Register(estimators.Baselines, 125, estimators.Method{
		Name: "grpo@trl-batch", Summary: "TRL, scale_rewards batch: group mean, sample deviation of the batch", Trains: true,
		Source:    "TRL GRPOTrainer (1.10.0.dev0)",
		Estimator: estimators.From(BatchScaled{DDoF: 1, Epsilon: 1e-4}),
		Loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Properties: estimators.Properties{
			ShiftInvariant: true, Scale: estimators.Invariant, ZeroSum: true, AcrossGroups: true,
			Why: "centred rewards over the deviation of the batch",
		},
	})
}

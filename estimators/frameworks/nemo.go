package frameworks

import (
	"math"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/loss"
)

// LeaveOneOut is NeMo-RL's GRPO by default (advantage_estimator.py and utils.py): mean and
// deviation are those of the group's other rollouts,
//
//	A_i = (r_i - mean of the others) / (sd of the others + epsilon)
//
// where sd divides by G - 2, the number of the others less 1. Where the others have one
// reward, and in groups of two, it is r_i - mean of the others: of 1, 0, 0, 0 the first has
// 1, as in RLOO, and the others are scaled. A group of one has 0.
//
// The code takes a deviation of the others for a mean of squares less a squared mean, in
// single precision, so that equal rewards other than 0 and 1 can have a deviation of rounding
// errors and large advantages. Here their advantages are 0.
type LeaveOneOut struct {
	estimators.Groupwise
	Epsilon float64   `param:"epsilon" doc:"added to the standard deviation of the others" min:"0" when:"train.group>2"`
	rest    []float64 // the rewards of the others
}

func (*LeaveOneOut) Requirements() estimators.Requirements {
	return estimators.Requirements{CandidateFields: envs.HasReward, MinGroup: 1, TrainGroup: 2}
}

func (e *LeaveOneOut) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		if len(rewards) == 1 {
			dst[0] = 0
			return nil
		}
		rounding := estimators.Rounding(rewards)
		for i, r := range rewards {
			e.rest = append(append(e.rest[:0], rewards[:i]...), rewards[i+1:]...)
			mean, sd := estimators.Deviation(e.rest, 1)
			dst[i] = r - mean
			if math.Abs(dst[i]) < rounding {
				dst[i] = 0
			}
			switch {
			case math.IsInf(sd, 0):
				dst[i] = sd // the squares overflowed: reported, not taken for no signal
			case sd >= rounding:
				dst[i] /= sd + e.Epsilon
			}
		}
		return nil
	})
}

func init() {
	estimators.Register(estimators.Baselines, 145, estimators.Method{
		Name: "grpo@nemo", Summary: "NeMo-RL: mean and sample deviation of the others, a lone success undivided", Trains: true,
		Source:    "NeMo-RL advantage_estimator.py (2026)",
		Estimator: estimators.From(LeaveOneOut{Epsilon: 1e-6}),
		Loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3", KLCoef: 0.01},
		Properties: estimators.Properties{
			ShiftInvariant: true, Scale: estimators.Neither,
			Why: "each is over the deviation of its own others, and a lone one is not divided",
		},
	})
}

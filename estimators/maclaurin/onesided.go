package maclaurin

import (
	"fmt"
	"math"

	"modebench/envs"
	"modebench/estimators"
)

// OneSided divides centred rewards by the root of their mean (tajwarfahim/maxrl,
// core_algos.py, one_sided_grpo):
//
//	A_i = (r_i - mean r) / (sqrt(mean r) + epsilon)
//
// for rewards of 0 or more. Of 0/1 rewards the deviation is sqrt(p (1-p)) and this is its side of
// p: rare success counts more, as in GRPO, and rare failure does not. Unlike its neighbours it
// carries no 1/N. Equal rewards, and so a group of one, which the code refuses, have 0.
type OneSided struct {
	estimators.Groupwise
	Epsilon float64 `param:"epsilon" doc:"added to the root of the mean reward" min:"0"`
}

func (*OneSided) Requirements() estimators.Requirements {
	return estimators.Requirements{CandidateFields: envs.HasReward, MinGroup: 1, TrainGroup: 2, NoPenalty: true}
}

func (e *OneSided) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		for i, r := range rewards {
			if r < 0 {
				return fmt.Errorf("rollout %d has the reward %v, want 0 or more: the root of their mean is divided by", e.Number(i), r)
			}
		}
		estimators.Centre(dst, rewards)
		mean := estimators.Mean(rewards)
		for i, d := range dst {
			if d != 0 {
				dst[i] = d / (math.Sqrt(mean) + e.Epsilon)
			}
		}
		return nil
	})
}

func init() {
	estimators.Register(estimators.AnswerSets, 84, estimators.Method{
		Name: "maxrl-one-sided", Summary: "centred reward over the root of the group's mean reward", Trains: true,
		Source:     "tajwarfahim/maxrl (2602.02710)",
		Estimator:  estimators.From(OneSided{Epsilon: 1e-6}),
		Properties: estimators.Properties{Scale: estimators.Neither, ZeroSum: true, Why: "centred rewards over the root of their mean"},
		Target:     estimators.NoTarget("its division by the root of the group's mean is that of no fixed objective"),
	})
}

package maclaurin

import (
	"modebench/estimators"
)

// Clipped is MaxRL with a bound on its divisor (tajwarfahim/maxrl, core_algos.py,
// clipped p-normalisation):
//
//	A_i = (r_i - mean r) / max(mean r, floor) / N
//
// with floor 1/8 and no epsilon. It carries 1/N, as its neighbours do. Equal rewards have 0. A
// group of one has 0, or under singleton "raw", as in the code, its reward over the floor: that
// takes 0 for its mean. The code's N is the size of the batch's first group, and here that of each.
type Clipped struct {
	estimators.Groupwise
	Floor     float64 `param:"floor" doc:"the least that centred rewards are divided by" min:"0.000001" when:"train.group>1|singleton=raw"`
	Singleton string  `param:"singleton" doc:"advantage of a group of one rollout: 0, or its raw reward over the floor" choices:"zero,raw" when:"train.group=1"`
}

func (e *Clipped) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		if len(rewards) == 1 {
			dst[0] = 0
			if e.Singleton == "raw" {
				dst[0] = rewards[0] / e.Floor
			}
			return nil
		}
		estimators.Centre(dst, rewards)
		divisor := max(estimators.Mean(rewards), e.Floor) * float64(len(rewards))
		for i := range dst {
			dst[i] /= divisor
		}
		return nil
	})
}

func init() {
	estimators.Register(estimators.AnswerSets, 85, estimators.Method{
		Name: "maxrl-clipped", Summary: "centred reward over the group's mean reward, of at least 1/8; weights of a sum", Trains: true,
		Source:     "tajwarfahim/maxrl (2602.02710)",
		Estimator:  estimators.From(Clipped{Floor: 0.125, Singleton: "zero"}),
		Properties: estimators.Properties{Scale: estimators.Neither, ZeroSum: true, Why: "centred rewards over their mean, of at least 1/8"},
		Target:     estimators.NoTarget("its bound on the group's mean is that of no fixed objective"),
	})
}

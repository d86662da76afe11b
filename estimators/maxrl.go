package estimators

import (
	"fmt"

	"modebench/envs"
)

// MaxRL divides by the group's mean reward (Tajwar et al., 2602.02710),
//
//	A_i = (r_i - mean r) / (mean r + epsilon)
//
// for rewards of 0 or more: of 0/1 rewards with K of N correct, (N-K)/K where correct and -1 where
// not. Where no reward of the group is above 0, fidelity "code" gives zeros, as the published code
// does, and "paper" keeps the -1 of every other wrong rollout (vr_cond's -1/N at this scale). In
// expectation and with 0/1 rewards, sum_i A_i grad log pi(y_i) / N is the gradient of the
// maximum-likelihood objective truncated at order N for "paper",
//
//	sum over k = 1..N of (1/k) grad pass@k
//
// and at order N-1 for "code", up to epsilon. The default is "code" because all
// published numbers are its. A group of one follows singleton alone.
type MaxRL struct {
	Groupwise
	Epsilon   float64 `param:"epsilon" doc:"added to the mean reward" min:"0" when:"train.group>1"`
	Singleton string  `param:"singleton" doc:"advantage of a group of one rollout: 0, or its raw reward" choices:"zero,raw" when:"train.group=1"`
	Fidelity  string  `param:"fidelity" doc:"a group without any reward: zeros as in the published code, or -1 each as the estimator of the paper has it" choices:"code,paper" when:"train.group>1"`
}

func (*MaxRL) Requirements() Requirements {
	return Requirements{CandidateFields: envs.HasReward, MinGroup: 1, NoPenalty: true}
}

func (e *MaxRL) Advantages(dst [][]float64, b *Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, _ []*Rollout) error {
		for i, r := range rewards {
			if r < 0 {
				return fmt.Errorf("rollout %d has the reward %v, want 0 or more: the mean is divided by", e.Number(i), r)
			}
		}
		e.overMean(dst, rewards)
		return nil
	})
}

// overMean writes the advantages of rewards of 0 or more to dst. A mean below rounding is 0.
func (e *MaxRL) overMean(dst, rewards []float64) {
	if len(rewards) == 1 {
		dst[0] = singleton(e.Singleton, rewards[0])
		return
	}
	mean := Mean(rewards)
	if mean < Tiny {
		empty := 0.0
		if e.Fidelity == "paper" {
			empty = -1
		}
		flatten(dst, empty)
		return
	}
	for i, r := range rewards {
		dst[i] = (r - mean) / (mean + e.Epsilon)
	}
}

// maxrlTarget is the maximum-likelihood objective truncated where the fidelity has it
// (type MaxRL): sum of pass@k / k. It is stated for rewards of 0 and 1.
func maxrlTarget(i *Instance, s TargetSetting) (Target, error) {
	scores, err := i.Scores(s, s.Weights)
	if err != nil {
		return Target{}, err
	}
	for _, r := range scores {
		if r != 0 && r != 1 {
			return Target{Why: "its objective is stated for rewards of 0 and 1"}, nil
		}
	}
	order := s.Group
	if i.Estimator.(*MaxRL).Fidelity == "code" {
		order--
	}
	if order < 1 {
		return Target{Why: "a group of one has no term of its sum"}, nil
	}
	target := Target{Name: fmt.Sprintf("pass@k/k to %d", order)}
	for k := 1; k <= order; k++ {
		target.Terms = append(target.Terms, TargetTerm{Weight: 1 / float64(k), Draws: k, Scores: scores})
	}
	return target, nil
}

func init() {
	Register(AnswerSets, 80, Method{
		Name: "maxrl", Summary: "centred reward over the group's mean reward", Trains: true,
		Source:     "Tajwar et al. 2026; VPO sec. 4.2",
		Estimator:  From(MaxRL{Epsilon: 1e-6, Singleton: "zero", Fidelity: "code"}),
		Loss:       VPOLoss,
		Properties: Properties{Scale: Invariant, ZeroSum: true, Why: "centred rewards over their mean"},
		Target:     maxrlTarget,
	})
}

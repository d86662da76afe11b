// Package passk holds the method of frameworks that rewards the best of a group alone. Package
// sets has the methods over sets of k answers.
package passk

import (
	"fmt"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/loss"
)

// GRPOPassK rewards the best rollout of a group alone, for its lead over the second best
// (Tang et al., 2503.19595; verl, core_algos.py, grpo_passk):
//
//	A_i = (r_i - r_second) / (sd r + epsilon)  of the best rollout, 0 of all others
//
// where sd divides by G - ddof. Without the deviation (scale "none") it is the
// leave-one-out estimate of the gradient of the largest of G rewards: without one of the
// others the largest stays what it is, and without the best it is the second best. The
// equation is verl's; the paper was not read. EasyR1 has the same and always divides.
//
// No advantage is negative, and a group's do not sum to 0. A tie at the top, and so a group
// of equal rewards, gives zeros: with 0/1 rewards only a lone correct rollout counts. A
// group of one is an error, as in the code.
type GRPOPassK struct {
	estimators.Groupwise
	Scale   string  `param:"scale" doc:"group: divide by the group's standard deviation; none: do not" choices:"group,none"`
	DDoF    int     `param:"ddof" doc:"delta degrees of freedom of the standard deviation" min:"0" max:"1" when:"scale=group"`
	Epsilon float64 `param:"epsilon" doc:"added to the standard deviation" min:"0" when:"scale=group"`
}

func (*GRPOPassK) Requirements() estimators.Requirements {
	return estimators.Requirements{CandidateFields: envs.HasReward, MinGroup: 2}
}

func (e *GRPOPassK) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		if len(rewards) < 2 {
			return fmt.Errorf("1 rollout to train on, want at least 2: the best is compared with the second best")
		}
		best, second := leaders(rewards)
		clear(dst)
		lead := rewards[best] - rewards[second]
		if lead < estimators.Rounding(rewards) {
			lead = 0
		}
		if e.Scale == "none" {
			dst[best] = lead
			return nil
		}
		_, sd := estimators.Deviation(rewards, e.DDoF)
		if sd-sd != 0 {
			dst[best] = sd // the squares overflowed: reported, not taken for no signal
		} else if lead > 0 {
			dst[best] = lead / (sd + e.Epsilon)
		}
		return nil
	})
}

// leaders are the places of the largest and the second largest of two or more rewards.
func leaders(rewards []float64) (best, second int) {
	second = 1
	if rewards[1] > rewards[0] {
		best, second = 1, 0
	}
	for i, r := range rewards[2:] {
		if r > rewards[best] {
			best, second = i+2, best
		} else if r > rewards[second] {
			second = i + 2
		}
	}
	return best, second
}

// bestOfGroup is the largest of a group's rewards.
func bestOfGroup(i *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
	return i.Best(fmt.Sprintf("max@%d", s.Group), s.Group, s)
}

func init() {
	estimators.Register(estimators.AnswerSets, 65, estimators.Method{
		Name: "grpo-passk", Summary: "the best rollout's lead over the second best, over the deviation", Trains: true,
		Source:     "Tang et al. 2025 (2503.19595); verl core_algos.py, grpo_passk",
		Estimator:  estimators.From(GRPOPassK{Scale: "group", DDoF: 1, Epsilon: 1e-6}),
		Loss:       loss.Function{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Properties: estimators.Properties{ShiftInvariant: true, Scale: estimators.Invariant, Why: "the lead of the best over the deviation, 0 or more"},
		Target:     bestOfGroup,
	})
}

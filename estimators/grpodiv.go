package estimators

import (
	"fmt"

	"modebench/envs"
	"modebench/estimators/loss"
)

// GRPODiv is GRPO on a reward shaped with a diversity bonus (Poly-EPO eq. 17,
// the display after it, and app. A):
//
//	r'_i = r_i + lambda d_i,  d_i = (N/|cluster of i| - 1) / (N - 1)
//
// over the group's N rollouts. The paper's GRPO subtracts the mean and does not
// divide by the deviation. A degenerate rollout earns no bonus.
type GRPODiv struct {
	GRPO
	Lambda   float64 `param:"lambda" doc:"weight of the diversity bonus; the paper names 0.5 as an example and gives no value for its runs" min:"0" when:"train.group>1"`
	clusters Clusters
	shaped   []float64
}

func (*GRPODiv) Requirements() Requirements { return Reads(envs.HasReward | envs.HasMode) }

func (e *GRPODiv) Advantages(dst [][]float64, b *Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*Rollout) error {
		e.clusters.Assign(rollouts)
		n := float64(len(rewards))
		e.shaped = e.shaped[:0]
		for i, r := range rewards {
			if c := e.clusters.Index[i]; c >= 0 && n > 1 {
				r += float64(e.Lambda * (n/float64(e.clusters.Size[c]) - 1) / (n - 1))
			}
			e.shaped = append(e.shaped, r)
		}
		e.Relative(dst, e.shaped)
		return nil
	})
}

// shapedTarget is the mean of GRPO-div's shaped rewards over the group. Its gradient counts
// the changes that a rollout makes to the others' bonuses, which the advantages leave out.
func shapedTarget(i *Instance, s TargetSetting) (Target, error) {
	method := i.Estimator.(*GRPODiv)
	target, err := i.Best(fmt.Sprintf("reward+%v d", method.Lambda), 1, s)
	if s.Group > 1 {
		n := float64(s.Group)
		target.Terms = append(target.Terms, TargetTerm{Weight: method.Lambda, Draws: s.Group, Worth: func(counts []int) (float64, error) {
			distinct, members := 0, 0
			for a, c := range counts {
				members += c * int(Indicator(s.Answers[a].Mode != envs.Degenerate))
				distinct += int(Indicator(c > 0 && NewMode(s.Answers, counts, a, nil)))
			}
			return (float64(distinct) - float64(members)/n) / (n - 1), nil
		}})
	}
	return target, err
}

func init() {
	Register(AnswerSets, 10, Method{
		Name: "grpo-div", Summary: "GRPO on the reward plus a bonus for rare modes", Trains: true,
		Source:     "Poly-EPO eq. 17 and the display after it, app. A",
		Estimator:  From(GRPODiv{GRPO: Centred, Lambda: 0.5}),
		Loss:       loss.Function{ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3"},
		Properties: Properties{ShiftInvariant: true, Scale: Neither, ZeroSum: true, MovesEqualRewards: true, Why: "the bonus is added to the reward, whatever that one's scale"},
		Target:     shapedTarget,
	})
}

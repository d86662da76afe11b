package reweighted

import (
	"cmp"
	"slices"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/loss"
)

// Unlikeliness takes from a rollout's reward the more the likelier it is in its group
// (He et al., 2506.02355, sec. 4.1; AndreHe02/rewarding-unlikely-release,
// ray_lean_trainer.py), before the z-score of GRPO with ddof 1 and epsilon 1e-6:
//
//	r'_i = r_i (1 - beta k_i / N)        fidelity "code"
//	r'_i = r_i (1 - beta (k_i + 1) / N)  fidelity "paper"
//
// k_i is the number of the group's N rollouts that are less likely. The paper, whose equation was
// read at second hand, writes N - rank with rank 0 for the likeliest, and takes the log-probability
// of the whole rollout. The code ranks by the mean over its tokens. Ties go by rollout order: the
// first one counts as less likely. (The code's sort leaves them open.)
//
// A reward of 0 stays 0. Groups whose rewards are all equal are left out of training, by the paper
// and by the code's published run: zeros here. Under equal_rewards "ranked" they are shaped like
// any other, as the code's function has it by itself; where all are right, unlikely ones are then
// pushed up and likely ones down. A group of one has the advantage 0, or under singleton "raw", as
// in the code, r' over 1 + epsilon. The run has two epochs a batch and a divergence of weight 0.1.
type Unlikeliness struct {
	estimators.GRPO
	Beta         float64 `param:"beta" doc:"what the likeliest rollout of a large group loses of its reward, as a share" min:"0" max:"1" when:"train.group>1|fidelity=paper"`
	Fidelity     string  `param:"fidelity" doc:"code: ranks of mean log-probabilities of tokens, the least likely loses nothing; paper: ranks of log-probabilities of rollouts, the least likely loses beta / N" choices:"code,paper" when:"beta>0"`
	EqualRewards string  `param:"equal_rewards" doc:"a group of equal rewards: zero, or ranked like any other" choices:"zero,ranked" when:"beta>0,train.group>1"`
	order        []int
	keys, shaped []float64
}

func (e *Unlikeliness) Requirements() estimators.Requirements {
	kind, _ := e.ranking()
	return logprobReads(envs.HasReward, kind)
}

func (e *Unlikeliness) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*estimators.Rollout) error {
		kind, ahead := e.ranking()
		var err error
		if e.keys, err = logprobs(e.keys, &e.Groupwise, rollouts, kind); err != nil {
			return err
		}
		if len(rewards) > 1 && e.EqualRewards == "zero" && slices.Min(rewards) == slices.Max(rewards) {
			clear(dst)
			return nil
		}
		e.order, e.shaped = e.order[:0], append(e.shaped[:0], rewards...)
		for i := range rewards {
			e.order = append(e.order, i)
		}
		slices.SortStableFunc(e.order, func(i, j int) int { return cmp.Compare(e.keys[i], e.keys[j]) })
		for k, i := range e.order {
			e.shaped[i] *= 1 - float64(e.Beta*float64(k+ahead)/float64(len(rewards)))
		}
		e.Relative(dst, e.shaped)
		return nil
	})
}

// ranking is the kind of log-probability that ranks rollouts, and the rank of the least likely one.
func (e *Unlikeliness) ranking() (kind string, ahead int) {
	if e.Fidelity == "paper" {
		return "sequence", 1
	}
	return "token", 0
}

func init() {
	estimators.Register(estimators.Reweighted, 90, estimators.Method{
		Name: "unlikeliness", Summary: "GRPO on rewards that are cut by the rollout's rank in likelihood", Trains: true,
		Source:     "He et al. 2025 (2506.02355); AndreHe02/rewarding-unlikely-release",
		Estimator:  estimators.From(Unlikeliness{GRPO: estimators.SampleZScore, Beta: 0.25, Fidelity: "code", EqualRewards: "zero"}),
		Loss:       loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3", KLCoef: 0.1},
		Properties: estimators.Properties{Scale: estimators.Invariant, ZeroSum: true, OrderMatters: true, Why: "a z-score of products of rewards and ranks; equally likely rollouts go by their order"},
		Target:     estimators.NoTarget("its rewards depend on the ranks of the policy's own log-probabilities"),
	})
}

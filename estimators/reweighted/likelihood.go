package reweighted

import (
	"cmp"
	"math"
	"slices"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/loss"
	"modebench/internal/exact"
)

const leastShare = 1e-6

// UCPO shares out what the correct rollouts of a group have in advantages by how unlikely they are
// (2605.00365; AnamikaLochab/UCPO, core_algos.py, estimator "iq"). With q the softmax of
// log-probabilities over the correct rollouts,
//
//	A_i = (1 - tau) base_i + tau (sum of base) v_i / sum_j v_j,  v_i = 1 / max(q_i, 1e-6)
//
// for a correct rollout, both sums over the correct ones. Other rollouts keep their advantage. Tau 0 is
// GRPO; at tau 1 advantages go with 1/q, against a policy gradient that goes with q. Advantages sum to
// 0. With fewer than two correct rollouts nothing changes.
//
// The base is the z-score with ddof 1 and epsilon 1e-8. The code gives all correct rollouts the base of
// the first, and takes rewards above 0 for correct, which is the same for 0/1 rewards; here correctness
// is the judge's. A log-probability is the mean over the rollout's tokens, as in the code, or their sum
// (logprob "sequence", in a comment of the script). The scripts set tau to 0.2, and leave the code's
// second part, which sharpens over wrong rollouts, off; it is left out here.
type UCPO struct {
	estimators.GRPO
	Tau     float64 `param:"tau" doc:"share of the correct rollouts' advantages that goes by inverse likelihood; 0: GRPO" min:"0" max:"1" when:"train.group>1"`
	Logprob string  `param:"logprob" doc:"the log-probability of a rollout: the mean over its tokens, or their sum" choices:"token,sequence" when:"tau>0,train.group>1"`
	shares  []float64
}

func (e *UCPO) Requirements() estimators.Requirements {
	return logprobReads(envs.HasReward|envs.HasCorrect, e.Logprob)
}

func (e *UCPO) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*estimators.Rollout) error {
		e.Relative(dst, rewards)
		var err error
		if e.shares, err = logprobs(e.shares, &e.Groupwise, rollouts, e.Logprob); err != nil || countCorrect(rollouts) < 2 {
			return err
		}
		total := 0.0
		for i, r := range rollouts {
			if r.Candidates[0].Correct {
				total += dst[i]
			}
		}
		e.share(rollouts)
		for i, r := range rollouts {
			if r.Candidates[0].Correct {
				dst[i] = float64((1-e.Tau)*dst[i]) + float64(e.Tau*total*e.shares[i])
			}
		}
		return nil
	})
}

// share makes shares v_i / sum_j v_j of the log-probabilities of correct rollouts.
func (e *UCPO) share(rollouts []*estimators.Rollout) {
	largest := math.Inf(-1)
	for i, r := range rollouts {
		if r.Candidates[0].Correct {
			largest = max(largest, e.shares[i])
		}
	}
	likelihood := 0.0
	for i, r := range rollouts {
		if r.Candidates[0].Correct {
			e.shares[i] = exact.Exp(e.shares[i] - largest)
			likelihood += e.shares[i]
		}
	}
	inverse := 0.0
	for i, r := range rollouts {
		if r.Candidates[0].Correct {
			e.shares[i] = 1 / max(e.shares[i]/likelihood, leastShare)
			inverse += e.shares[i]
		}
	}
	for i := range e.shares {
		e.shares[i] /= inverse
	}
}

// logprobReads are the requirements of a method that reads these fields and logprobs of a kind.
func logprobReads(fields envs.Fields, kind string) estimators.Requirements {
	if kind == "token" {
		return estimators.Reads(fields, estimators.RolloutLogprob, estimators.RolloutTokens)
	}
	return estimators.Reads(fields, estimators.RolloutLogprob)
}

// logprobs writes to dst[:0] the log-probabilities of the gathered rollouts under "sequence", or under
// "token" their means over the tokens.
func logprobs(dst []float64, w *estimators.Groupwise, rollouts []*estimators.Rollout, kind string) ([]float64, error) {
	dst = dst[:0]
	for _, r := range rollouts {
		dst = append(dst, r.Logprob)
	}
	if kind != "token" {
		return dst, nil
	}
	for i, r := range rollouts {
		dst[i] /= float64(r.Tokens)
	}
	return dst, w.CheckLengths()
}

func init() {
	estimators.Register(estimators.Reweighted, 50, estimators.Method{
		Name: "ucpo", Summary: "GRPO whose correct rollouts share their advantages by inverse likelihood", Trains: true,
		Source:     "UCPO 2026 (2605.00365); AnamikaLochab/UCPO",
		Estimator:  estimators.From(UCPO{GRPO: estimators.GRPO{Scale: "group", DDoF: 1, Epsilon: 1e-8, Singleton: "zero"}, Tau: 0.2, Logprob: "token"}),
		Loss:       loss.Function{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Properties: estimators.Properties{ShiftInvariant: true, Scale: estimators.Invariant, ZeroSum: true, Why: "a z-score whose total over the correct rollouts is shared out anew"},
		Target:     estimators.NoTarget("its weights depend on the policy's own log-probabilities"),
	})
}

// Unlikeliness takes from a rollout's reward the more the likelier it is in its group (He et al.,
// 2506.02355, sec. 4.1; AndreHe02/rewarding-unlikely-release, ray_lean_trainer.py), before the z-score
// of GRPO with ddof 1 and epsilon 1e-6:
//
//	r'_i = r_i (1 - beta k_i / N)        fidelity "code"
//	r'_i = r_i (1 - beta (k_i + 1) / N)  fidelity "paper"
//
// k_i is the number of the group's N rollouts that are less likely; of ties the first counts as less
// likely. The paper, whose equation was read at second hand, takes the log-probability of the whole
// rollout, the code the mean over its tokens.
//
// Groups whose rewards are all equal are left out of training, by the paper and by the code's published
// run: zeros here. Under equal_rewards "ranked" they are shaped like any other, as in the code's
// function; if all are right, unlikely rollouts are then pushed up and likely ones down. A group of one
// has the advantage 0, or under singleton "raw", as in the code, r' over 1 + epsilon. The run has two
// epochs a batch and a divergence of weight 0.1.
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

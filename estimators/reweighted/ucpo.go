package reweighted

import (
	"math"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/loss"
	"modebench/internal/exact"
)

const leastShare = 1e-6

// UCPO shares out what the correct rollouts of a group have in advantages by how unlikely
// they are (2605.00365; AnamikaLochab/UCPO, core_algos.py, estimator "iq"). With q the
// softmax of log-probabilities over the correct rollouts,
//
//	A_i = (1 - tau) base_i + tau (sum of base) v_i / sum_j v_j,  v_i = 1 / max(q_i, 1e-6)
//
// for a correct rollout, where both sums are over the correct ones. The others keep their
// advantage. Tau 0 is GRPO, and at tau 1 advantages go with 1/q, against a policy gradient that
// goes with q. The total of the correct rollouts stays what it was, so that advantages sum to 0.
// With fewer than two correct rollouts nothing changes, and groups of equal rewards get zeros.
//
// The base is the z-score with ddof 1 and epsilon 1e-8. The code gives all correct rollouts
// the base of the first one, and takes rewards above 0 for correct. For 0/1 rewards that is
// the same; graded ones it flattens, which is not done here, and correctness is the judge's.
//
// A log-probability is the mean over the rollout's tokens, as the code has it, so that the
// weights of long rollouts are nearly uniform; a comment in the published script speaks of
// sums, logprob "sequence". The scripts set tau to 0.2. The code's second part, which
// sharpens over wrong rollouts, is off in all of them and left out here.
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

// share makes shares of log-probabilities: v_i / sum_j v_j for each correct rollout. Other entries
// are not read.
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

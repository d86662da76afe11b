package estimators

import "modebench/estimators/loss"

// EMRL rewards a rollout for the policy's confidence in it, with RLOO's baseline (Agarwal et al.,
// 2505.15134; a baseline of Evol-RL). It reads no verdict. EM-RL-token and EM-RL-sequence have
//
//	r_i = - sum_t H(pi(. | y_<t))
//	r_i = sum_t log pi(y_t | y_<t)
//
// Both are sums over tokens, not means, and constants to the gradient. The expected step of
// EM-RL-token moves probability to rollouts that pass through states of low entropy, and does not
// lower the entropy of a state by itself; if every rollout is one token from the same state, all
// advantages are 0. The expectation of EM-RL-sequence's reward is minus the entropy of whole
// answers, whose gradient is the expected step, since E[grad log pi] = 0.
type EMRL struct {
	RLOO
	entropies bool // EM-RL-token
}

func (e *EMRL) Requirements() Requirements {
	if e.entropies {
		return Requirements{RolloutFields: RolloutEntropy, MinGroup: 1, MinTokens: 2, Chains: true}
	}
	return Requirements{RolloutFields: RolloutLogprob, MinGroup: 1, Chains: true}
}

func (e *EMRL) Advantages(dst [][]float64, b *Batch) error {
	return e.eachScored(dst, b, func(g *Group) error {
		for i, r := range g.Rollouts {
			e.scores[i] = r.Logprob
			if e.entropies {
				e.scores[i] = -r.Entropy
			}
		}
		return nil
	}, e.leaveOneOut)
}

// emrlLoss is RLOO's loss with the paper's weight of the divergence, 1e-3. The paper names no
// estimator of the divergence: here it is k3 in the loss, as in verl's defaults, which have the
// same weight.
var emrlLoss = loss.Function{Ratio: "token", Aggregation: "seq-mean-token-sum", KL: "k3", KLCoef: 1e-3}

func init() {
	for i, m := range []Method{{
		Name: "em-rl-token", Summary: "RLOO on minus the summed token entropies, no labels",
		Estimator: From(EMRL{RLOO: RLOO{Singleton: "zero"}, entropies: true}),
	}, {
		Name: "em-rl-sequence", Summary: "RLOO on the rollout's own log-probability, no labels",
		Estimator: From(EMRL{RLOO: RLOO{Singleton: "zero"}}),
	}} {
		m.Trains, m.Loss, m.Target = true, emrlLoss, noLabelTarget
		m.Source = "Agarwal et al. 2025 (2505.15134); Evol-RL app. B.2"
		m.Properties = Properties{ShiftInvariant: true, Scale: Invariant, ZeroSum: true, MovesEqualRewards: true, Why: "no reward is read"}
		Register(LabelFree, 140+10*i, m)
	}
}

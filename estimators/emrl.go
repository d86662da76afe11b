package estimators

import "modebench/estimators/loss"

// EMRLToken is EM-RL-token (Agarwal et al., 2505.15134; a baseline of Evol-RL): the
// reward of a rollout is its confidence,
//
//	r_i = - sum_t H(pi(. | y_<t))
//
// with RLOO's baseline. It reads no verdict. The sum is over tokens
// and not their mean, and the reward is a constant to the gradient: the expected
// step moves probability to rollouts that pass through states of low entropy,
// and does not lower the entropy of a state by itself. Where every rollout is one
// token from the same state, all advantages are 0.
type EMRLToken struct{ RLOO }

func (*EMRLToken) Requirements() Requirements {
	return Requirements{RolloutFields: RolloutEntropy, MinGroup: 1, MinTokens: 2, Chains: true}
}

func (e *EMRLToken) Advantages(dst [][]float64, b *Batch) error {
	return e.ofConfidence(dst, b, func(r *Rollout) float64 { return -r.Entropy })
}

// EMRLSequence is EM-RL-sequence (Agarwal et al., 2505.15134): the reward of a
// rollout is its own log-probability,
//
//	r_i = sum_t log pi(y_t | y_<t)
//
// with RLOO's baseline; a sum and a constant to the gradient, as in EMRLToken. Its
// expectation is minus the entropy of whole answers, whose gradient is the expected
// step, since E[grad log pi] = 0.
type EMRLSequence struct{ RLOO }

func (*EMRLSequence) Requirements() Requirements {
	return Requirements{RolloutFields: RolloutLogprob, MinGroup: 1, Chains: true}
}

func (e *EMRLSequence) Advantages(dst [][]float64, b *Batch) error {
	return e.ofConfidence(dst, b, func(r *Rollout) float64 { return r.Logprob })
}

// ofConfidence is RLOO on a reward that the rollout itself gives.
func (e *RLOO) ofConfidence(dst [][]float64, b *Batch, confidence func(*Rollout) float64) error {
	return e.eachScored(dst, b, func(g *Group) error {
		for i := range g.Rollouts {
			e.scores[i] = confidence(&g.Rollouts[i])
		}
		return nil
	}, e.leaveOneOut)
}

// emrlLoss is RLOO's loss with the paper's weight of the divergence, 1e-3. The paper names no
// estimator of the divergence: here it is k3 in the loss, as in verl's defaults, which have the
// same weight.
var emrlLoss = loss.Function{Ratio: "token", Aggregation: "seq-mean-token-sum", KL: "k3", KLCoef: 1e-3}

// Both minimise entropy without a judge: the rewards are the policy's own confidence.
func init() {
	Register(LabelFree, 140, Method{
		Name: "em-rl-token", Summary: "RLOO on minus the summed token entropies, no labels", Trains: true,
		Source:     "Agarwal et al. 2025 (2505.15134); Evol-RL app. B.2",
		Estimator:  From(EMRLToken{RLOO{Singleton: "zero"}}),
		Loss:       emrlLoss,
		Properties: Properties{ShiftInvariant: true, Scale: Invariant, ZeroSum: true, MovesEqualRewards: true, Why: "no reward is read"},
		Target:     noLabelTarget,
	})
	Register(LabelFree, 150, Method{
		Name: "em-rl-sequence", Summary: "RLOO on the rollout's own log-probability, no labels", Trains: true,
		Source:     "Agarwal et al. 2025 (2505.15134); Evol-RL app. B.2",
		Estimator:  From(EMRLSequence{RLOO{Singleton: "zero"}}),
		Loss:       emrlLoss,
		Properties: Properties{ShiftInvariant: true, Scale: Invariant, ZeroSum: true, MovesEqualRewards: true, Why: "no reward is read"},
		Target:     noLabelTarget,
	})
}

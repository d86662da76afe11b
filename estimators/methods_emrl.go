package estimators

// emrlMethods minimise entropy without a judge: the rewards are the policy's own
// confidence. The paper gives the divergence the weight 1e-3 and does not say how it
// is estimated: k3 in the loss, as in verl's defaults, whose weight that is.
var emrlMethods = []Method{
	{
		Name: "em-rl-token", Summary: "RLOO on minus the summed token entropies, no labels", Trains: true,
		Source:    "Agarwal et al. 2025 (2505.15134); Evol-RL app. B.2",
		estimator: func() Estimator { return &EMRLToken{confident{RLOO: RLOO{Singleton: "zero"}}} },
		objective: emrl,
		Laws:      Laws{Shift: true, Scale: Invariant, ZeroSum: true, Loud: true, Why: "no reward is read"},
		Aim:       noLabels,
	},
	{
		Name: "em-rl-sequence", Summary: "RLOO on the rollout's own log-probability, no labels", Trains: true,
		Source:    "Agarwal et al. 2025 (2505.15134); Evol-RL app. B.2",
		estimator: func() Estimator { return &EMRLSequence{confident{RLOO: RLOO{Singleton: "zero"}}} },
		objective: emrl,
		Laws:      Laws{Shift: true, Scale: Invariant, ZeroSum: true, Loud: true, Why: "no reward is read"},
		Aim:       noLabels,
	},
}

// emrl is RLOO's objective with the paper's weight of the divergence.
var emrl = Objective{Ratio: "token", Aggregation: "seq-mean-token-sum", KL: "k3", KLCoef: 1e-3}

package estimators

// setMethods optimise a quality of a set of answers: Poly-EPO and the pass@k and
// max@k family.
var setMethods = []Method{
	{
		Name: "grpo-div", Summary: "GRPO on the reward plus a bonus for rare modes", Trains: true,
		Source: "Poly-EPO eq. 17 and the display after it, app. A",
		estimator: func() Estimator {
			return &GRPODiv{GRPO: GRPO{Scale: "none", Epsilon: 1e-6, Singleton: "zero"}, Lambda: 0.5}
		},
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3"},
		Laws:      Laws{Shift: true, Scale: Neither, ZeroSum: true, Loud: true, Why: "the bonus is added to the reward, whatever that one's scale"},
	},
	{
		Name: "poly-epo", Summary: "marginal set advantage of mean reward times distinct modes", Trains: true,
		Source:    "Poly-EPO eqs. 8, 10, 11, app. A",
		estimator: func() Estimator { return &PolyEPO{N: 4} },
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Aggregation: "seq-mean-token-sum-norm", KL: "k3"},
		Laws:      Laws{Scale: Linear, ZeroSum: true, Loud: true, Why: "f is a product with the mean reward: a constant is worth its diversity"},
	},
	{
		// VPO gives no k for its runs.
		Name: "max-at-k", Summary: "z-score of the credit for the best of k", Trains: true,
		Source:    "Bagirov et al. 2025; VPO sec. 4.2",
		estimator: func() Estimator { return &MaxAtK{GRPO: population, K: 4} },
		objective: vpo,
		Laws:      Laws{Shift: true, Scale: Invariant, ZeroSum: true, Why: "a z-score of credits in which a constant has the share k/n"},
	},
	{
		Name: "maxrl", Summary: "centred reward over the group's mean reward", Trains: true,
		Source: "Tajwar et al. 2026; VPO sec. 4.2",
		estimator: func() Estimator {
			return &MaxRL{Epsilon: 1e-6, Singleton: "zero", Fidelity: "code"}
		},
		objective: vpo,
		Laws:      Laws{Scale: Invariant, ZeroSum: true, Why: "centred rewards over their mean"},
	},
}

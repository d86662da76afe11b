package estimators

// setRL is Poly-EPO's objective (app. A, table 1).
var setRL = Objective{ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Aggregation: "seq-mean-token-sum-norm", KL: "k3"}

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
		Aim:       shapedAim,
	},
	{
		Name: "poly-epo", Summary: "marginal set advantage of mean reward times distinct modes", Trains: true,
		Source:    "Poly-EPO eqs. 8, 10, 11, app. A",
		estimator: func() Estimator { return &PolyEPO{N: 4} },
		objective: setRL,
		Laws:      Laws{Scale: Linear, ZeroSum: true, Loud: true, Why: "f is a product with the mean reward: a constant is worth its diversity"},
		Aim:       setAim,
	},
	{
		Name: "set-rl", Summary: "marginal set advantage of any set objective, by default Poly-EPO's", Trains: true,
		Source:    "Poly-EPO eqs. 7, 8, algorithm 1",
		estimator: func() Estimator { return &SetRL{Objective: "polychromic", N: 4} },
		objective: setRL,
		Laws:      Laws{Scale: Linear, ZeroSum: true, Loud: true, Why: "f is a product with the mean reward: a constant is worth its diversity"},
		Aim:       setAim,
	},
	{
		Name: "pass-n", Summary: "marginal set advantage of the best of n", Trains: true,
		Source:    "Poly-EPO sec. 5.1",
		estimator: func() Estimator { return &PassN{N: 4} },
		objective: setRL,
		Laws:      Laws{Shift: true, Scale: Linear, ZeroSum: true, Why: "differences of largest rewards"},
		Aim:       maxAim("n"),
	},
	{
		// The paper trains with several k and prefers none; the objective is no part of
		// its claim.
		Name: "pkpo", Summary: "the gradient of the expected best of k, by leave-one-out baselines", Trains: true,
		Source:    "Walder and Karkhanis 2025 (2505.15201)",
		estimator: func() Estimator { return &PKPO{K: 4, Variant: "loo-1"} },
		objective: plain,
		Laws:      Laws{Shift: true, Scale: Linear, Why: "leads over the second best of a subset: none is negative"},
		Aim:       maxAim("k"),
	},
	{
		// The published code is an advantage for verl and says nothing of the loss.
		Name: "passk-training", Summary: "analytical advantage of pass@k with set rewards over their deviation", Trains: true,
		Source:    "Chen et al. 2025 (2508.10751)",
		estimator: func() Estimator { return &PassKTraining{K: 4, Epsilon: 1e-6} },
		objective: plain,
		Laws:      Laws{Shift: true, Scale: Invariant, ZeroSum: true, Why: "it looks at correctness, not at rewards"},
		Aim:       passAim,
	},
	{
		// VPO gives no k for its runs.
		Name: "max-at-k", Summary: "z-score of the credit for the best of k", Trains: true,
		Source:    "Bagirov et al. 2025; VPO sec. 4.2",
		estimator: func() Estimator { return &MaxAtK{GRPO: population, K: 4} },
		objective: vpo,
		Laws:      Laws{Shift: true, Scale: Invariant, ZeroSum: true, Why: "a z-score of credits in which a constant has the share k/n"},
		Aim:       maxAim("k"),
	},
	{
		Name: "maxrl", Summary: "centred reward over the group's mean reward", Trains: true,
		Source: "Tajwar et al. 2026; VPO sec. 4.2",
		estimator: func() Estimator {
			return &MaxRL{Epsilon: 1e-6, Singleton: "zero", Fidelity: "code"}
		},
		objective: vpo,
		Laws:      Laws{Scale: Invariant, ZeroSum: true, Why: "centred rewards over their mean"},
		Aim:       maxrlAim,
	},
}

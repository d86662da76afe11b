package estimators

// methods is the registry: a method is one entry here. Where a paper leaves a
// number open, the entry says what was chosen and why.
var methods = []Method{
	{
		Name: "base", Summary: "no training: the row every other method is held against",
		Source: "-", estimator: func() Estimator { return &Base{} }, objective: plain,
	},
	{
		Name: "optimum", Summary: "no policy: the exact optimum of each metric, which bounds every policy that is not told the weights it is scored under", Optimum: true,
		Source: "-", estimator: func() Estimator { return &Base{} }, objective: plain,
	},
	{
		Name: "reinforce", Summary: "score function without a baseline", Trains: true,
		Source:    "Williams 1992",
		estimator: func() Estimator { return &Reinforce{} },
		objective: Objective{Ratio: "token", Aggregation: "seq-mean-token-sum", KL: "k3"},
	},
	{
		Name: "rloo", Summary: "the mean of the group's other rewards as baseline", Trains: true,
		Source:    "Kool et al. 2019; Ahmadian et al. 2024",
		estimator: func() Estimator { return &RLOO{Singleton: "zero"} },
		objective: Objective{Ratio: "token", Aggregation: "seq-mean-token-sum", KL: "k3"},
	},
	{
		Name: "grpo", Summary: "group z-score, population deviation", Trains: true,
		Source:    "Shao et al. 2024; conventions of VPO app. B",
		estimator: zscore(0, 1e-6), objective: plain,
	},
	{
		Name: "grpo@poly-epo", Summary: "Poly-EPO's baseline: mean only, clip-higher", Trains: true,
		Source:    "Poly-EPO app. A, table 1",
		estimator: centred,
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3"},
	},
	{
		// The deviation's ddof and epsilon are not given; the divergence is
		// printed for whole distributions (eq. 1), so it is exact.
		Name: "grpo@setpo", Summary: "SetPO's baseline: z-score, KL 1e-4", Trains: true,
		Source:    "SetPO eq. 1, table 4",
		estimator: zscore(0, 1e-6), objective: setpo,
	},
	{
		Name: "grpo@vpo", Summary: "VPO's baseline: z-score, dual clip, token mean, k3 KL 1e-3", Trains: true,
		Source:    "VPO app. B",
		estimator: zscore(0, 1e-6), objective: vpo,
	},
	{
		// beta is tuned over 0.01, 0.02, 0.05, 0.1 and the choice not given; the
		// clip range is not given either.
		Name: "grpo@sd-e2", Summary: "SD-E2's GRPO: z-score, sequence ratio, exact KL", Trains: true,
		Source:    "SD-E2 eqs. 31-37, app. F",
		estimator: zscore(0, 1e-6),
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "sequence", Aggregation: "seq-mean-token-sum", KL: "exact", KLCoef: 0.02},
	},
	{
		// The paper writes std(r) without a ddof; its code inherits verl's
		// sample deviation (set ddof to 1 for that).
		Name: "grpo@evol-rl", Summary: "Evol-RL's GRPO: z-score, symmetric clip, KL 1e-3", Trains: true,
		Source:    "Evol-RL sec. 2 and app. A.5",
		estimator: zscore(0, 1e-6),
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3", KLCoef: 1e-3},
	},
	{
		Name: "grpo@verl", Summary: "verl: sample deviation, a lone rollout keeps its reward", Trains: true,
		Source: "verl core_algos.py (2026-08)",
		estimator: func() Estimator {
			return &GRPO{Scale: "group", DDoF: 1, Epsilon: 1e-6, Singleton: "raw"}
		},
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
	},
	{
		Name: "grpo@trl", Summary: "TRL: sample deviation, epsilon 1e-4", Trains: true,
		Source:    "TRL GRPOTrainer (1.10.0.dev0)",
		estimator: zscore(1, 1e-4),
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
	},
	{
		// OpenRLHF gives NaN to a group of one; here it is 0.
		Name: "grpo@openrlhf", Summary: "OpenRLHF: sample deviation, epsilon 1e-9", Trains: true,
		Source:    "OpenRLHF group_norm (2026)",
		estimator: zscore(1, 1e-9),
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
	},
	{
		Name: "grpo@prime", Summary: "prime-rl: mean only", Trains: true,
		Source:    "prime-rl advantage.py (2026)",
		estimator: centred,
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
	},
	{
		Name: "dr-grpo", Summary: "mean only, token sum over a constant length", Trains: true,
		Source:    "Liu et al. 2025",
		estimator: centred,
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-sum-norm", KL: "k3"},
	},
	{
		Name: "grpo-div", Summary: "GRPO on the reward plus a bonus for rare modes", Trains: true,
		Source: "Poly-EPO eq. 17 and the display after it, app. A",
		estimator: func() Estimator {
			return &GRPODiv{GRPO: GRPO{Scale: "none", Epsilon: 1e-6, Singleton: "zero"}, Lambda: 0.5}
		},
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3"},
	},
	{
		Name: "poly-epo", Summary: "marginal set advantage of mean reward times distinct modes", Trains: true,
		Source:    "Poly-EPO eqs. 8, 10, 11, app. A",
		estimator: func() Estimator { return &PolyEPO{N: 4} },
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Aggregation: "seq-mean-token-sum-norm", KL: "k3"},
	},
	{
		Name: "setpo+grpo", Summary: "GRPO plus a leave-one-out kernel diversity credit", Trains: true,
		Source: "SetPO eqs. 1, 3-4, table 4",
		estimator: func() Estimator {
			return &SetPO{GRPO: GRPO{Scale: "group", Epsilon: 1e-6, Singleton: "zero"}, Lambda: 0.05}
		},
		objective: setpo,
	},
	{
		Name: "vpo", Summary: "best of a chain's answers, averaged over Dirichlet weights", Trains: true, Candidates: 3,
		Source: "VPO eq. 1, sec. 3.2",
		estimator: func() Estimator {
			return &VPO{GRPO: population, Draws: 64, Alpha: 1}
		},
		objective: vpo,
	},
	{
		Name: "multi-rlvr", Summary: "best of a chain's answers under the fixed weights", Trains: true, Candidates: 3,
		Source:    "Puri et al. 2026; VPO sec. 4.2",
		estimator: func() Estimator { return &MultiRLVR{GRPO: population} },
		objective: vpo,
	},
	{
		Name: "random-w", Summary: "GRPO under weights drawn anew for each group and step", Trains: true,
		Source:    "VPO sec. 4.2",
		estimator: func() Estimator { return &RandomW{GRPO: population, Alpha: 1} },
		objective: vpo,
	},
	{
		// A group without weights of its own is scored under the batch's w*.
		Name: "goal-conditioned", Summary: "GRPO under weights that the prompt states: w ~ Dir(1) for each group and step, or the nearest of the vertices and the centroid", Trains: true, Goals: true,
		Source:    "VPO sec. 4.2, app. E.5",
		estimator: zscore(0, 1e-6), objective: vpo,
	},
	{
		// VPO gives no k for its runs.
		Name: "max-at-k", Summary: "z-score of the credit for the best of k", Trains: true,
		Source:    "Bagirov et al. 2025; VPO sec. 4.2",
		estimator: func() Estimator { return &MaxAtK{GRPO: population, K: 4} },
		objective: vpo,
	},
	{
		Name: "maxrl", Summary: "centred reward over the group's mean reward", Trains: true,
		Source: "Tajwar et al. 2026; VPO sec. 4.2",
		estimator: func() Estimator {
			return &MaxRL{Epsilon: 1e-6, Singleton: "zero", Fidelity: "code"}
		},
		objective: vpo,
	},
	{
		Name: "gdpo", Summary: "z-score of each reward component, their sum normalised over the batch", Trains: true,
		Source:    "Liu et al. 2026; VPO table 5",
		estimator: func() Estimator { return &GDPO{DDoF: 1, Epsilon: 1e-6} },
		objective: vpo,
	},
}

// vpo is the backbone that VPO's own method and baselines share (app. B).
var vpo = Objective{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3", KLCoef: 1e-3}

// population is the z-score of VPO app. B.
var population = GRPO{Scale: "group", Epsilon: 1e-6, Singleton: "zero"}

// plain is PPO's clip with DeepSeekMath's aggregation and without a reference.
var plain = Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3"}

// setpo is SetPO's objective (eq. 1 with the hyperparameters of table 4).
var setpo = Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "exact", KLCoef: 1e-4}

func zscore(ddof int, epsilon float64) func() Estimator {
	return func() Estimator {
		return &GRPO{Scale: "group", DDoF: ddof, Epsilon: epsilon, Singleton: "zero"}
	}
}

func centred() Estimator { return &GRPO{Scale: "none", Epsilon: 1e-6, Singleton: "zero"} }

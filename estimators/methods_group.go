package estimators

// groupMethods are the baselines: group-relative advantages and what came before.
var groupMethods = []Method{
	{
		Name: "base", Summary: "no training: the row every other method is held against",
		Source: "-", estimator: func() Estimator { return &Base{} }, objective: plain,
		Laws: Laws{Shift: true, Scale: Linear, ZeroSum: true, Why: "all zeros"},
	},
	{
		Name: "optimum", Summary: "no policy: the exact optimum of each metric, which bounds every policy that is not told the weights it is scored under", Optimum: true,
		Source: "-", estimator: func() Estimator { return &Base{} }, objective: plain,
		Laws: Laws{Shift: true, Scale: Linear, ZeroSum: true, Why: "all zeros"},
	},
	{
		Name: "reinforce", Summary: "score function without a baseline", Trains: true,
		Source:    "Williams 1992",
		estimator: func() Estimator { return &Reinforce{} },
		objective: Objective{Ratio: "token", Aggregation: "seq-mean-token-sum", KL: "k3"},
		Laws:      Laws{Scale: Linear, Loud: true, Why: "the reward itself"},
	},
	{
		Name: "rloo", Summary: "the mean of the group's other rewards as baseline", Trains: true,
		Source:    "Kool et al. 2019; Ahmadian et al. 2024",
		estimator: func() Estimator { return &RLOO{Singleton: "zero"} },
		objective: Objective{Ratio: "token", Aggregation: "seq-mean-token-sum", KL: "k3"},
		Laws:      Laws{Shift: true, Scale: Linear, ZeroSum: true, Why: "differences of rewards"},
	},
	{
		Name: "grpo", Summary: "group z-score, population deviation", Trains: true,
		Source:    "Shao et al. 2024; conventions of VPO app. B",
		estimator: zscore(0, 1e-6), objective: plain,
		Laws: Laws{Shift: true, Scale: Invariant, ZeroSum: true, Why: "a z-score"},
	},
	{
		Name: "grpo@poly-epo", Summary: "Poly-EPO's baseline: mean only, clip-higher", Trains: true,
		Source:    "Poly-EPO app. A, table 1",
		estimator: centred,
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3"},
		Laws:      Laws{Shift: true, Scale: Linear, ZeroSum: true, Why: "centred rewards"},
	},
	{
		// The deviation's ddof and epsilon are not given; the divergence is
		// printed for whole distributions (eq. 1), so it is exact.
		Name: "grpo@setpo", Summary: "SetPO's baseline: z-score, KL 1e-4", Trains: true,
		Source:    "SetPO eq. 1, table 4",
		estimator: zscore(0, 1e-6), objective: setpo,
		Laws: Laws{Shift: true, Scale: Invariant, ZeroSum: true, Why: "a z-score"},
	},
	{
		Name: "grpo@vpo", Summary: "VPO's baseline: z-score, dual clip, token mean, k3 KL 1e-3", Trains: true,
		Source:    "VPO app. B",
		estimator: zscore(0, 1e-6), objective: vpo,
		Laws: Laws{Shift: true, Scale: Invariant, ZeroSum: true, Why: "a z-score"},
	},
	{
		// beta is tuned over 0.01, 0.02, 0.05, 0.1 and the choice not given; the
		// clip range is not given either.
		Name: "grpo@sd-e2", Summary: "SD-E2's GRPO: z-score, sequence ratio, exact KL", Trains: true,
		Source:    "SD-E2 eqs. 31-37, app. F",
		estimator: zscore(0, 1e-6),
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "sequence", Aggregation: "seq-mean-token-sum", KL: "exact", KLCoef: 0.02},
		Laws:      Laws{Shift: true, Scale: Invariant, ZeroSum: true, Why: "a z-score"},
	},
	{
		// The paper writes std(r) without a ddof; its code inherits verl's
		// sample deviation (set ddof to 1 for that).
		Name: "grpo@evol-rl", Summary: "Evol-RL's GRPO: z-score, symmetric clip, KL 1e-3", Trains: true,
		Source:    "Evol-RL sec. 2 and app. A.5",
		estimator: zscore(0, 1e-6),
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3", KLCoef: 1e-3},
		Laws:      Laws{Shift: true, Scale: Invariant, ZeroSum: true, Why: "a z-score"},
	},
	{
		Name: "grpo@verl", Summary: "verl: sample deviation, a lone rollout keeps its reward", Trains: true,
		Source: "verl core_algos.py (2026-08)",
		estimator: func() Estimator {
			return &GRPO{Scale: "group", DDoF: 1, Epsilon: 1e-6, Singleton: "raw"}
		},
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Laws:      Laws{Shift: true, Scale: Invariant, ZeroSum: true, Why: "a z-score"},
	},
	{
		Name: "grpo@trl", Summary: "TRL: sample deviation, epsilon 1e-4", Trains: true,
		Source:    "TRL GRPOTrainer (1.10.0.dev0)",
		estimator: zscore(1, 1e-4),
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Laws:      Laws{Shift: true, Scale: Invariant, ZeroSum: true, Why: "a z-score"},
	},
	{
		// OpenRLHF gives NaN to a group of one; here it is 0.
		Name: "grpo@openrlhf", Summary: "OpenRLHF: sample deviation, epsilon 1e-9", Trains: true,
		Source:    "OpenRLHF group_norm (2026)",
		estimator: zscore(1, 1e-9),
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Laws:      Laws{Shift: true, Scale: Invariant, ZeroSum: true, Why: "a z-score"},
	},
	{
		Name: "grpo@prime", Summary: "prime-rl: mean only", Trains: true,
		Source:    "prime-rl advantage.py (2026)",
		estimator: centred,
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Laws:      Laws{Shift: true, Scale: Linear, ZeroSum: true, Why: "centred rewards"},
	},
	{
		Name: "dr-grpo", Summary: "mean only, token sum over a constant length", Trains: true,
		Source:    "Liu et al. 2025",
		estimator: centred,
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-sum-norm", KL: "k3"},
		Laws:      Laws{Shift: true, Scale: Linear, ZeroSum: true, Why: "centred rewards"},
	},
}

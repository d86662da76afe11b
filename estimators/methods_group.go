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
		Aim:       rewardAim,
	},
	{
		Name: "rloo", Summary: "the mean of the group's other rewards as baseline", Trains: true,
		Source:    "Kool et al. 2019; Ahmadian et al. 2024",
		estimator: func() Estimator { return &RLOO{Singleton: "zero"} },
		objective: Objective{Ratio: "token", Aggregation: "seq-mean-token-sum", KL: "k3"},
		Laws:      Laws{Shift: true, Scale: Linear, ZeroSum: true, Why: "differences of rewards"},
		Aim:       rewardAim,
	},
	{
		Name: "grpo", Summary: "group z-score, population deviation", Trains: true,
		Source:    "Shao et al. 2024; conventions of VPO app. B",
		estimator: zscore(0, 1e-6), objective: plain,
		Laws: zscoreLaws,
		Aim:  rewardAim,
	},
	{
		Name: "grpo@poly-epo", Summary: "Poly-EPO's baseline: mean only, clip-higher", Trains: true,
		Source:    "Poly-EPO app. A, table 1",
		estimator: centred,
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3"},
		Laws:      centredLaws,
		Aim:       rewardAim,
	},
	{
		// The deviation's ddof and epsilon are not given; the divergence is
		// printed for whole distributions (eq. 1), so it is exact.
		Name: "grpo@setpo", Summary: "SetPO's baseline: z-score, KL 1e-4", Trains: true,
		Source:    "SetPO eq. 1, table 4",
		estimator: zscore(0, 1e-6), objective: setpo,
		Laws: zscoreLaws,
		Aim:  rewardAim,
	},
	{
		Name: "grpo@vpo", Summary: "VPO's baseline: z-score, dual clip, token mean, k3 KL 1e-3", Trains: true,
		Source:    "VPO app. B",
		estimator: zscore(0, 1e-6), objective: vpo,
		Laws: zscoreLaws,
		Aim:  rewardAim,
	},
	{
		Name: "grpo@sd-e2", Summary: "SD-E2's GRPO: z-score, sequence ratio, exact KL", Trains: true,
		Source:    "SD-E2 eqs. 31-37, app. F",
		estimator: zscore(0, 1e-6), objective: sde2,
		Laws: zscoreLaws,
		Aim:  rewardAim,
	},
	{
		// The paper writes std(r) without a ddof; its code inherits verl's
		// sample deviation (set ddof to 1 for that).
		Name: "grpo@evol-rl", Summary: "Evol-RL's GRPO: z-score, symmetric clip, KL 1e-3", Trains: true,
		Source:    "Evol-RL sec. 2 and app. A.5",
		estimator: zscore(0, 1e-6),
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3", KLCoef: 1e-3},
		Laws:      zscoreLaws,
		Aim:       rewardAim,
	},
	{
		Name: "grpo@verl", Summary: "verl: sample deviation, a lone rollout keeps its reward", Trains: true,
		Source: "verl core_algos.py (2026-08)",
		estimator: func() Estimator {
			return &GRPO{Scale: "group", DDoF: 1, Epsilon: 1e-6, Singleton: "raw"}
		},
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Laws:      zscoreLaws,
		Aim:       rewardAim,
	},
	{
		Name: "grpo@trl", Summary: "TRL: sample deviation, epsilon 1e-4", Trains: true,
		Source:    "TRL GRPOTrainer (1.10.0.dev0)",
		estimator: zscore(1, 1e-4),
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Laws:      zscoreLaws,
		Aim:       rewardAim,
	},
	{
		// OpenRLHF gives NaN to a group of one; here it is 0.
		Name: "grpo@openrlhf", Summary: "OpenRLHF: sample deviation, epsilon 1e-9", Trains: true,
		Source:    "OpenRLHF group_norm (2026)",
		estimator: zscore(1, 1e-9),
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Laws:      zscoreLaws,
		Aim:       rewardAim,
	},
	{
		Name: "grpo@prime", Summary: "prime-rl: mean only", Trains: true,
		Source:    "prime-rl advantage.py (2026)",
		estimator: centred,
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Laws:      centredLaws,
		Aim:       rewardAim,
	},
	{
		Name: "dr-grpo", Summary: "mean only, token sum over a constant length", Trains: true,
		Source:    "Liu et al. 2025",
		estimator: centred,
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-sum-norm", KL: "k3"},
		Laws:      centredLaws,
		Aim:       rewardAim,
	},
	{
		// The divergence is k1, in the reward, at OpenRLHF's default weight.
		Name: "reinforce++", Summary: "rewards normalised over all tokens of the batch, KL in the reward", Trains: true,
		Source:    "Hu et al. 2025; OpenRLHF",
		estimator: func() Estimator { return &ReinforcePP{Epsilon: 1e-8} },
		objective: reinforcePP,
		Laws:      Laws{Shift: true, Scale: Invariant, Coupled: true, Loud: true, Why: "a z-score of the batch's tokens: over those, not over rollouts, it sums to 0"},
		Aim:       rewardAim,
	},
	{
		Name: "reinforce++-baseline", Summary: "centred rewards normalised over all tokens of the batch, KL in the reward", Trains: true,
		Source: "Hu et al. 2025; verl core_algos.py (2026-08)",
		estimator: func() Estimator {
			return &ReinforcePPBaseline{ReinforcePP: ReinforcePP{Epsilon: 1e-8}, Singleton: "raw"}
		},
		objective: reinforcePP,
		Laws:      Laws{Shift: true, Scale: Invariant, Coupled: true, Loud: true, Why: "a z-score of the batch's tokens: over those, not over rollouts, it sums to 0"},
		Aim:       rewardAim,
	},
	{
		// The coefficient of the divergence is not known here: without one.
		Name: "remax", Summary: "the reward of the greedy rollout as baseline", Trains: true,
		Source:    "Li et al. 2023",
		estimator: func() Estimator { return &ReMax{} },
		objective: Objective{Ratio: "token", Aggregation: "seq-mean-token-sum", KL: "k3"},
		Laws:      Laws{Scale: Linear, Loud: true, Why: "rewards less one of the same scale, which stays where only the group's are shifted"},
		Aim:       rewardAim,
	},
	{
		// Exactly on-policy, so without a clip; no divergence and no entropy bonus.
		Name: "opo", Summary: "the mean reward of the group's tokens as baseline, exactly on-policy", Trains: true,
		Source:    "Hao et al. 2025",
		estimator: func() Estimator { return &OPO{Singleton: "zero"} },
		objective: Objective{Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Laws:      Laws{Shift: true, Scale: Linear, Why: "differences of rewards: over tokens, not over rollouts, they sum to 0"},
		Aim:       rewardAim,
	},
	{
		Name: "gpg", Summary: "centred rewards over the share of rollouts in groups with a spread, no ratio", Trains: true,
		Source:    "Chu et al. 2025; AMAP-ML/GPG",
		estimator: func() Estimator { return &GPG{Informative: "spread", Epsilon: 1e-5, Singleton: "zero"} },
		objective: gpg,
		Laws:      Laws{Shift: true, Scale: Linear, ZeroSum: true, Coupled: true, Why: "centred rewards over a share that no shift or scale changes"},
		Aim:       rewardAim,
	},
	{
		Name: "gpg@verl", Summary: "verl's GPG: centred rewards over the share of rewards other than 0", Trains: true,
		Source:    "verl core_algos.py (2026-08)",
		estimator: func() Estimator { return &GPG{Informative: "nonzero", Singleton: "raw"} },
		objective: gpg,
		Laws:      Laws{Scale: Linear, ZeroSum: true, Coupled: true, Why: "a shift changes which rewards are 0"},
		Aim:       rewardAim,
	},
	{
		// The paper writes a deviation without a ddof or an epsilon. Its reward for
		// overlong answers is left out: here answers have a bounded length.
		Name: "dapo", Summary: "z-score, clip-higher, token mean, groups without a spread drawn anew", Trains: true,
		Source:    "Yu et al. 2025 (2503.14476)",
		estimator: zscore(0, 1e-6),
		objective: dapo,
		protocol:  Protocol{Generations: 10},
		Laws:      zscoreLaws,
		Aim:       rewardAim,
	},
	{
		Name: "dapo@setpo", Summary: "SetPO's DAPO: exact KL 1e-4", Trains: true,
		Source:    "SetPO app. A, table 6",
		estimator: zscore(0, 1e-6), objective: asInSetPO(dapo),
		protocol: Protocol{Generations: 10},
		Laws:     zscoreLaws,
		Aim:      rewardAim,
	},
	{
		Name: "gspo", Summary: "z-score under one length-normalised ratio per sequence", Trains: true,
		Source:    "Zheng et al. 2025 (2507.18071); SetPO table 5",
		estimator: zscore(0, 1e-6),
		objective: gspo,
		Laws:      zscoreLaws,
		Aim:       rewardAim,
	},
	{
		Name: "gspo@setpo", Summary: "SetPO's GSPO: exact KL 1e-4", Trains: true,
		Source:    "SetPO app. A, table 5",
		estimator: zscore(0, 1e-6), objective: asInSetPO(gspo),
		Laws: zscoreLaws,
		Aim:  rewardAim,
	},
	{
		// MiniMax-M1 gives no bound of the weight. TRL recommends 5, after ScaleRL
		// (2510.13786): 1 + clip_high.
		Name: "cispo", Summary: "z-score under a clipped importance weight that cuts no gradient", Trains: true,
		Source:    "MiniMax 2025 (2506.13585); TRL GRPOTrainer (1.10.0.dev0)",
		estimator: zscore(0, 1e-6),
		objective: Objective{ClipHigh: 4, Ratio: "importance", Aggregation: "token-mean", KL: "k3"},
		Laws:      zscoreLaws,
		Aim:       rewardAim,
	},
	{
		// Bounds in log space: token ratios from e^-0.4 to e^0.4.
		Name: "gmpo", Summary: "z-score under the geometric mean of clipped token ratios", Trains: true,
		Source:    "Zhao et al. 2025 (2507.20673); callsys/GMPO",
		estimator: zscore(0, 1e-6),
		objective: Objective{ClipLow: 0.4, ClipHigh: 0.4, Ratio: "geometric", Aggregation: "seq-mean-token-mean", KL: "k3"},
		Laws:      zscoreLaws,
		Aim:       rewardAim,
	},
}

// reinforcePP is PPO's clip with the divergence taken from rewards, as OpenRLHF has
// it.
var reinforcePP = Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k1", KLCoef: 0.01, KLInReward: true}

// dapo is DAPO's objective: clip-higher and the mean over all tokens.
var dapo = Objective{ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Aggregation: "token-mean", KL: "k3"}

// gspo is GSPO's objective: one length-normalised ratio per sequence.
var gspo = Objective{ClipLow: 3e-4, ClipHigh: 4e-4, Ratio: "sequence-norm", Aggregation: "seq-mean-token-mean", KL: "k3"}

// gpg is the plain score function over all tokens.
var gpg = Objective{Ratio: "none", Aggregation: "token-mean", KL: "k3"}

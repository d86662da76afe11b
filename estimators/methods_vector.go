package estimators

// vectorMethods are for vector rewards: VPO and what it is held against.
var vectorMethods = []Method{
	{
		Name: "vpo", Summary: "best of a chain's answers, averaged over Dirichlet weights", Trains: true, Candidates: 3,
		Source: "VPO eq. 1, sec. 3.2",
		estimator: func() Estimator {
			return &VPO{GRPO: population, Draws: 64, Alpha: 1}
		},
		objective: vpo,
		Laws:      Laws{Shift: true, Scale: Invariant, ZeroSum: true, Why: "a z-score of scores under weights that sum to 1"},
		Aim:       vpoAim,
	},
	{
		Name: "multi-rlvr", Summary: "best of a chain's answers under the fixed weights", Trains: true, Candidates: 3,
		Source:    "Puri et al. 2026; VPO sec. 4.2",
		estimator: func() Estimator { return &MultiRLVR{GRPO: population} },
		objective: vpo,
		Laws:      Laws{Shift: true, Scale: Invariant, ZeroSum: true, Why: "a z-score of the largest reward"},
		Aim:       chainAim,
	},
	{
		Name: "random-w", Summary: "GRPO under weights drawn anew for each group and step", Trains: true,
		Source:    "VPO sec. 4.2",
		estimator: func() Estimator { return &RandomW{GRPO: population, Alpha: 1} },
		objective: vpo,
		Laws:      Laws{Shift: true, Scale: Invariant, ZeroSum: true, Why: "a z-score under weights that sum to 1"},
		Aim:       randomWeightsAim,
	},
	{
		// A group without weights of its own is scored under the batch's w*.
		Name: "goal-conditioned", Summary: "GRPO under weights that the prompt states: w ~ Dir(1) for each group and step, or the nearest of the vertices and the centroid", Trains: true, Goals: true,
		Source:    "VPO sec. 4.2, app. E.5",
		estimator: zscore(0, 1e-6), objective: vpo,
		Laws: zscoreLaws,
		Aim:  rewardAim,
	},
	{
		Name: "gdpo", Summary: "z-score of each reward component, their sum normalised over the batch", Trains: true,
		Source:    "Liu et al. 2026; VPO table 5",
		estimator: func() Estimator { return &GDPO{DDoF: 1, Epsilon: 1e-6} },
		objective: vpo,
		Laws:      Laws{Shift: true, Scale: Invariant, ZeroSum: true, Coupled: true, Why: "a z-score of z-scores"},
		Aim:       rewardAim,
	},
}

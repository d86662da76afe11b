package estimators

// overSetPO is the plug-in (SetPO sec. 3.4, app. A): GRPO, GSPO and DAPO all start
// from the z-score of a group, to which the weighted credit is added. What sets
// them apart is what becomes of an advantage, their objectives and protocols.
func overSetPO(lambda float64) func() Estimator {
	return func() Estimator { return &SetPO{GRPO: population, Lambda: lambda} }
}

// asInSetPO is an objective with the divergence that SetPO's runs have, its
// baselines' among them (tables 5 and 6).
func asInSetPO(o Objective) Objective {
	o.KL, o.KLCoef = setpo.KL, setpo.KLCoef
	return o
}

// setpoLaws are the same over every base.
var setpoLaws = Laws{Shift: true, Scale: Invariant, Loud: true, Why: "a z-score plus credits that do not depend on rewards and do not cancel"}

// setpoMethods are SetPO over the baselines that it is a plug-in of, and the
// diversity bonus it is held against. Each has the hyperparameters that the paper
// gives for itself and its baseline together, the divergence of eq. 1 among them,
// also where the baseline's own paper has none. Other settings of the paper are
// fields to set: lambda 0.1 and kl_coef 1e-3 at 32B (table 7), lambda 0.5 and
// kl_coef 1e-3 on countdown (table 8).
var setpoMethods = []Method{
	{
		Name: "setpo+grpo", Summary: "GRPO plus a leave-one-out kernel diversity credit", Trains: true,
		Source:    "SetPO eqs. 1, 3-4, table 4",
		estimator: overSetPO(0.05), objective: setpo,
		Laws: setpoLaws,
		Aim:  setpoAim,
	},
	{
		Name: "setpo+gspo", Summary: "GSPO plus a leave-one-out kernel diversity credit", Trains: true,
		Source:    "SetPO eqs. 3-4, app. A, table 5",
		estimator: overSetPO(0.1), objective: asInSetPO(gspo),
		Laws: setpoLaws,
		Aim:  setpoAim,
	},
	{
		// DAPO's filter looks at rewards alone: a group whose rewards are all equal
		// is dropped before it has a credit, so the credit acts beside a mixed
		// outcome only, and a solved problem exerts no pull towards other modes. With
		// generations = 0 every group is kept.
		Name: "setpo+dapo", Summary: "DAPO plus a leave-one-out kernel diversity credit", Trains: true,
		Source:    "SetPO eqs. 3-4, app. A, table 6",
		estimator: overSetPO(0.2), objective: asInSetPO(dapo),
		protocol: Protocol{Generations: 10},
		Laws:     setpoLaws,
		Aim:      setpoAim,
	},
	{
		// The bonus, weighted 0.01, is part of the objective: on correct answers, by
		// token. SetPO trains it under the settings of its own methods, which follow
		// Yao et al. (sec. 5.1, app. E.1).
		Name: "r1-zero-div", Summary: "GRPO plus a bonus for unlikely tokens of correct answers", Trains: true,
		Source:    "Yao et al. 2025; SetPO sec. 5.1, tables 1-2, 4",
		estimator: zscore(0, 1e-6),
		objective: Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "exact", KLCoef: 1e-4, DivCoef: 0.01},
		Laws:      Laws{Shift: true, Scale: Invariant, ZeroSum: true, Why: "a z-score; the bonus is no part of the advantage"},
		Aim:       rewardAim,
	},
}

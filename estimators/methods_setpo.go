package estimators

// setpoMethods are SetPO over the baselines that it is a plug-in of, and the
// diversity bonus it is held against.
var setpoMethods = []Method{
	{
		Name: "setpo+grpo", Summary: "GRPO plus a leave-one-out kernel diversity credit", Trains: true,
		Source: "SetPO eqs. 1, 3-4, table 4",
		estimator: func() Estimator {
			return &SetPO{GRPO: GRPO{Scale: "group", Epsilon: 1e-6, Singleton: "zero"}, Lambda: 0.05}
		},
		objective: setpo,
		Laws:      Laws{Shift: true, Scale: Invariant, Loud: true, Why: "a z-score plus credits that do not depend on rewards and do not cancel"},
	},
}

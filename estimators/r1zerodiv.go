package estimators

import "modebench/estimators/loss"

func init() {
	Register(SetDiversity, 40, Method{
		// The bonus, weighted 0.01, is part of the objective: on correct answers, by
		// token. SetPO trains it under the settings of its own methods, which follow
		// Yao et al. (sec. 5.1, app. E.1).
		Name: "r1-zero-div", Summary: "GRPO plus a bonus for unlikely tokens of correct answers", Trains: true,
		Source:     "Yao et al. 2025; SetPO sec. 5.1, tables 1-2, 4",
		Estimator:  zscore(0, 1e-6),
		Loss:       loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "exact", KLCoef: 1e-4, DivCoef: 0.01},
		Properties: Properties{ShiftInvariant: true, Scale: Invariant, ZeroSum: true, Why: "a z-score; the bonus is no part of the advantage"},
		Target:     RewardTarget,
	})
}

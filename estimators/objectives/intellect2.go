package objectives

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

func init() {
	estimators.Register(estimators.Baselines, 590, estimators.ZScored(estimators.Method{
		Name: "intellect-2", Summary: "z-score under a clip that bounds ratios of bad answers too",
		Source: "INTELLECT-2 (2505.07291), sec. 4.1, in TRL GRPOTrainer (2026-07)",
		Loss:   loss.Function{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 4, Ratio: "token", Aggregation: "token-mean", KL: "k3", KLCoef: 1e-3},
	}))
}

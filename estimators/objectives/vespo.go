package objectives

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

func init() {
	estimators.Register(estimators.Baselines, 560, estimators.ZScored(estimators.Method{
		Name: "vespo", Summary: "z-score under a smooth weight of the sequence's product of ratios",
		Source: "VESPO (2602.10693); FloyedShen/VESPO; TRL GRPOTrainer (2026-07)",
		Loss:   loss.Function{Ratio: "gamma", Aggregation: "token-mean", KL: "k3"},
	}))
}

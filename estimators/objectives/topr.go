package objectives

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

func init() {
	estimators.Register(estimators.Baselines, 600, estimators.ZScored(estimators.Method{
		Name: "topr", Summary: "z-score, weights of at most 1 for wrong answers and of 1 for right ones",
		Source: "Le Roux et al. 2025 (2503.14286) in ROLL (2026-08)",
		Loss:   loss.Function{Ratio: "tapered", Aggregation: "seq-mean-token-mean", KL: "k3"},
	}))
}

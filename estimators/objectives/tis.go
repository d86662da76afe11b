package objectives

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

func init() {
	estimators.Register(estimators.Baselines, 610, estimators.ZScored(estimators.Method{
		Name: "tis@roll", Summary: "z-score under importance weights of at most 1",
		Source: "ROLL (2026-08), pg_variant tis",
		Loss:   loss.Function{Ratio: "truncated", Aggregation: "seq-mean-token-mean", KL: "k3"},
	}))
}

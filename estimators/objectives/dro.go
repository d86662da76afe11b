package objectives

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

func init() {
	estimators.Register(estimators.Baselines, 550, estimators.ZScored(estimators.Method{
		// verl calls it DRO and has no default for beta, which ROLL has under the name of
		// Kimi-1.5: 0.1, twice the coefficient.
		Name: "dro", Summary: "z-score, a plain score function held by the squared log ratio",
		Source: "verl core_algos.py (2026-08); Kimi-1.5 (2501.12599) in ROLL",
		Loss:   loss.Function{Ratio: "none", LogRatioCoef: 0.05, Aggregation: "token-mean", KL: "k3"},
	}))
}

package objectives

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

func init() {
	estimators.Register(estimators.Baselines, 500, estimators.ZScored(estimators.Method{
		Name: "sapo", Summary: "z-score under a smooth gate of token ratios in the place of a clip",
		Source: "Gao et al. 2025 (2511.20347); temperatures of verl core_algos.py (2026-08) and TRL",
		Loss:   loss.Function{Ratio: "soft", TauPos: 1, TauNeg: 1.05, Aggregation: "seq-mean-token-mean", KL: "k3"},
	}))
}

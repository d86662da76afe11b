package objectives

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

func init() {
	estimators.Register(estimators.Baselines, 540, estimators.ZScored(estimators.Method{
		Name: "ipo", Summary: "z-score under ratios of tokens whose probability has not moved far either way",
		Source: "prime-rl loss.py (2026-08), ipo_loss_fn",
		Loss:   loss.Function{ClipLow: 0.1, ClipHigh: 0.1, Ratio: "token-move", LogRatioCoef: 1e-3, Aggregation: "token-mean", KL: "k3"},
	}))
}

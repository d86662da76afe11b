package objectives

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

func init() {
	estimators.Register(estimators.Baselines, 510, estimators.ZScored(estimators.Method{
		// verl bounds the weight at 3, its clip_ratio_c.
		Name: "dppo-tv", Summary: "z-score under importance weights of tokens whose probability has not moved far",
		Source: "2602.04879, Binary-TV; verl core_algos.py (2026-08)",
		Loss:   loss.Function{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "importance-tv", Aggregation: "token-mean", KL: "k3"},
	}))
	estimators.Register(estimators.Baselines, 520, estimators.ZScored(estimators.Method{
		Name: "dppo-kl", Summary: "the same with a bound of the divergence in the place of the move",
		Source: "2602.04879, Binary-KL; verl core_algos.py (2026-08)",
		Loss:   loss.Function{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "importance-kl", Aggregation: "token-mean", KL: "k3"},
	}))
	estimators.Register(estimators.Baselines, 530, estimators.ZScored(estimators.Method{
		// SkyRL's is the same without the squared log ratio: log_ratio_coef 0, or under
		// Binary-KL ratio token-kl.
		Name: "dppo-tv@prime", Summary: "prime-rl's DPPO: the gradient goes through the ratio, a squared log ratio holds it",
		Source: "prime-rl loss.py (2026-08), default_loss_fn",
		Loss:   loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token-tv", LogRatioCoef: 1e-3, Aggregation: "token-mean", KL: "k3"},
	}))
}

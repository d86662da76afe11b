package objectives

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

func init() {
	estimators.Register(estimators.EntropyControl, 510, estimators.ZScored(estimators.Method{
		// By TRL's account the paper's main results are on top of DAPO.
		Name: "forking-tokens", Summary: "DAPO on the fifth of tokens with the highest entropy",
		Source:   "Wang et al. 2025 (2506.01939); TRL GRPOTrainer (2026-07)",
		Loss:     loss.Function{ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Forking: 0.2, Aggregation: "token-mean", KL: "k3"},
		Protocol: estimators.Protocol{Generations: 10},
	}))
}

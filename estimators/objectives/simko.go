package objectives

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

func init() {
	estimators.Register(estimators.EntropyControl, 530, estimators.ZScored(estimators.Method{
		// The values are those of its runs; its settings file has 1 and 1.0 for the last two,
		// under which no token is spread.
		Name: "simko", Summary: "GRPO whose gradient is spread to the likeliest tokens where right answers fork",
		Source: "SimKO (2510.14807); CLR-Lab/SimKO (2025-10)",
		Loss: loss.Function{
			ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3",
			SimKO: 0.01, SimKOTop: 3, SimKOQuantile: 0.8,
		},
	}))
}

package estimators

import "modebench/estimators/loss"

// gspoLoss is GSPO's loss: one length-normalised ratio per sequence.
var gspoLoss = loss.Function{ClipLow: 3e-4, ClipHigh: 4e-4, Ratio: "sequence-norm", Aggregation: "seq-mean-token-mean", KL: "k3"}

func init() {
	Register(Baselines, 240, ZScored(Method{
		Name: "gspo", Summary: "z-score under one length-normalised ratio per sequence",
		Source: "Zheng et al. 2025 (2507.18071); SetPO table 5",
		Loss:   gspoLoss,
	}))
}

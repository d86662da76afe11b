package objectives

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

func init() {
	estimators.Register(estimators.Baselines, 570, estimators.ZScored(estimators.Method{
		// GSPO's loss of a sequence times its length; bounds of the paper's sec. 5.1 as
		// TRL gives them.
		Name: "luspo", Summary: "GSPO that weighs a sequence by its length",
		Source: "LUSPO (2602.05261); TRL GRPOTrainer (2026-07)",
		Loss:   loss.Function{ClipLow: 2e-3, ClipHigh: 2.5e-3, Ratio: "sequence-norm", Aggregation: "seq-mean-token-sum", KL: "k3"},
	}))
}

package objectives

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

func init() {
	estimators.Register(estimators.Baselines, 580, estimators.ZScored(estimators.Method{
		// The paper gives no bound. slime's default is taken; TRL advises 0.5.
		Name: "opsm", Summary: "GRPO that leaves out bad answers which the policy has moved away from",
		Source: "DeepSeek-V3.2 (2512.02556), eq. 9; bound of slime",
		Loss:   loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", OffPolicyMask: 1e-4, Aggregation: "seq-mean-token-mean", KL: "k3"},
	}))
}

package estimators

import "modebench/estimators/loss"

func init() {
	Register(EntropyControl, 10, ZScored(Method{
		// The one entropy coefficient that the five papers print; others use up to
		// 0.01.
		Name: "entropy-bonus", Summary: "GRPO plus the policy's entropy as a bonus",
		Source: "Williams and Peng 1991; coefficient of Evol-RL table 5",
		Loss:   loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3", EntropyCoef: 0.003},
	}))
}

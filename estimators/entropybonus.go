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
	Register(EntropyControl, 15, ZScored(Method{
		// Its target is far below the entropies of most environments, as it is for language
		// models: a spec sets its own.
		Name: "entropy-adaptive", Summary: "GRPO plus an entropy bonus whose weight follows the entropy",
		Source: "Skywork-OR1 (He et al. 2025, 2505.22312); TRL GRPOTrainer (2026-07)",
		Loss:   loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3", EntropyTarget: 0.2, EntropyDelta: 0.005, EntropyMax: 1},
	}))
}

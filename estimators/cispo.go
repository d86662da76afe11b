package estimators

import "modebench/estimators/loss"

func init() {
	Register(Baselines, 260, ZScored(Method{
		// MiniMax-M1 gives no bound of the weight. TRL recommends 5, after ScaleRL
		// (2510.13786): 1 + clip_high.
		Name: "cispo", Summary: "z-score under a clipped importance weight that cuts no gradient",
		Source: "MiniMax 2025 (2506.13585); TRL GRPOTrainer (1.10.0.dev0)",
		Loss:   loss.Function{ClipHigh: 4, Ratio: "importance", Aggregation: "token-mean", KL: "k3"},
	}))
}

package estimators

import "modebench/estimators/loss"

// dapoLoss is DAPO's loss: clip-higher and the mean over all tokens.
var dapoLoss = loss.Function{ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Aggregation: "token-mean", KL: "k3"}

func init() {
	Register(Baselines, 220, ZScored(Method{
		// The paper writes a deviation without a ddof or an epsilon. Its reward for
		// overlong answers is left out: here answers have a bounded length.
		Name: "dapo", Summary: "z-score, clip-higher, token mean, groups without a spread drawn anew",
		Source:   "Yu et al. 2025 (2503.14476)",
		Loss:     dapoLoss,
		Protocol: Protocol{Generations: 10},
	}))
}

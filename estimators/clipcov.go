package estimators

import "modebench/estimators/loss"

func init() {
	Register(EntropyControl, 20, ZScored(Method{
		// Official runs set both clip bounds to 1: the ratio stays within (0, 2],
		// and since no ratio is below 0 that is clip_low = 0 here. On small
		// minibatches few covariances lie between 1 and 5, so often no token is
		// left out, and where one is it is a far larger share than 2e-4.
		Name: "clip-cov", Summary: "GRPO that leaves a few tokens of high covariance between advantage and log-probability out of the loss",
		Source: "Cui et al. 2025, Clip-Cov; ratio 2e-4, bounds 1 and 5",
		Loss:   loss.Function{ClipHigh: 1, Ratio: "token", Aggregation: "token-mean", KL: "k3", ClipCov: 2e-4, ClipCovLow: 1, ClipCovHigh: 5},
	}))
	Register(EntropyControl, 30, ZScored(Method{
		// The share of the published 7B recipe, with its coefficient; the code's own
		// fallback is 2e-4. At least one token a minibatch is held, but nothing
		// pulls before the policy has moved since sampling: with one update per
		// batch this is GRPO without a clip.
		Name: "kl-cov", Summary: "GRPO without a clip that holds the tokens of the highest covariance between advantage and log-probability",
		Source: "Cui et al. 2025, KL-Cov; share 2e-3, coefficient 1",
		Loss:   loss.Function{Ratio: "token", Aggregation: "token-mean", KL: "k3", KLCov: 2e-3, KLCovCoef: 1},
	}))
}

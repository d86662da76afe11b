package objectives

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

func init() {
	estimators.Register(estimators.EntropyControl, 500, estimators.ZScored(estimators.Method{
		// zeta is constant unless a spec has a repo_target, as in SkyRL.
		Name: "repo-r", Summary: "GRPO whose advantages weigh more on unlikely tokens",
		Source: "Petrenko et al. 2026 (2603.11682), app. D.2, in SkyRL's pull request 1896",
		Loss:   loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Repo: 0.01, Aggregation: "token-mean", KL: "k3"},
	}))
}

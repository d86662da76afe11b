package estimators

import "modebench/estimators/loss"

func init() {
	register(baselines, 270, Method{
		// Bounds in log space: token ratios from e^-0.4 to e^0.4.
		Name: "gmpo", Summary: "z-score under the geometric mean of clipped token ratios", Trains: true,
		Source:     "Zhao et al. 2025 (2507.20673); callsys/GMPO",
		estimator:  zscore(0, 1e-6),
		loss:       loss.Function{ClipLow: 0.4, ClipHigh: 0.4, Ratio: "geometric", Aggregation: "seq-mean-token-mean", KL: "k3"},
		Properties: zscoreProperties,
		Target:     rewardTarget,
	})
}

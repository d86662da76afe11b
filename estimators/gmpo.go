package estimators

import "modebench/estimators/loss"

func init() {
	Register(Baselines, 270, ZScored(Method{
		// Bounds in log space: token ratios from e^-0.4 to e^0.4.
		Name: "gmpo", Summary: "z-score under the geometric mean of clipped token ratios",
		Source: "Zhao et al. 2025 (2507.20673); callsys/GMPO",
		Loss:   loss.Function{ClipLow: 0.4, ClipHigh: 0.4, Ratio: "geometric", Aggregation: "seq-mean-token-mean", KL: "k3"},
	}))
}

package objectives

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

func init() {
	m := estimators.ZScored(estimators.Method{
		Name: "flowrl-vargrad", Summary: "towards the base policy times e^(beta z-score), with log Z from the group",
		Source: "FlowRL (2509.15207), Xuekai-Zhu/FlowRL (2025); log Z is ours, after VarGrad (Richter et al. 2020)",
		Loss:   loss.Function{Ratio: "flow", FlowBeta: 15, Aggregation: "seq-mean-token-mean", KL: "k3"},
	})
	m.Target = estimators.NoTarget("its loss seeks a distribution, the base policy times e^(beta A), and not the most of anything")
	estimators.Register(estimators.Baselines, 640, m)
}

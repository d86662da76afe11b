package estimators

import "slices"

// A Family is methods that belong together.
type Family struct {
	Name    string
	Methods []Method
}

// families is the registry: a method is one entry in the list of its family. Where a
// paper leaves a number open, the entry says what was chosen and why.
var families = []Family{
	{"Baselines", groupMethods},
	{"Entropy control", entropyMethods},
	{"Sets of answers: Poly-EPO, pass@k and max@k", setMethods},
	{"SetPO", setpoMethods},
	{"Vector rewards: VPO", vectorMethods},
	{"SD-E2", sde2Methods},
	{"Without labels: Evol-RL and confidence", slices.Concat(evolrlMethods, emrlMethods)},
}

// Families lists every method, family by family: baselines first.
func Families() []Family {
	out := slices.Clone(families)
	for i := range out {
		out[i].Methods = slices.Clone(out[i].Methods)
		for j := range out[i].Methods {
			out[i].Methods[j] = out[i].Methods[j].complete()
		}
	}
	return out
}

// vpo is the backbone that VPO's own method and baselines share (app. B).
var vpo = Objective{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3", KLCoef: 1e-3}

// population is the z-score of VPO app. B.
var population = GRPO{Scale: "group", Epsilon: 1e-6, Singleton: "zero"}

// plain is PPO's clip with DeepSeekMath's aggregation and without a reference.
var plain = Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3"}

// setpo is SetPO's objective (eq. 1 with the hyperparameters of table 4).
var setpo = Objective{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "exact", KLCoef: 1e-4}

func zscore(ddof int, epsilon float64) func() Estimator {
	return func() Estimator {
		return &GRPO{Scale: "group", DDoF: ddof, Epsilon: epsilon, Singleton: "zero"}
	}
}

var zscoreLaws = Laws{Shift: true, Scale: Invariant, ZeroSum: true, Why: "a z-score"}

var centredLaws = Laws{Shift: true, Scale: Linear, ZeroSum: true, Why: "centred rewards"}

func centred() Estimator { return &GRPO{Scale: "none", Epsilon: 1e-6, Singleton: "zero"} }

package estimators

import (
	"modebench/estimators/loss"
)

// GPG divides centred rewards by the share of the batch's rollouts that teach anything (Chu et al.,
// 2504.02546), so that groups without a signal do not shrink the step:
//
//	A_i = (r_i - mean r) / (share + epsilon)
//
// Under informative "spread", the authors' code, the share counts the rollouts of
// the groups whose rewards are not all equal; that code divides the loss, which is
// the same, and adds 1e-5. Under "nonzero", verl's code, it counts the rollouts
// whose reward is not 0: of rewards of 1 and -1 that is everything, and groups of
// correct answers alone count as a signal. The paper's F_norm is 1, as in both.
//
// The mean is of one group, and the share is of the whole batch. A group of one follows
// singleton; its raw reward, where not 0, counts too. The authors' code also resamples
// until the share is large enough: that is dynamic sampling (Protocol.Generations).
type GPG struct {
	Groupwise
	Informative string  `param:"informative" doc:"the rollouts that count as teaching something: those of groups with a spread of rewards, or those with a reward other than 0" choices:"spread,nonzero" when:"train.group>1"`
	Epsilon     float64 `param:"epsilon" doc:"added to the share of informative rollouts" min:"0"`
	Singleton   string  `param:"singleton" doc:"centred reward of a group of one rollout: 0, or its raw reward" choices:"zero,raw" when:"train.group=1"`
}

func (e *GPG) Advantages(dst [][]float64, b *Batch) error {
	centred := GRPO{Scale: "none", Singleton: e.Singleton}
	informative, trained := 0, 0
	err := e.Each(dst, b, func(dst, rewards []float64, _ []*Rollout) error {
		centred.Relative(dst, rewards)
		trained += len(rewards)
		if e.Informative == "nonzero" {
			informative += nonzero(rewards)
		} else if nonzero(dst) > 0 {
			informative += len(rewards)
		}
		return nil
	})
	if err != nil || informative == 0 {
		return err // nothing informative: all centred rewards are 0
	}
	share := float64(informative)/float64(trained) + e.Epsilon
	for g, group := range dst {
		for i := range group {
			group[i] /= share
		}
		if i := zeroRounding(group); i >= 0 {
			return overflow(b, g, i, group[i])
		}
	}
	return nil
}

func nonzero(xs []float64) int {
	n := 0
	for _, x := range xs {
		if x != 0 {
			n++
		}
	}
	return n
}

var gpgLoss = loss.Function{Ratio: "none", Aggregation: "token-mean", KL: "k3"}

func init() {
	Register(Baselines, 200, Method{
		Name: "gpg", Summary: "centred rewards over the share of rollouts in groups with a spread, no ratio", Trains: true,
		Source:     "Chu et al. 2025; AMAP-ML/GPG",
		Estimator:  From(GPG{Informative: "spread", Epsilon: 1e-5, Singleton: "zero"}),
		Loss:       gpgLoss,
		Properties: Properties{ShiftInvariant: true, Scale: Linear, ZeroSum: true, AcrossGroups: true, Why: "centred rewards over a share that no shift or scale changes"},
	})
	Register(Baselines, 210, Method{
		Name: "gpg@verl", Summary: "verl's GPG: centred rewards over the share of rewards other than 0", Trains: true,
		Source:     "verl core_algos.py (2026-08)",
		Estimator:  From(GPG{Informative: "nonzero", Singleton: "raw"}),
		Loss:       gpgLoss,
		Properties: Properties{Scale: Linear, ZeroSum: true, AcrossGroups: true, Why: "a shift changes which rewards are 0"},
	})
}

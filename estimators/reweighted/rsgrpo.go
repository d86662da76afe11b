package reweighted

import (
	"slices"

	"modebench/estimators"
	"modebench/internal/exact"
)

// RSGRPO is risk-sensitive GRPO (2509.24261; Jackory/RS-GRPO, README.md and
// codes/risk_sensitive_adv.py):
//
//	A_i = (exp(beta r_i) / mean_j exp(beta r_j) - 1) / beta
//
// the advantage of log E[exp(beta r)] / beta with the group's mean for the expectation: r_i - mean r at
// beta 0, and the group's largest reward as beta grows. With 0/1 rewards and a share p of correct ones
// it is (r_i - p) times (e^beta - 1) / (beta (1 + p (e^beta - 1))), which grows where p is small: for
// large beta MaxRL over beta.
//
// Advantages sum to 0. The published function does not run, since it writes to a name that is not
// defined; its formula and the README's agree. A group of one has the advantage 0, or under singleton
// "raw", as in that function, (exp(beta r) - 1) / beta.
type RSGRPO struct {
	estimators.Groupwise
	Beta      float64 `param:"beta" doc:"how far the objective leans to large rewards; 0: their mean" min:"0"`
	Singleton string  `param:"singleton" doc:"advantage of a group of one rollout: 0, or the formula's with 1 for the mean" choices:"zero,raw" when:"train.group=1"`
	exps      []float64
}

func (e *RSGRPO) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		switch {
		case len(rewards) == 1:
			dst[0] = e.alone(rewards[0])
		case e.Beta == 0:
			estimators.Centre(dst, rewards)
		default:
			e.tilted(dst, rewards)
		}
		return nil
	})
}

// tilted is the formula of two or more rewards. Exponents are at most 0, so that none overflows.
func (e *RSGRPO) tilted(dst, rewards []float64) {
	largest := slices.Max(rewards)
	e.exps = e.exps[:0]
	for _, r := range rewards {
		e.exps = append(e.exps, exact.Exp(e.Beta*(r-largest)))
	}
	mean := estimators.Mean(e.exps)
	for i, x := range e.exps {
		dst[i] = (x/mean - 1) / e.Beta
	}
}

func (e *RSGRPO) alone(r float64) float64 {
	switch {
	case e.Singleton == "zero":
		return 0
	case e.Beta == 0:
		return r
	}
	return exact.Expm1(e.Beta*r) / e.Beta
}

// riskTarget: only at beta 0 is the objective an expectation over answers.
func riskTarget(i *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
	if i.Estimator.(*RSGRPO).Beta == 0 {
		return estimators.RewardTarget(i, s)
	}
	return estimators.Target{Why: "its objective is the logarithm of an expectation"}, nil
}

func init() {
	estimators.Register(estimators.Reweighted, 40, estimators.Method{
		Name: "rs-grpo", Summary: "risk-seeking: exp(beta r) over its mean in the group", Trains: true,
		Source:     "RS-GRPO 2025 (2509.24261); Jackory/RS-GRPO",
		Estimator:  estimators.From(RSGRPO{Beta: 2, Singleton: "zero"}),
		Properties: estimators.Properties{ShiftInvariant: true, Scale: estimators.Neither, ZeroSum: true, Why: "shares of exp(beta r): a factor of the rewards is one of beta"},
		Target:     riskTarget,
	})
}

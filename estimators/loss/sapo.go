package loss

import (
	"math"

	"modebench/internal/exact"
	"modebench/internal/params"
)

func (o *Function) checkSoft() error {
	switch {
	case o.Ratio != "soft":
		return nil
	case o.TauPos <= 0:
		return params.Errorf("tau_pos", "got %v, want above 0 with ratio soft", o.TauPos)
	case o.TauNeg <= 0:
		return params.Errorf("tau_neg", "got %v, want above 0 with ratio soft", o.TauNeg)
	}
	return nil
}

// soft adds the policy term of SAPO (Gao et al., 2025, 2511.20347), which has a smooth
// gate in the place of the clip:
//
//	-A (4 / tau) sigmoid(tau (rho - 1)),
//
// with tau = tau_pos where A > 0 and tau_neg where not. Its slope in log pi is -A rho 4 g (1 - g),
// g the sigmoid: -A where nothing has moved, whatever tau is, and less and less on both sides. verl
// (core_algos.py, compute_policy_loss_sapo) and TRL (GRPOTrainer) agree on the formula and on 1 and
// 1.05 for the two taus, and both take the mean over sequences of the mean over tokens; verl bounds
// |log rho| at 20, as all ratios here are. Nothing is cut off, but far out a gate has closed as far
// as numbers go; Clipped counts those.
func (o *Function) soft(t *Tokens, base float64, perLength bool) error {
	o.tokens(t, base, perLength, func(a, logp, old float64) (l, slope float64) {
		tau := o.TauNeg
		if a > 0 {
			tau = o.TauPos
		}
		d := logp - old
		rho := bounded(d)
		gate, rate := sigmoid(tau * (rho - 1))
		l = -a * (4 / tau * gate)
		if math.Abs(d) <= maxLogRatio {
			slope = -a * (4 * rate * rho)
		}
		return l, slope
	})
	return nil
}

func sigmoid(x float64) (value, rate float64) {
	e := exact.Exp(-math.Abs(x))
	value, rate = 1/(1+e), e/((1+e)*(1+e))
	if x < 0 {
		value = e / (1 + e)
	}
	return value, rate
}

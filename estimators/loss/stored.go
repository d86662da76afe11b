package loss

import (
	"fmt"
	"math"

	"modebench/internal/exact"
	"modebench/internal/params"
)

func (o *Function) holds() bool { return o.DPHForward > 0 || o.DPHJS > 0 || o.DPHAlpha > 0 }

// checkStored returns an error for fields that stored samples lack, or that have no meaning for them.
func (o *Function) checkStored() error {
	switch {
	case !o.holds():
		return nil
	case o.DPHRollouts < 1:
		return params.Errorf("dph_rollouts", "got %d, want 1 or more beside dph_forward, dph_js or dph_alpha", o.DPHRollouts)
	case o.DivCoef > 0:
		return params.Errorf("div_coef", "got %v, whose ratio is to the policy before the step, and the samples that dph_rollouts stores are the base policy's: want 0", o.DivCoef)
	case o.LogRatioCoef > 0:
		return params.Errorf("log_ratio_coef", "got %v, whose ratio is to the policy before the step, and the samples that dph_rollouts stores are the base policy's: want 0", o.LogRatioCoef)
	}
	return nil
}

// holdStored adds DPH-RL's loss of stored samples, which keeps the base policy's answers to
// problems that it solves. Of a token it is the sum of dph_forward, dph_js and dph_alpha times
// f(u) with u = pi / pi_base, aggregated as the policy term is. (The policy term of stored
// samples is 0, as is their advantage.)
//
//	forward  u - log u - 1, at most 10
//	js       u log u - (u + 1) log((u + 1) / 2)
//	alpha    (u^(1-a) - (1-a) u - a) / (a (a - 1)) with a = 0.2
//
// The samples are drawn from pi_base, so forward estimates KL(pi_base || pi), js twice the
// Jensen-Shannon divergence, and alpha an alpha-divergence.
//
// Read in the authors' code, seamoke/DPH-RL at 139a9b2, verl/workers/actor/dp_actor.py,
// update_policy, and verl/trainer/ppo/core_algos.py, kl_penalty (k3), js_low_var and
// alpha_divergence_f. js is their js_low_var, "the JS generator"; the mode that they call js is
// different, and also draws at random when it counts. log u is held within 20 there for forward
// alone; here it is for all three. A loss that is held has no gradient. So forward lets go of a
// token whose probability has fallen by a factor of about 60,000, or grown by one of 13.
func (o *Function) holdStored(t *Tokens, base float64, perLength bool) error {
	if len(t.Stored) != t.Sequences() {
		return fmt.Errorf("the batch has %d entries in Stored, want %d, one per sequence", len(t.Stored), t.Sequences())
	}
	for s, stored := range t.Stored {
		if !stored {
			continue
		}
		lo, hi := t.Start[s], t.Start[s+1]
		w := share(base, perLength, hi-lo)
		for _, of := range []struct {
			f      func(d float64) (f, slope float64)
			weight float64
		}{{forward, w * o.DPHForward}, {jensenShannon, w * o.DPHJS}, {alpha, w * o.DPHAlpha}} {
			for k := lo; of.weight > 0 && k < hi; k++ {
				d := t.Logp[k] - t.Old[k]
				f, slope := of.f(min(max(d, -maxLogRatio), maxLogRatio))
				t.Loss += float64(of.weight * f)
				if math.Abs(d) <= maxLogRatio {
					t.DLogp[k] += float64(of.weight * slope)
				}
			}
		}
	}
	return nil
}

// forward, jensenShannon and alpha are f(u) of holdStored for d = log u, and df/dd.
func forward(d float64) (f, slope float64) {
	const bound = 10
	f, slope = sampledKL("k3", -d) // of KL(pi_base || pi): the two change places
	if f > bound {
		return bound, 0
	}
	return f, -slope
}

func jensenShannon(d float64) (f, slope float64) {
	u := exact.Exp(d)
	half := exact.Log((u + 1) / 2)
	return float64(u*d) - float64((u+1)*half), float64(u * (d - half))
}

func alpha(d float64) (f, slope float64) {
	const a = 0.2
	u, power := exact.Expm1(d), exact.Expm1((1-a)*d) // less 1 each
	return (power - float64((1-a)*u)) / (a * (a - 1)), (u - power) / a
}

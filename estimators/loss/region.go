package loss

import (
	"math"

	"modebench/internal/exact"
)

// A region measures how far a token's probability has moved up or down, as a number that grows
// with the distance. A token whose probability has moved beyond clip_high up or beyond clip_low
// down has neither loss nor gradient. It stays in the aggregation's count.
type region func(a, logp, old float64) (up, down float64)

// variation is the total variation between the distributions that tell the token from all others,
// |p - p_old|, the way the advantage asks (DPPO-Binary-TV, 2602.04879, eq. 13): a token is left out
// where A > 0 and p - p_old > clip_high, or A < 0 and p_old - p > clip_low.
func variation(a, logp, old float64) (up, down float64) {
	up, down = move(a, logp, old)
	return asked(a, up, down)
}

// binaryKL is their KL divergence,
//
//	p_old log(p_old / p) + (1 - p_old) log((1 - p_old + 1e-8) / (1 - p + 1e-8)),
//
// the way the advantage asks (DPPO-Binary-KL, 2602.04879, eq. 14).
func binaryKL(a, logp, old float64) (up, down float64) {
	const least = 1e-8 // for tokens that are certain
	p, q := exact.Exp(logp), exact.Exp(old)
	kl := float64(q*(old-logp)) + float64((1-q)*exact.Log((1-q+least)/(1-p+least)))
	if p > q {
		up = kl
	} else if p < q {
		down = kl
	}
	return asked(a, up, down)
}

// move is p - p_old whatever the advantage asks (prime-rl's IPO).
func move(_, logp, old float64) (up, down float64) {
	d := exact.Exp(logp) - exact.Exp(old)
	return max(d, 0), max(-d, 0)
}

func asked(a, up, down float64) (float64, float64) {
	if a > 0 {
		return up, 0
	}
	return 0, down
}

func (o *Function) within(r region, a, logp, old float64) bool {
	up, down := r(a, logp, old)
	return (o.ClipHigh == 0 || up <= o.ClipHigh) && (o.ClipLow == 0 || down <= o.ClipLow)
}

// ratioWithin makes the policy term -A rho of tokens within a region, with a gradient
// through rho and no bound of it but dual_clip: DPPO in SkyRL (ppo_utils.py,
// dppo_policy_loss) and in prime-rl (loss.py, default_loss_fn), bounds 0.2 and 0.2, and
// prime-rl's IPO (ipo_loss_fn), bounds 0.1. prime-rl adds 1e-3 times the squared log ratio
// of every token, masked or not: log_ratio_coef. SkyRL compares with the rollout's
// log-probabilities if it has them, prime-rl always; here these are the same.
func ratioWithin(r region) func(*Function, *Tokens, float64, bool) error {
	return func(o *Function, t *Tokens, base float64, perLength bool) error {
		open := clipBounds{math.Inf(-1), math.Inf(1), o.bounds().dual}
		o.tokens(t, base, perLength, func(a, logp, old float64) (l, slope float64) {
			if !o.within(r, a, logp, old) {
				return 0, 0
			}
			return open.loss(a, logp-old)
		})
		return nil
	}
}

// weightWithin makes the policy term -w A log pi of tokens within a region, with
// w = min(rho, dual_clip), which has no gradient: DPPO in verl (core_algos.py,
// compute_policy_loss_dppo_tv and _kl). The cap is verl's clip_ratio_c, 3 in its configuration;
// the function's own 20 is never reached.
func weightWithin(r region) func(*Function, *Tokens, float64, bool) error {
	return func(o *Function, t *Tokens, base float64, perLength bool) error {
		highest := o.bounds().dual
		o.scores(t, base, perLength, func(_, k int) (w float64, cut bool) {
			if !o.within(r, o.buffers.advantage[k], t.Logp[k], t.Old[k]) {
				return 0, true
			}
			rho := bounded(t.Logp[k] - t.Old[k])
			return min(rho, highest), rho > highest
		})
		return nil
	}
}

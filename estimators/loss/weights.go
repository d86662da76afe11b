package loss

import (
	"fmt"
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

// truncated adds the policy term of truncated importance sampling as ROLL runs it on the
// ratio to the policy that sampled (agentic_actor_pg_worker.py, _compute_tis_loss):
//
//	-w A log pi with w = min(rho, 1), which has no gradient.
//
// So tokens that became likelier count as they are, and those that became rarer count
// less. ROLL's bounds are fields there, 0 and 1 by default; here they are fixed. It is not
// the correction between two engines that goes by the same name.
func (o *Function) truncated(t *Tokens, base float64, perLength bool) error {
	o.scores(t, base, perLength, func(_, k int) (w float64, cut bool) { return truncate(t.Logp[k] - t.Old[k]) })
	return nil
}

func truncate(d float64) (w float64, cut bool) {
	if d > 0 {
		return 1, true
	}
	return bounded(d), false
}

// tapered adds the policy term of TOPR, tapered off-policy REINFORCE (Le Roux et al.,
// 2025, 2503.14286, eq. 8):
//
//	-A log pi               for a correct answer,
//	-min(rho, 1) A log pi   for a wrong one.
//
// Good answers are learned from as if they were given, and bad ones only as long as the
// policy may still give them. The equation has the ratio of the whole answer. Taken is
// ROLL's form, with a ratio for each token, both weights 1 and the side by the score and
// not by A (agentic_actor_pg_worker.py, _compute_topr_loss). ROLL's good side is a score above
// 0; here the judge's verdict, the same for rewards of 0 and 1.
func (o *Function) tapered(t *Tokens, base float64, perLength bool) error {
	if len(t.Correct) != t.Sequences() {
		return fmt.Errorf("ratio tapered: the batch has %d entries in Correct, want %d, one per sequence", len(t.Correct), t.Sequences())
	}
	o.scores(t, base, perLength, func(s, k int) (w float64, cut bool) {
		if t.Correct[s] {
			return 1, false
		}
		return truncate(t.Logp[k] - t.Old[k])
	})
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

// VESPO's exponents k and rates lambda by the sign of the advantage (sec. 3.4), which the
// authors' code and TRL have alike.
const (
	gammaPowerPos, gammaRatePos = 2, 3
	gammaPowerNeg, gammaRateNeg = 3, 2
)

// leastProduct is the log of the least product of ratios that VESPO tells from 0.
var leastProduct = exact.Log(1e-8)

// gamma adds the policy term of VESPO (2602.10693):
//
//	-phi(W) A log pi with phi(W) = W^k e^(lambda (1 - W)), which has no gradient.
//
// W is the product of the ratios of the sequence's tokens. phi(1) = 1, and phi falls off on both
// sides of its peak at k / lambda: k, lambda = 2, 3 where A >= 0, else 3, 2. As in TRL
// (GRPOTrainer.get_gamma_weights) and the authors' code (FloyedShen/VESPO, recipe/vespo), log W is
// bounded at 20 above; below it is at log 1e-8, TRL's bound, where the code has -20 in one of its
// two places. Both average over all tokens of the batch. No weight is cut off: Clipped stays 0.
func (o *Function) gamma(t *Tokens, base float64, perLength bool) error {
	w := 0.0
	o.scores(t, base, perLength, func(s, k int) (float64, bool) {
		if k == t.Start[s] {
			w = phi(o.buffers.advantage[k], logProduct(t, s))
		}
		return w, false
	})
	return nil
}

func logProduct(t *Tokens, s int) float64 {
	sum := 0.0
	for k := t.Start[s]; k < t.Start[s+1]; k++ {
		sum += min(max(t.Logp[k]-t.Old[k], -maxLogRatio), maxLogRatio)
	}
	return sum
}

func phi(a, logW float64) float64 {
	power, rate := float64(gammaPowerPos), float64(gammaRatePos)
	if a < 0 {
		power, rate = gammaPowerNeg, gammaRateNeg
	}
	logW = min(max(logW, leastProduct), maxLogRatio)
	return exact.Exp(float64(power*logW) + float64(rate*(1-exact.Exp(logW))))
}

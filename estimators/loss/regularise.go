package loss

import (
	"fmt"
	"math"

	"modebench/internal/exact"
	"modebench/internal/loss"
	"modebench/internal/params"
)

// whole are the divergences of whole distributions: exact sums over all tokens that are
// legal in a state, not estimates from the token that was drawn. forward and js are this
// project's own: an estimate of the forward one from the current policy's samples would be
// biased, an exact sum is not. (DPH-RL, which has both names, estimates them on stored
// samples of the base policy: holdStored.)
var whole = map[string]loss.Divergence{"exact": loss.Reverse, "forward": loss.Forward, "js": loss.JensenShannon}

// reference lists the inputs of the divergence.
func (o *Function) reference() (want Want) {
	if o.KLCoef > 0 {
		want.Divergence, want.KL = whole[o.KL]
		want.Ref = !want.KL
	}
	return want
}

// ratioKL is the divergence that has the ratio to the old policy as a weight.
const ratioKL = "k3-ratio"

// checkDivergence returns an error if that ratio is no weight of a rollout that the policy drew.
func (o *Function) checkDivergence() error {
	switch {
	case o.KL != ratioKL || o.KLCoef == 0:
		return nil
	case o.KLInReward:
		return params.Errorf("kl", "got %s, and a reward is of rollouts as they were sampled, where no ratio has a gradient: want k1, k2, k3, exact, forward or js beside kl_in_reward", ratioKL)
	case o.holds():
		return params.Errorf("kl", "got %s, whose ratio is to the policy before the step, and the samples that dph_rollouts stores are the base policy's: want another divergence", ratioKL)
	}
	return nil
}

// exactKL reports whether the divergence is of whole distributions.
func (o *Function) exactKL() bool {
	_, ok := whole[o.KL]
	return ok
}

// Penalises lists the inputs of Penalty; ok is false if no divergence is taken from rewards.
func (o *Function) Penalises() (want Want, ok bool) {
	if o.KLInReward {
		want = o.reference()
	}
	return want, want.Ref || want.KL
}

// Penalty is kl_coef times the divergence of sequence s, summed over its tokens, which
// Rollout.Penalty subtracts from its reward.
func (o *Function) Penalty(t *Tokens, s int) float64 {
	sum := 0.0
	for k := t.Start[s]; k < t.Start[s+1]; k++ {
		if o.exactKL() {
			sum += t.KL[k]
			continue
		}
		value, _ := sampledKL(o.KL, t.Logp[k]-t.Ref[k])
		sum += value
	}
	return float64(o.KLCoef * sum)
}

func (o *Function) klInLoss() bool { return o.KLCoef > 0 && !o.KLInReward }

func (o *Function) regularise(t *Tokens, base float64, perLength bool) {
	divergence, exactly := o.klInLoss(), o.exactKL()
	known := (o.KL == "k3" || o.KL == ratioKL) && len(t.Expm1) > 0
	bonus := o.bonus()
	for s := range t.Sequences() {
		lo, hi := t.Start[s], t.Start[s+1]
		w := share(base, perLength, hi-lo)
		for k := lo; divergence && k < hi; k++ {
			coef := w * o.KLCoef
			if exactly {
				t.Loss += float64(coef * t.KL[k])
				t.DKL[k] = coef
				continue
			}
			d := t.Logp[k] - t.Ref[k]
			var value, slope float64
			if known {
				e := t.Expm1[k]
				value, slope = e+d, -e // as sampledKL does
			} else {
				value, slope = sampledKL(o.KL, d)
			}
			if o.KL == ratioKL {
				value, slope = weighed(value, slope, t.Logp[k]-t.Old[k])
			}
			t.Loss += float64(coef * value)
			t.DLogp[k] += float64(coef * slope)
		}
		for k := lo; bonus > 0 && k < hi; k++ {
			coef := w * bonus
			t.Loss -= float64(coef * t.Entropy[k])
			t.DEntropy[k] = -coef
		}
	}
}

// weighed is an estimate and its derivative times the ratio rho, whose log is moved, and
// which has a gradient too: of k3 the derivative is rho d.
func weighed(value, slope, moved float64) (weighted, derivative float64) {
	rho := bounded(moved)
	if math.Abs(moved) <= maxLogRatio { // else it is held
		slope += value
	}
	return float64(rho * value), float64(rho * slope)
}

// sampledKL is the sampled estimate of the KL divergence named k1, k2 or k3 (k3-ratio is k3
// before its ratio) for d = log pi - log pi_ref, in nats, and its derivative with respect to
// log pi. No clamp is applied.
func sampledKL(name string, d float64) (value, slope float64) {
	switch name {
	case "k1":
		return d, 1
	case "k2":
		return d * d / 2, d
	}
	e := exact.Expm1(-d)
	return e + d, -e
}

// diversify adds R1-zero-Div's bonus (Yao et al., 2025): the objective gains
// div_coef times the mean over sequences of
//
//	-1(correct) (1/T) sum_t rho_t log pi(o_t),
//
// an estimate of the entropy of correct answers, and the loss is minus the objective. The gradient
// goes through rho and log pi alike, d(rho log pi)/d log pi = rho (1 + log pi): where nothing has
// moved since sampling, tokens of a probability below 1/e are pushed up and others down. It is a
// mean over sequences of means over tokens whatever the aggregation, and no clip applies.
func (o *Function) diversify(t *Tokens) error {
	if len(t.Correct) != t.Sequences() {
		return fmt.Errorf("div_coef: the batch has %d entries in Correct, want %d, one per sequence", len(t.Correct), t.Sequences())
	}
	base := o.DivCoef / float64(notEmpty(t))
	for s, correct := range t.Correct {
		if !correct {
			continue
		}
		lo, hi := t.Start[s], t.Start[s+1]
		w := base / float64(hi-lo)
		for k := lo; k < hi; k++ {
			d := t.Logp[k] - t.Old[k]
			weight := float64(w * bounded(d))
			t.Loss += float64(weight * t.Logp[k])
			if math.Abs(d) <= maxLogRatio {
				t.DLogp[k] += float64(weight * (1 + t.Logp[k]))
			} else {
				t.DLogp[k] += weight // the ratio is held
			}
		}
	}
	return nil
}

// stayNear adds log_ratio_coef times the squared log ratio of every token, those included
// that the policy term has left out:
//
//	coef (log pi - log pi_old)^2,
//
// whose derivative with respect to log pi is twice coef times the log ratio. With ratio
// "none" it is DRO, direct reward optimisation,
//
//	-A log pi + beta/2 (log rho)^2 with coef = beta/2,
//
// in verl (core_algos.py, compute_policy_loss_dro), which has no default for beta, and token by
// token the loss of Kimi-1.5 (2501.12599, eq. 3) in ROLL (agentic_actor_pg_worker.py,
// _compute_kimi15_loss), whose tau is 0.1. The equation squares the log ratio of the whole answer.
// prime-rl adds it to DPPO and IPO, coef 1e-3 (loss.py). No bound applies.
func (o *Function) stayNear(t *Tokens, base float64, perLength bool) {
	for s := range t.Sequences() {
		lo, hi := t.Start[s], t.Start[s+1]
		coef := float64(share(base, perLength, hi-lo) * o.LogRatioCoef)
		for k := lo; k < hi; k++ {
			d := t.Logp[k] - t.Old[k]
			t.Loss += float64(coef * float64(d*d))
			t.DLogp[k] += float64(2 * coef * d)
		}
	}
}

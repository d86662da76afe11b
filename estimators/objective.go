package estimators

import (
	"fmt"
	"math"

	"modebench/internal/exact"
	"modebench/internal/loss"
	"modebench/internal/params"
)

// LossTokens is one minibatch flattened token by token, as a policy hands it over.
type LossTokens = loss.Tokens

// Objective turns advantages into a loss. Per token with advantage A and ratio
// rho = pi / pi_old the policy term is (PPO, Schulman et al., 2017)
//
//	l = max(-A rho, -A clip(rho, 1 - clip_low, 1 + clip_high))
//
// and, where A < 0 and dual_clip c > 0, l = min(l, -A c) (Ye et al., 2020). To
// it come kl_coef times the divergence from the frozen reference and minus
// entropy_coef times the entropy; all terms are aggregated alike.
//
// Divergence estimators, with d = log pi - log pi_ref of the sampled token:
// k1 = d, k2 = d^2/2, k3 = e^-d + d - 1, and exact, the divergence of the whole
// distribution. As a loss, k1 has no gradient in expectation; that is the
// estimator's, not a mistake here.
//
// Aggregation, over B sequences of which B' are not empty: token-mean (sum over
// all tokens / number of tokens), seq-mean-token-mean (mean over the B'
// sequences of the mean over their tokens), seq-mean-token-sum, and
// seq-mean-token-sum-norm (the latter divided by MaxTokens: Dr.GRPO).
type Objective struct {
	ClipLow     float64 `param:"clip_low" doc:"the ratio is clipped below 1 - clip_low; 0: not clipped" min:"0"`
	ClipHigh    float64 `param:"clip_high" doc:"the ratio is clipped above 1 + clip_high; 0: not clipped" min:"0"`
	DualClip    float64 `param:"dual_clip" doc:"bound c > 1 of the ratio where the advantage is negative; 0: none" min:"0"`
	Ratio       string  `param:"ratio" doc:"token: a ratio per token; sequence: the product over the sequence (SD-E2 eq. 33); sequence-norm: the geometric mean over the sequence (GSPO); geometric: the same of ratios that are clipped one by one, bounds in log space (GMPO); importance: the clipped ratio is a weight without a gradient (CISPO); none: no ratio at all, the plain score function" choices:"token,sequence,sequence-norm,geometric,importance,none"`
	Aggregation string  `param:"aggregation" doc:"how token losses become one number" choices:"token-mean,seq-mean-token-mean,seq-mean-token-sum,seq-mean-token-sum-norm"`
	KL          string  `param:"kl" doc:"estimator of the divergence from the frozen base policy" choices:"k1,k2,k3,exact"`
	KLCoef      float64 `param:"kl_coef" doc:"weight of that divergence in the loss; 0: no reference" min:"0"`
	EntropyCoef float64 `param:"entropy_coef" doc:"weight of the entropy bonus" min:"0"`
	KLInReward  bool    `param:"kl_in_reward" doc:"the divergence, summed over a rollout's tokens as it is sampled, is subtracted from its reward and is no part of the loss" late:"false"`
	DivCoef     float64 `param:"div_coef" doc:"weight of R1-zero-Div's bonus on correct answers; 0: off" min:"0" late:"0"`
	ClipCov     float64 `param:"clip_cov" doc:"Clip-Cov: the share of tokens, drawn among those of high covariance between advantage and log-probability, that are left out of the loss; 0: off" min:"0" max:"1" late:"0"`
	ClipCovLow  float64 `param:"clip_cov_low" doc:"Clip-Cov: only tokens of a covariance above" late:"0"`
	ClipCovHigh float64 `param:"clip_cov_high" doc:"Clip-Cov: only tokens of a covariance below" late:"0"`
	KLCov       float64 `param:"kl_cov" doc:"KL-Cov: the share of tokens, those of the highest covariance, that are held near the policy that sampled them; 0: off" min:"0" max:"1" late:"0"`
	KLCovCoef   float64 `param:"kl_cov_coef" doc:"KL-Cov: weight of |log ratio| on those tokens" min:"0" late:"0"`

	// MaxTokens is T_max, the longest answer the environment allows; the
	// aggregation seq-mean-token-sum-norm divides by it.
	MaxTokens int
}

// Check says what contradicts itself.
func (o *Objective) Check() error {
	if o.DualClip != 0 && o.DualClip <= 1 {
		return params.Errorf("dual_clip", "got %v, want above 1, or 0 for none", o.DualClip)
	}
	if o.ClipLow >= 1 {
		return params.Errorf("clip_low", "got %v, want below 1", o.ClipLow)
	}
	return nil
}

// Want says which inputs of LossTokens the objective reads.
func (o *Objective) Want() loss.Want {
	want := loss.Want{Entropy: o.EntropyCoef > 0, Correct: o.DivCoef > 0}
	if !o.KLInReward {
		want.Ref, want.KL = o.reference()
	}
	return want
}

// reference says what the divergence reads: the reference's log-probabilities, or
// the divergence of whole distributions.
func (o *Objective) reference() (ref, kl bool) {
	return o.KLCoef > 0 && o.KL != "exact", o.KLCoef > 0 && o.KL == "exact"
}

// Penalises says what of LossTokens Penalty reads; ok is false where no divergence
// is taken from rewards.
func (o *Objective) Penalises() (want loss.Want, ok bool) {
	if o.KLInReward {
		want.Ref, want.KL = o.reference()
	}
	return want, want.Ref || want.KL
}

// Penalty is kl_coef times the divergence of sequence s, summed over its tokens:
// what Rollout.Penalty takes from its reward.
func (o *Objective) Penalty(t *LossTokens, s int) float64 {
	sum := 0.0
	for k := t.Start[s]; k < t.Start[s+1]; k++ {
		if o.KL == "exact" {
			sum += t.KL[k]
			continue
		}
		value, _ := Divergence(o.KL, t.Logp[k]-t.Ref[k])
		sum += value
	}
	return float64(o.KLCoef * sum)
}

// maxLogRatio bounds |log rho|, as common implementations do, so that a policy
// that has run far from its samples gives a large loss and not an infinite one.
const maxLogRatio = 20

// Loss fills the loss and its derivatives with respect to each token's
// log-probability, entropy and exact divergence.
func (o *Objective) Loss(t *LossTokens) error {
	base, perLength, err := o.weight(t)
	if err != nil {
		return err
	}
	t.Loss, t.Clipped = 0, 0
	clear(t.DEntropy)
	clear(t.DKL)
	bounds := o.bounds()
	if o.Ratio == "sequence" {
		o.sequences(t, base, perLength, &bounds)
	} else {
		o.tokens(t, base, perLength, &bounds)
	}
	if o.KLCoef > 0 && !o.KLInReward || o.EntropyCoef > 0 {
		o.regularise(t, base, perLength)
	}
	if t.Loss-t.Loss != 0 {
		return fmt.Errorf("the loss is %v: the policy diverged; a smaller learning rate may help", t.Loss)
	}
	return nil
}

// weight is the factor of every token; with perLength it is to be divided by
// the length of the token's sequence.
func (o *Objective) weight(t *LossTokens) (w float64, perLength bool, err error) {
	sequences := 0 // that are not empty
	for s := range t.Sequences() {
		if t.Start[s+1] > t.Start[s] {
			sequences++
		}
	}
	switch o.Aggregation {
	case "token-mean":
		return 1 / float64(len(t.Logp)), false, nil
	case "seq-mean-token-mean":
		return 1 / float64(sequences), true, nil
	case "seq-mean-token-sum":
		return 1 / float64(sequences), false, nil
	case "seq-mean-token-sum-norm":
		if o.MaxTokens < 1 {
			return 0, false, fmt.Errorf("aggregation %s needs the length of the longest answer, got %d", o.Aggregation, o.MaxTokens)
		}
		return 1 / float64(sequences*o.MaxTokens), false, nil
	}
	return 0, false, fmt.Errorf("unknown aggregation %q", o.Aggregation)
}

// share is the weight of each token of a sequence of that length.
func share(base float64, perLength bool, length int) float64 {
	if perLength {
		return base / float64(length)
	}
	return base
}

// tokens adds the policy term with one ratio per token.
func (o *Objective) tokens(t *LossTokens, base float64, perLength bool, bounds *clipBounds) {
	total, clipped := 0.0, 0
	for s, a := range t.Advantage {
		lo, hi := t.Start[s], t.Start[s+1]
		w := share(base, perLength, hi-lo)
		for k := lo; k < hi; k++ {
			l, slope := -a, -a // where nothing has changed since sampling
			if d := t.Logp[k] - t.Old[k]; d != 0 {
				if l, slope = bounds.loss(a, d); slope == 0 && a != 0 {
					clipped++
				}
			}
			total += float64(w * l)
			t.DLogp[k] = w * slope
		}
	}
	t.Loss += total
	t.Clipped += clipped
}

// sequences adds the policy term with one ratio for each whole sequence. A token
// average of the sequence's one loss is that loss, so every aggregation weighs
// it by the sum of its tokens' weights over their number, except the plain and
// normalised sums, where it stands once.
func (o *Objective) sequences(t *LossTokens, base float64, perLength bool, bounds *clipBounds) {
	average := o.Aggregation == "token-mean" || o.Aggregation == "seq-mean-token-mean"
	for s, a := range t.Advantage {
		lo, hi := t.Start[s], t.Start[s+1]
		if lo == hi {
			continue
		}
		w := share(base, perLength, hi-lo)
		if average {
			w *= float64(hi - lo)
		}
		d := 0.0
		for k := lo; k < hi; k++ {
			d += t.Logp[k] - t.Old[k]
		}
		l, slope := bounds.loss(a, d)
		t.Loss += float64(w * l)
		for k := lo; k < hi; k++ {
			t.DLogp[k] = w * slope
		}
		if slope == 0 && a != 0 {
			t.Clipped += hi - lo
		}
	}
}

// clipBounds are the numbers the clip compares with, infinite where it is off.
type clipBounds struct{ low, high, dual float64 }

func (o *Objective) bounds() clipBounds {
	c := clipBounds{math.Inf(-1), math.Inf(1), math.Inf(1)}
	if o.ClipLow > 0 {
		c.low = 1 - o.ClipLow
	}
	if o.ClipHigh > 0 {
		c.high = 1 + o.ClipHigh
	}
	if o.DualClip > 0 {
		c.dual = o.DualClip
	}
	return c
}

// loss returns the clipped policy loss of one log ratio d and its derivative
// with respect to the log-probability (d rho / d log pi = rho). Where the bound
// of the log ratio holds, the loss is flat.
func (c *clipBounds) loss(a, d float64) (l, slope float64) {
	rho := exact.Exp(min(max(d, -maxLogRatio), maxLogRatio))
	l = -a * rho
	if math.Abs(d) <= maxLogRatio {
		slope = l
	}
	// Only one side of the clip can cut: the high one where the advantage is
	// positive, the low one where it is negative.
	switch {
	case a > 0 && rho > c.high:
		return -a * c.high, 0
	case a < 0 && rho > c.dual:
		return -a * c.dual, 0
	case a < 0 && rho < c.low:
		return -a * c.low, 0
	}
	return l, slope
}

// regularise adds the divergence and entropy terms.
func (o *Objective) regularise(t *LossTokens, base float64, perLength bool) {
	for s := range t.Sequences() {
		lo, hi := t.Start[s], t.Start[s+1]
		w := share(base, perLength, hi-lo)
		for k := lo; o.KLCoef > 0 && !o.KLInReward && k < hi; k++ {
			coef := w * o.KLCoef
			if o.KL == "exact" {
				t.Loss += float64(coef * t.KL[k])
				t.DKL[k] = coef
				continue
			}
			value, slope := Divergence(o.KL, t.Logp[k]-t.Ref[k])
			t.Loss += float64(coef * value)
			t.DLogp[k] += float64(coef * slope)
		}
		for k := lo; o.EntropyCoef > 0 && k < hi; k++ {
			coef := w * o.EntropyCoef
			t.Loss -= float64(coef * t.Entropy[k])
			t.DEntropy[k] = -coef
		}
	}
}

// Divergence is the sampled estimate of the KL divergence named k1, k2 or k3
// for d = log pi - log pi_ref, in nats, and its derivative with respect to log
// pi. No clamp is applied.
func Divergence(name string, d float64) (value, slope float64) {
	switch name {
	case "k1":
		return d, 1
	case "k2":
		return d * d / 2, d
	}
	e := exact.Expm1(-d)
	return e + d, -e
}

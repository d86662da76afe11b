package loss

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"modebench/internal/params"
)

func (o *Function) checkCovariance() error {
	switch {
	case o.ClipCov == 0 && o.KLCov == 0:
		return nil
	case o.ClipCov > 0 && o.KLCov > 0:
		return params.Errorf("kl_cov", "got %v, want 0 beside clip_cov: the two are alternatives", o.KLCov)
	case o.Ratio != "token":
		return params.Errorf("ratio", "got %s, want token: clip_cov and kl_cov choose single tokens", o.Ratio)
	case o.KLCov > 0 && (o.ClipLow != 0 || o.ClipHigh != 0 || o.DualClip != 0):
		return params.Errorf("kl_cov", "KL-Cov holds the ratio by a penalty and does not clip: want clip_low, clip_high and dual_clip 0, got %v, %v and %v", o.ClipLow, o.ClipHigh, o.DualClip)
	case o.ClipCovHigh != 0 && o.ClipCovHigh <= o.ClipCovLow:
		return params.Errorf("clip_cov_high", "got %v, want above clip_cov_low, %v, or 0 for no bound", o.ClipCovHigh, o.ClipCovLow)
	}
	return nil
}

// byCovariance adds the policy term of Clip-Cov or KL-Cov (Cui et al., 2025). Both single
// out the tokens that would lower the entropy fastest, by their part in the covariance over
// all tokens of the minibatch:
//
//	cov_t = (A_t - mean A) (log pi_t - mean log pi).
//
// Clip-Cov: of the tokens with clip_cov_low < cov_t < clip_cov_high that the clip
// has not cut anyway, max(1, floor(clip_cov N)) of N, or all if they are fewer, drawn uniformly
// from the minibatch's key, have neither loss nor gradient. They stay in the aggregation's
// count and keep the other terms of the loss, and Clipped counts them.
//
// KL-Cov: the max(1, floor(kl_cov N)) tokens of the largest cov_t (ties: the
// first) have the loss -A rho + kl_cov_coef |log rho|, all others -A rho, without
// a clip. |log rho| has no slope at 0, so KL-Cov does nothing in the first update
// from a batch of rollouts: it wants several epochs or minibatches.
//
// "At least one" makes the share of a small minibatch much larger than the field's value: at
// 2e-4 one token of a hundred is fifty times that.
func (o *Function) byCovariance(t *Tokens, base float64, perLength bool, bounds *clipBounds) error {
	if o.cov == nil {
		o.cov = &covariances{}
		o.cov.rand = rand.New(&o.cov.source)
	}
	c := o.cov
	if err := c.measure(t); err != nil {
		return err
	}
	c.loss = slices.Grow(c.loss[:0], len(t.Logp))[:len(t.Logp)]
	for s := range t.Sequences() {
		for k := t.Start[s]; k < t.Start[s+1]; k++ {
			a := t.At(s, k)
			c.loss[k], t.DLogp[k] = bounds.loss(a, t.Logp[k]-t.Old[k])
			if t.DLogp[k] == 0 && a != 0 {
				t.Clipped++
			}
		}
	}
	if o.ClipCov > 0 {
		c.leaveOut(t, o)
	} else {
		c.hold(t, o)
	}
	for s := range t.Sequences() {
		lo, hi := t.Start[s], t.Start[s+1]
		w := share(base, perLength, hi-lo)
		for k := lo; k < hi; k++ {
			weight := o.times(w, k)
			t.Loss += float64(weight * c.loss[k])
			t.DLogp[k] *= weight
		}
	}
	return nil
}

// rounding is the covariance below which a number counts as an error of rounding.
const rounding = 1e-12

// measure computes every token's part in the covariance; rounding becomes 0, so that parts tie.
func (c *covariances) measure(t *Tokens) error {
	advantage, logp := 0.0, 0.0
	if len(t.TokenAdvantage) == 0 {
		for s, a := range t.Advantage {
			advantage += float64(a * float64(t.Start[s+1]-t.Start[s]))
		}
	}
	for _, a := range t.TokenAdvantage {
		advantage += a
	}
	for _, l := range t.Logp {
		logp += l
	}
	n := float64(len(t.Logp))
	advantage, logp = advantage/n, logp/n
	c.parts = slices.Grow(c.parts[:0], len(t.Logp))[:len(t.Logp)]
	for s := range t.Sequences() {
		for k := t.Start[s]; k < t.Start[s+1]; k++ {
			a := t.At(s, k)
			c.parts[k] = float64((a - advantage) * (t.Logp[k] - logp))
			if math.Abs(c.parts[k]) < rounding {
				c.parts[k] = 0
			}
			if c.parts[k]-c.parts[k] != 0 {
				return fmt.Errorf("sequence %d, token %d: the covariance of advantage %v and log-probability %v is %v", s, k-t.Start[s], a, t.Logp[k], c.parts[k])
			}
		}
	}
	return nil
}

// leaveOut takes the tokens that Clip-Cov draws out of the policy term.
func (c *covariances) leaveOut(t *Tokens, o *Function) {
	high := cmp.Or(o.ClipCovHigh, math.Inf(1))
	c.order = c.order[:0]
	for k, cov := range c.parts {
		cut := t.DLogp[k] == 0 && c.loss[k] != 0
		if !cut && o.ClipCovLow < cov && cov < high {
			c.order = append(c.order, k)
		}
	}
	t.Key.Str("clip-cov").Seed(&c.source)
	for i := range min(portion(o.ClipCov, len(c.parts)), len(c.order)) {
		j := i + c.rand.IntN(len(c.order)-i)
		c.order[i], c.order[j] = c.order[j], c.order[i]
		k := c.order[i]
		c.loss[k], t.DLogp[k] = 0, 0
		t.Clipped++
	}
}

// hold adds KL-Cov's penalty to the tokens of the largest covariance.
func (c *covariances) hold(t *Tokens, o *Function) {
	c.order = c.order[:0]
	for k := range c.parts {
		c.order = append(c.order, k)
	}
	slices.SortFunc(c.order, func(i, j int) int {
		return cmp.Or(cmp.Compare(c.parts[j], c.parts[i]), cmp.Compare(i, j))
	})
	for _, k := range c.order[:min(portion(o.KLCov, len(c.parts)), len(c.parts))] {
		d := t.Logp[k] - t.Old[k]
		c.loss[k] += float64(o.KLCovCoef * math.Abs(d))
		switch {
		case d > 0:
			t.DLogp[k] += o.KLCovCoef
		case d < 0:
			t.DLogp[k] -= o.KLCovCoef
		}
	}
}

// portion is a share of n tokens, rounded down but at least one.
func portion(share float64, n int) int { return max(1, int(share*float64(n))) }

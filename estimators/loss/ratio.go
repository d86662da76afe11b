package loss

import (
	"math"
	"slices"

	"modebench/internal/exact"
	"modebench/internal/params"
)

// maxLogRatio bounds |log rho|, of tokens and of sequences, so that a policy that
// has run far from its samples gives a large loss and not an infinite one.
// Implementations bound it at 20 for tokens, and some at 10 for GSPO; one bound
// serves all here, since no policy that still learns comes near either.
const maxLogRatio = 20

// bounded is e^d, for log ratios within the bound or held at it.
func bounded(d float64) float64 {
	return exact.Exp(min(max(d, -maxLogRatio), maxLogRatio))
}

// clipBounds are the numbers the clip compares with, infinite if it is off.
type clipBounds struct{ low, high, dual float64 }

func (o *Function) bounds() clipBounds {
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
	rho := bounded(d)
	l = -a * rho
	if math.Abs(d) <= maxLogRatio {
		slope = l
	}
	// Only one side of the clip can cut: the high one for a positive advantage, the low one for
	// a negative.
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

var (
	// noClip are the ratios without a clip.
	noClip = []string{"soft", "truncated", "tapered", "gamma", "target", "delight"}
	// noDualClip are those whose loss does not grow with the ratio.
	noDualClip = []string{"none", "importance", "soft", "truncated", "tapered", "gamma", "flow", "target", "delight"}
)

// checkClip returns an error for a bound that is invalid or bounds nothing.
func (o *Function) checkClip() error {
	switch {
	case o.DualClip != 0 && o.DualClip <= 1:
		return params.Errorf("dual_clip", "got %v, want above 1, or 0 for none", o.DualClip)
	case o.ClipLow >= 1 && o.Ratio != "geometric":
		return params.Errorf("clip_low", "got %v, want below 1", o.ClipLow)
	case o.Ratio == "none" && (o.ClipLow != 0 || o.ClipHigh != 0):
		return params.Errorf("ratio", "got none, and without a ratio there is nothing to clip: want clip_low and clip_high 0, got %v and %v", o.ClipLow, o.ClipHigh)
	case slices.Contains(noClip, o.Ratio) && (o.ClipLow != 0 || o.ClipHigh != 0):
		return params.Errorf("ratio", "got %s, which bounds the ratio by itself: want clip_low and clip_high 0, got %v and %v", o.Ratio, o.ClipLow, o.ClipHigh)
	case slices.Contains(noDualClip, o.Ratio) && o.DualClip != 0:
		return params.Errorf("dual_clip", "got %v, want 0: with ratio %s no loss grows with the ratio", o.DualClip, o.Ratio)
	}
	return nil
}

// A surrogate is the loss of a token of advantage a whose log-probability went from
// old to logp, and its derivative with respect to logp.
type surrogate func(a, logp, old float64) (l, slope float64)

// tokens adds the policy term with one ratio per token, flat if the ratio has been cut off.
func (o *Function) tokens(t *Tokens, base float64, perLength bool, loss surrogate) {
	advantage := o.buffers.advantage
	total, clipped := 0.0, 0
	for s := range t.Sequences() {
		lo, hi := t.Start[s], t.Start[s+1]
		w := share(base, perLength, hi-lo)
		for k := lo; k < hi; k++ {
			a := advantage[k]
			l, slope := loss(a, t.Logp[k], t.Old[k])
			if slope == 0 && a != 0 {
				clipped++
			}
			weight := o.times(w, k)
			total += float64(weight * l)
			t.DLogp[k] = weight * slope
		}
	}
	t.Loss += total
	t.Clipped += clipped
}

func (o *Function) clipped(t *Tokens, base float64, perLength bool) error {
	bounds := o.bounds()
	o.tokens(t, base, perLength, func(a, logp, old float64) (l, slope float64) {
		if logp == old { // nothing has changed since sampling
			return -a, -a
		}
		return bounds.loss(a, logp-old)
	})
	return nil
}

// sequences adds the policy term with one ratio for each whole sequence, the
// product of its tokens' ratios or their geometric mean s.
//
// Every token has its sequence's loss, so the sequence weighs as much as its tokens together;
// with the product, only in averages (in sums its loss counts once). The slope in each token's
// log-probability is that of the product, since d log rho / d log pi = 1; of s it is one part
// in the length, which leaves the weight of one token. So s has the value and the gradient that
// GSPO's token form has, sg[s] pi / sg[pi] in each token.
func (o *Function) sequences(t *Tokens, base float64, perLength bool) error {
	bounds := o.bounds()
	mean := o.Ratio == "sequence-norm"
	average := o.averages()
	for s := range t.Sequences() {
		lo, hi := t.Start[s], t.Start[s+1]
		if lo == hi {
			continue
		}
		a, length := o.buffers.advantage[lo], float64(hi-lo)
		each := share(base, perLength, hi-lo)
		whole := each // in sums a product's loss counts once
		if mean || average {
			whole *= length
		}
		d := 0.0
		for k := lo; k < hi; k++ {
			d += t.Logp[k] - t.Old[k]
		}
		if mean {
			d /= length
		}
		if len(t.TokenAdvantage) > 0 { // of the geometric mean alone (CheckTokens)
			o.sequenceTokens(t, s, d, each, &bounds)
			continue
		}
		l, slope := bounds.loss(a, d)
		whole = o.timesMean(whole, lo, hi)
		t.Loss += float64(whole * l)
		for k := lo; k < hi; k++ {
			if mean {
				t.DLogp[k] = o.times(each, k) * slope
			} else {
				t.DLogp[k] = whole * slope
			}
		}
		if slope == 0 && a != 0 {
			t.Clipped += hi - lo
		}
	}
	return nil
}

// averages reports whether a sequence weighs as much as its tokens together.
func (o *Function) averages() bool {
	return o.Aggregation == "token-mean" || o.Aggregation == "seq-mean-token-mean"
}

// sequenceTokens adds the policy term of a sequence whose tokens have advantages of their
// own: with the log ratio d of the sequence each token's loss is that of its own advantage,
// and its slope goes to its own log-probability, as in GSPO's token form. Equal advantages
// give what sequences gives.
func (o *Function) sequenceTokens(t *Tokens, s int, d, each float64, bounds *clipBounds) {
	for k := t.Start[s]; k < t.Start[s+1]; k++ {
		a, weight := o.buffers.advantage[k], o.times(each, k)
		l, slope := bounds.loss(a, d)
		t.Loss += float64(weight * l)
		t.DLogp[k] = weight * slope
		if slope == 0 && a != 0 {
			t.Clipped++
		}
	}
}

// geometric adds the policy term of GMPO: each log ratio is clipped by itself,
// and the loss is that of their mean, which only the dual clip bounds further. A token that was
// cut has no part in the gradient; the others have one part in the length, as in sequences.
func (o *Function) geometric(t *Tokens, base float64, perLength bool) error {
	open := clipBounds{math.Inf(-1), math.Inf(1), o.bounds().dual}
	for s := range t.Sequences() {
		lo, hi := t.Start[s], t.Start[s+1]
		if lo == hi {
			continue
		}
		a, length := o.buffers.advantage[lo], float64(hi-lo)
		w := o.timesGeometric(share(base, perLength, hi-lo), lo, hi)
		d := 0.0
		for k := lo; k < hi; k++ {
			clipped, _ := o.clipLog(a, t.Logp[k]-t.Old[k])
			d += clipped
		}
		l, slope := open.loss(a, d/length)
		t.Loss += float64(float64(w*length) * l)
		for k := lo; k < hi; k++ {
			t.DLogp[k] = w * slope
			_, cut := o.clipLog(a, t.Logp[k]-t.Old[k])
			if cut {
				t.DLogp[k] = 0
			}
			if a != 0 && (cut || slope == 0) {
				t.Clipped++
			}
		}
	}
	return nil
}

// clipLog clips a log ratio that has gone the way the advantage asks.
func (o *Function) clipLog(a, d float64) (clipped float64, cut bool) {
	switch {
	case a > 0 && o.ClipHigh > 0 && d > o.ClipHigh:
		return o.ClipHigh, true
	case a < 0 && o.ClipLow > 0 && d < -o.ClipLow:
		return -o.ClipLow, true
	}
	return d, false
}

// scores adds the policy term of score functions, -w A log pi: the weight w of each token, given by
// sequence and token, is no function of the parameters. cut reports whether a bound has changed it.
// A token whose weight was cut may still learn: Clipped counts it all the same.
func (o *Function) scores(t *Tokens, base float64, perLength bool, weight func(s, k int) (w float64, cut bool)) {
	for s := range t.Sequences() {
		lo, hi := t.Start[s], t.Start[s+1]
		each := share(base, perLength, hi-lo)
		for k := lo; k < hi; k++ {
			a := o.buffers.advantage[k]
			w, cut := weight(s, k)
			if cut && a != 0 {
				t.Clipped++
			}
			slope := -float64(o.times(each, k) * float64(w*a))
			t.Loss += float64(slope * t.Logp[k])
			t.DLogp[k] = slope
		}
	}
}

// importance is CISPO's policy term: the weight is the ratio, clipped on both sides.
func (o *Function) importance(t *Tokens, base float64, perLength bool) error {
	bounds := o.bounds()
	o.scores(t, base, perLength, func(_, k int) (w float64, cut bool) {
		rho := bounded(t.Logp[k] - t.Old[k])
		w = min(max(rho, bounds.low), bounds.high)
		return w, w != rho
	})
	return nil
}

func (o *Function) unweighted(t *Tokens, base float64, perLength bool) error {
	o.scores(t, base, perLength, func(int, int) (float64, bool) { return 1, false })
	return nil
}

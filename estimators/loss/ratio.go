package loss

import (
	"math"

	"modebench/internal/exact"
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

// clipBounds are the numbers the clip compares with, infinite where it is off.
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

// tokens adds the policy term with one ratio per token.
func (o *Function) tokens(t *Tokens, base float64, perLength bool, bounds *clipBounds) {
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

// sequences adds the policy term with one ratio for each whole sequence, the
// product of its tokens' ratios or their geometric mean s.
//
// Every token stands for its sequence's loss, so the sequence weighs as much as
// its tokens together; of the product, only averages do (in sums its loss stands
// once). The slope in each token's log-probability is that of the product, since
// d log rho / d log pi = 1; of s it is one part in the length, and what is left
// is the weight of one token. So s has the value and the gradient that GSPO's
// token form has, sg[s] pi / sg[pi] in each token.
func (o *Function) sequences(t *Tokens, base float64, perLength bool, bounds *clipBounds) {
	mean := o.Ratio == "sequence-norm"
	average := o.Aggregation == "token-mean" || o.Aggregation == "seq-mean-token-mean"
	for s, a := range t.Advantage {
		lo, hi := t.Start[s], t.Start[s+1]
		if lo == hi {
			continue
		}
		length := float64(hi - lo)
		each := share(base, perLength, hi-lo)
		whole := each
		if mean || average {
			whole *= length
		}
		d := 0.0
		for k := lo; k < hi; k++ {
			d += t.Logp[k] - t.Old[k]
		}
		if mean {
			d /= length
		} else {
			each = whole
		}
		l, slope := bounds.loss(a, d)
		t.Loss += float64(whole * l)
		for k := lo; k < hi; k++ {
			t.DLogp[k] = each * slope
		}
		if slope == 0 && a != 0 {
			t.Clipped += hi - lo
		}
	}
}

// geometric adds the policy term of GMPO: each log ratio is clipped by itself,
// and the loss is that of the mean of what is left, which only the dual clip
// bounds further. A token that was cut has no part in the gradient; the others
// have one part in the length, as in sequences.
func (o *Function) geometric(t *Tokens, base float64, perLength bool, bounds *clipBounds) {
	open := clipBounds{math.Inf(-1), math.Inf(1), bounds.dual}
	for s, a := range t.Advantage {
		lo, hi := t.Start[s], t.Start[s+1]
		if lo == hi {
			continue
		}
		length := float64(hi - lo)
		w := share(base, perLength, hi-lo)
		d := 0.0
		for k := lo; k < hi; k++ {
			clipped, _ := o.clipLog(a, t.Logp[k]-t.Old[k])
			d += clipped
		}
		l, slope := open.loss(a, d/length)
		t.Loss += float64(float64(w*length) * l)
		for k := lo; k < hi; k++ {
			t.DLogp[k] = w * slope
			if _, cut := o.clipLog(a, t.Logp[k]-t.Old[k]); cut {
				t.DLogp[k] = 0
			}
			if a != 0 && t.DLogp[k] == 0 {
				t.Clipped++
			}
		}
	}
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

// scores adds the policy term of score functions, -w A log pi: w is 1, or the
// clipped ratio, which is no function of the parameters. It is clipped on both
// sides whatever the advantage's sign, and a token whose weight was cut still
// learns: Clipped counts it all the same.
func (o *Function) scores(t *Tokens, base float64, perLength bool, bounds *clipBounds) {
	weighted := o.Ratio == "importance"
	for s, a := range t.Advantage {
		lo, hi := t.Start[s], t.Start[s+1]
		each := share(base, perLength, hi-lo)
		for k := lo; k < hi; k++ {
			w := 1.0
			if weighted {
				rho := bounded(t.Logp[k] - t.Old[k])
				w = min(max(rho, bounds.low), bounds.high)
				if w != rho && a != 0 {
					t.Clipped++
				}
			}
			slope := -float64(each * float64(w*a))
			t.Loss += float64(slope * t.Logp[k])
			t.DLogp[k] = slope
		}
	}
}

package loss

import (
	"fmt"

	"modebench/internal/each"
	"modebench/internal/exact"
	"modebench/internal/params"
)

// A Correction weights the policy term of each token where what drew the rollouts is not the
// policy that the ratios are to: a stale one, or an inference engine whose probabilities are
// off. With r = exp(log pi_old - log pi_sampler) of the token, or with by_sequence of all
// tokens of its sequence together, the weight w is
//
//	tis      min(r, tis): truncated importance sampling (verl's rollout_is, slime's use_tis)
//	icepop   r where icepop_low <= r <= icepop_high, else 0 (slime's icepop_function; of
//	         sequences it is verl's seq_mis but for the divisor of the loss)
//	bound    1 where bound_low <= r <= bound_high, else 0, with pi, which is being updated, in
//	         place of pi_old (prime-rl's mask_ratio_low and mask_ratio_high)
//
// No gradient goes through w. The log of r is held within 20, as verl holds it. Tokens of
// weight 0 stay in the divisor of the loss, and keep the divergence and entropy terms; so it is
// in slime and prime-rl, while verl's rejection takes them out of both.
//
// veto sets the weights of a whole sequence to 0 where any token's r, its own under either
// by_sequence, is below (verl's rollout_token_veto_threshold, gone in 0.9.1; SkyRL's
// outlier_token_is_threshold_low; prime-rl's sequence_mask_ratio_low).
//
// A sequence whose tokens share a ratio has the mean of its tokens' weights in its loss, and each
// token's own in its slope (verl's GSPO); under the ratio sequence, which is one product, the mean
// in both; under geometric their geometric mean, each weight raised by 1e-10 (verl's GMPO).
type Correction struct {
	TIS        float64 `param:"tis" doc:"truncated importance sampling: the policy term of a token is weighted by its probability as the step began over that which it was drawn with, at most this; 0: off" min:"0" late:"0"`
	IcePopLow  float64 `param:"icepop_low" doc:"IcePop: that weight is 0 below" min:"0" late:"0" when:"icepop_high>0"`
	IcePopHigh float64 `param:"icepop_high" doc:"IcePop: the policy term is weighted as by tis, without a bound, but the weight is 0 above this one; 0: off" min:"0" late:"0"`
	BoundLow   float64 `param:"bound_low" doc:"tokens whose probability, as it is being updated, over that which they were drawn with is below have no policy term" min:"0" late:"0" when:"bound_high>0"`
	BoundHigh  float64 `param:"bound_high" doc:"nor have tokens with that ratio above (prime-rl's importance bounds); 0: off" min:"0" late:"0"`
	BySequence bool    `param:"by_sequence" doc:"tis, icepop and bound are of the product over a sequence's tokens" late:"false" when:"tis>0|icepop_high>0|bound_high>0"`
	Veto       float64 `param:"veto" doc:"beside tis, icepop or bound: a sequence with a token whose weight would be below has no policy term; 0: none" min:"0" late:"0" when:"tis>0|icepop_high>0|bound_high>0"`

	made *weights // nil: all are 1
}

// weights are those of a minibatch's tokens, in a buffer that lives from one to the next.
type weights struct{ factors []float64 }

// Corrects reports whether a field belongs to a correction.
func Corrects(field string) bool {
	_, ok := params.Lookup(&Correction{}, field)
	return ok
}

// Current reports whether the policy compared with the sampler is the one being updated.
func (c *Correction) Current() bool { return c.BoundHigh > 0 }

// Neutral reports whether a token whose ratio to the sampler is 1 keeps its policy term as it is.
func (c *Correction) Neutral() bool {
	w, cut := c.weight(1)
	return c.off() || w == 1 && !cut && c.Veto <= 1
}

func (c *Correction) off() bool { return c.TIS == 0 && c.IcePopHigh == 0 && c.BoundHigh == 0 }

func (c *Correction) check() error {
	count := each.Count([]float64{c.TIS, c.IcePopHigh, c.BoundHigh}, func(x float64) bool { return x > 0 })
	switch {
	case count > 1:
		return params.Errorf("tis", "got tis = %v, icepop_high = %v and bound_high = %v, want one of them above 0: they are alternatives", c.TIS, c.IcePopHigh, c.BoundHigh)
	case c.IcePopHigh > 0 && c.IcePopLow >= c.IcePopHigh:
		return params.Errorf("icepop_low", "got %v, want below icepop_high, %v", c.IcePopLow, c.IcePopHigh)
	case c.BoundHigh > 0 && c.BoundLow >= c.BoundHigh:
		return params.Errorf("bound_low", "got %v, want below bound_high, %v", c.BoundLow, c.BoundHigh)
	}
	return nil
}

// weigh works out the weights of a minibatch and counts those that are not the ratio itself.
func (c *Correction) weigh(t *Tokens) error {
	t.Corrected = 0
	if c.off() {
		return nil
	}
	if c.made == nil {
		c.made = &weights{}
	}
	c.made.factors = c.made.factors[:0]
	if len(t.Sampler) != len(t.Logp) {
		return fmt.Errorf("a correction needs the sampler's log-probability of each token, got %d of %d", len(t.Sampler), len(t.Logp))
	}
	current := t.Old
	if c.Current() {
		current = t.Logp
	}
	for s := range t.Sequences() {
		lo, hi := t.Start[s], t.Start[s+1]
		whole, vetoed := 0.0, false
		for k := lo; k < hi; k++ {
			d := current[k] - t.Sampler[k]
			whole += d
			vetoed = vetoed || bounded(d) < c.Veto
		}
		for k := lo; k < hi; k++ {
			d := current[k] - t.Sampler[k]
			if c.BySequence {
				d = whole
			}
			w, cut := c.weight(bounded(d))
			if vetoed {
				w, cut = 0, true
			}
			if cut {
				t.Corrected++
			}
			c.made.factors = append(c.made.factors, w)
		}
	}
	return nil
}

// weight is the weight at a ratio, and whether the correction has changed it.
func (c *Correction) weight(r float64) (w float64, cut bool) {
	switch {
	case c.TIS > 0:
		return min(r, c.TIS), r > c.TIS
	case c.IcePopHigh > 0:
		if r < c.IcePopLow || r > c.IcePopHigh {
			return 0, true
		}
		return r, false
	}
	if r < c.BoundLow || r > c.BoundHigh {
		return 0, true
	}
	return 1, false
}

func (c *Correction) times(w float64, k int) float64 {
	if c.made == nil {
		return w
	}
	return float64(w * c.made.factors[k])
}

// timesMean is w times the mean weight of a sequence, which is not empty.
func (c *Correction) timesMean(w float64, lo, hi int) float64 {
	if c.made == nil {
		return w
	}
	return float64(w * exact.Sum(c.made.factors[lo:hi]) / float64(hi-lo))
}

// timesGeometric is w times the geometric mean of the weights of a sequence.
func (c *Correction) timesGeometric(w float64, lo, hi int) float64 {
	if c.made == nil {
		return w
	}
	const raised = 1e-10
	sum := 0.0
	for _, x := range c.made.factors[lo:hi] {
		sum += exact.Log(x + raised)
	}
	return float64(w * exact.Exp(sum/float64(hi-lo)))
}

package loss

import (
	"fmt"

	"modebench/internal/params"
)

// Check says what contradicts itself.
func (o *Function) Check() error {
	switch {
	case o.DualClip != 0 && o.DualClip <= 1:
		return params.Errorf("dual_clip", "got %v, want above 1, or 0 for none", o.DualClip)
	case o.ClipLow >= 1 && o.Ratio != "geometric":
		return params.Errorf("clip_low", "got %v, want below 1", o.ClipLow)
	case o.Ratio == "none" && (o.ClipLow != 0 || o.ClipHigh != 0):
		return params.Errorf("ratio", "got none, and without a ratio there is nothing to clip: want clip_low and clip_high 0, got %v and %v", o.ClipLow, o.ClipHigh)
	case (o.Ratio == "none" || o.Ratio == "importance") && o.DualClip != 0:
		return params.Errorf("dual_clip", "got %v, want 0: with ratio %s no loss grows with the ratio", o.DualClip, o.Ratio)
	}
	return o.checkCovariance()
}

// Want says which inputs of Tokens the function reads.
func (o *Function) Want() Want {
	want := Want{Entropy: o.EntropyCoef > 0, Correct: o.DivCoef > 0}
	if !o.KLInReward {
		want.Ref, want.KL = o.reference()
	}
	return want
}

// Evaluate fills the loss and its derivatives with respect to each token's
// log-probability, entropy and exact divergence. A loss that is no finite number
// is an error.
func (o *Function) Evaluate(t *Tokens) error {
	base, perLength, err := o.weight(t)
	if err != nil {
		return err
	}
	t.Loss, t.Clipped = 0, 0
	clear(t.DEntropy)
	clear(t.DKL)
	if err := o.policyTerm(t, base, perLength); err != nil {
		return err
	}
	if o.klInLoss() || o.EntropyCoef > 0 {
		o.regularise(t, base, perLength)
	}
	if o.DivCoef > 0 {
		if err := o.diversify(t); err != nil {
			return err
		}
	}
	if t.Loss-t.Loss != 0 {
		return fmt.Errorf("the loss is %v: the policy diverged; a smaller learning rate may help", t.Loss)
	}
	return nil
}

// policyTerm adds what the advantages say.
func (o *Function) policyTerm(t *Tokens, base float64, perLength bool) error {
	bounds := o.bounds()
	switch {
	case o.ClipCov > 0 || o.KLCov > 0:
		return o.byCovariance(t, base, perLength, &bounds)
	case o.Ratio == "token":
		o.tokens(t, base, perLength, &bounds)
	case o.Ratio == "sequence" || o.Ratio == "sequence-norm":
		o.sequences(t, base, perLength, &bounds)
	case o.Ratio == "geometric":
		o.geometric(t, base, perLength, &bounds)
	case o.Ratio == "importance" || o.Ratio == "none":
		o.scores(t, base, perLength, &bounds)
	default:
		return fmt.Errorf("unknown ratio %q", o.Ratio)
	}
	return nil
}

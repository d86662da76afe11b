package loss

import (
	"fmt"
	"slices"

	"modebench/internal/params"
)

// Check returns the first contradiction between fields.
func (o *Function) Check() error {
	for _, check := range []func() error{o.checkClip, o.checkCovariance, o.checkSoft, o.checkFlow, o.checkSimKO, o.checkStored, o.checkAdvantages, o.checkSteering, o.checkDivergence, o.Correction.check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// CheckTokens returns an error, a params.FieldError, unless the policy term is defined for an
// advantage per token. One ratio of a whole sequence takes one advantage. GSPO is the
// exception: its token form, sg[s] pi / sg[pi] in each token (Zheng et al., 2025, section 4.3;
// verl's gspo), takes one for each.
func (o *Function) CheckTokens() error {
	switch {
	case o.isWhole():
		return params.Errorf("ratio", "got %s, which makes one term of a whole sequence, and the method gives every token an advantage of its own: want token, sequence-norm, importance or none, among others", o.Ratio)
	case o.OffPolicyMask > 0:
		return params.Errorf("off_policy_mask", "got %v, which goes by the advantage of a sequence, and the method gives every token its own: want 0", o.OffPolicyMask)
	}
	return nil
}

// wholeAlone are the ratios whose loss is of whole sequences, for which advantages of single
// tokens have no meaning.
var wholeAlone = []string{"sequence", "geometric", "gamma", "flow"}

// isWhole reports whether the ratio has one loss and takes one advantage for a sequence.
func (o *Function) isWhole() bool { return slices.Contains(wholeAlone, o.Ratio) }

func (o *Function) tokenwise(t *Tokens) error {
	if len(t.TokenAdvantage) == 0 {
		return nil
	}
	if len(t.TokenAdvantage) != len(t.Logp) {
		return fmt.Errorf("advantages of %d tokens, want %d", len(t.TokenAdvantage), len(t.Logp))
	}
	return o.CheckTokens()
}

// Want lists the inputs of Tokens that the function reads.
func (o *Function) Want() Want {
	var want Want
	if !o.KLInReward {
		want = o.reference()
	}
	want.Ref = want.Ref || o.Ratio == "flow"
	want.Entropy = o.EntropyCoef > 0 || o.Forking > 0 || o.SimKO > 0 || o.steers()
	want.Correct = o.DivCoef > 0 || o.Ratio == "tapered" || o.SimKO > 0
	want.Stored = o.holds()
	if o.SimKO > 0 {
		want.Top = o.SimKOTop
	}
	want.Sampler = !o.Correction.off()
	return want
}

// Evaluate fills the loss and its derivatives with respect to each token's
// log-probability, entropy and exact divergence, and to those of the likeliest tokens in its
// place. A loss that is no finite number is an error.
func (o *Function) Evaluate(t *Tokens) error {
	if err := o.tokenwise(t); err != nil {
		return err
	}
	base, perLength, err := o.weight(t)
	if err != nil {
		return err
	}
	t.Loss, t.Clipped = 0, 0
	clear(t.DEntropy)
	clear(t.DKL)
	clear(t.DTop)
	if err := o.policyTerm(t, base, perLength); err != nil {
		return err
	}
	if o.holds() {
		if err := o.holdStored(t, base, perLength); err != nil {
			return err
		}
	}
	if o.klInLoss() || o.bonus() > 0 {
		o.regularise(t, base, perLength)
	}
	if o.LogRatioCoef > 0 {
		o.stayNear(t, base, perLength)
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

var ratios = map[string]func(o *Function, t *Tokens, base float64, perLength bool) error{
	"token":         (*Function).clipped,
	"sequence":      (*Function).sequences,
	"sequence-norm": (*Function).sequences,
	"geometric":     (*Function).geometric,
	"importance":    (*Function).importance,
	"none":          (*Function).unweighted,
	"soft":          (*Function).soft,
	"truncated":     (*Function).truncated,
	"tapered":       (*Function).tapered,
	"gamma":         (*Function).gamma,
	"flow":          (*Function).flow,
	"token-tv":      ratioWithin(variation),
	"token-kl":      ratioWithin(binaryKL),
	"token-move":    ratioWithin(move),
	"importance-tv": weightWithin(variation),
	"importance-kl": weightWithin(binaryKL),
}

func (o *Function) policyTerm(t *Tokens, base float64, perLength bool) error {
	if err := o.weigh(t); err != nil {
		return err
	}
	if o.ClipCov > 0 || o.KLCov > 0 {
		bounds := o.bounds()
		return o.byCovariance(t, base, perLength, &bounds)
	}
	term, ok := ratios[o.Ratio]
	if !ok {
		return fmt.Errorf("unknown ratio %q", o.Ratio)
	}
	if err := o.advantages(t); err != nil {
		return err
	}
	if err := term(o, t, base, perLength); err != nil {
		return err
	}
	if o.SimKO > 0 {
		o.spreadToTop(t)
	}
	return nil
}

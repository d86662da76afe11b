package loss

import (
	"fmt"
	"slices"

	"modebench/internal/each"
	"modebench/internal/params"
)

// Check returns the first contradiction between fields.
func (o *Function) Check() error {
	for _, check := range []func() error{o.checkClip, o.checkCovariance, o.checkCompanions, o.checkSimKO, o.checkStored, o.checkAdvantages, o.checkSteering, o.checkDivergence, o.Correction.check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkCompanions returns an error for a field that is 0 beside another that needs it.
func (o *Function) checkCompanions() error {
	for _, f := range []struct {
		name   string
		value  float64
		needed bool
		beside string
	}{
		{"tau_pos", o.TauPos, o.Ratio == "soft", "ratio soft"},
		{"tau_neg", o.TauNeg, o.Ratio == "soft", "ratio soft"},
		{"flow_beta", o.FlowBeta, o.Ratio == "flow", "ratio flow"},
		{"eta", o.Eta, o.Ratio == "target" || o.Ratio == "delight", "ratio target or delight (1 as published)"},
		{"entropy_delta", o.EntropyDelta, o.EntropyTarget > 0, "entropy_target (TRL: 0.005)"},
		{"repo_min", o.RepoMin, o.RepoTarget > 0, "repo_target (SkyRL: 0.0001)"},
	} {
		if f.needed && f.value <= 0 {
			return params.Errorf(f.name, "got %v, want above 0 with %s", f.value, f.beside)
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

// wholeAlone are the ratios whose loss is of whole sequences, not of single tokens.
var wholeAlone = []string{"sequence", "geometric", "gamma", "flow", "target"}

// isWhole reports whether the ratio has one loss and takes one advantage for a sequence.
func (o *Function) isWhole() bool { return slices.Contains(wholeAlone, o.Ratio) }

// tokenwise returns the first fault of the advantages of tokens, if there are any.
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
	"target":        (*Function).target,
	"delight":       (*Function).delight,
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

// byRatio are the fields that work through ratios alone.
var byRatio = []string{"clip_low", "clip_high", "dual_clip", "ratio", "kl_cov", "kl_cov_coef", "tau_pos", "tau_neg", "log_ratio_coef", "off_policy_mask"}

// ByRatio reports whether a field, at any value, makes no difference to gradients while every
// ratio is 1: before the policy has moved since it sampled, and so at one update a batch. No
// ratio of 1 is clipped, truncated or out of a region, every gate has the slope 1 there, the
// log of 1 has neither absolute value nor square, and its geometric mean over a sequence has
// the slope of the tokens' own. (The ratio sequence is a product, which weighs a sequence by
// its length, and the others of ownSlope are other losses.) The loss itself may be another number.
func (o *Function) ByRatio(field string) bool {
	return slices.Contains(byRatio, field) && (field != "ratio" || !slices.Contains(ownSlope, o.Ratio))
}

// ownSlope are the ratios whose slope is not -A where nothing has moved.
var ownSlope = []string{"sequence", "flow", "target", "delight"}

// usualClip is PPO's, which most methods have.
const usualClip = 0.2

// Unmoved lists the fields of which ByRatio is true and that are in use: those that a
// reader of the settings expects something of. The usual clip is not one of them.
func (o *Function) Unmoved() []string {
	inUse := map[string]bool{
		"clip_low": o.ClipLow > 0 && o.ClipLow != usualClip, "clip_high": o.ClipHigh > 0 && o.ClipHigh != usualClip,
		"dual_clip": o.DualClip > 0, "kl_cov": o.KLCov > 0, "log_ratio_coef": o.LogRatioCoef > 0, "off_policy_mask": o.OffPolicyMask > 0,
		"ratio": o.Ratio != "token" && o.Ratio != "none" && !slices.Contains(ownSlope, o.Ratio),
	}
	return each.Where(byRatio, func(field string) bool { return inUse[field] })
}

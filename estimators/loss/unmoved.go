package loss

import "slices"

// byRatio are the fields that work through ratios alone.
var byRatio = []string{"clip_low", "clip_high", "dual_clip", "ratio", "kl_cov", "kl_cov_coef", "tau_pos", "tau_neg", "log_ratio_coef", "off_policy_mask"}

// ByRatio reports whether a field, at any value, makes no difference to gradients while every
// ratio is 1: before the policy has moved since it sampled, and so at one update a batch. No
// ratio of 1 is clipped, truncated or out of a region, every gate has the slope 1 there, the
// log of 1 has neither absolute value nor square, and its geometric mean over a sequence has
// the slope of the tokens' own. (The ratio sequence is a product, which weighs a sequence by
// its length, and flow is another loss altogether.) The loss itself may be another number.
func (o *Function) ByRatio(field string) bool {
	return slices.Contains(byRatio, field) && (field != "ratio" || o.Ratio != "sequence" && o.Ratio != "flow")
}

// usualClip is PPO's, which most methods have.
const usualClip = 0.2

// Unmoved lists the fields of which ByRatio is true and that are in use: those that a
// reader of the settings expects something of. The usual clip is not one of them.
func (o *Function) Unmoved() []string {
	inUse := map[string]bool{
		"clip_low": o.ClipLow > 0 && o.ClipLow != usualClip, "clip_high": o.ClipHigh > 0 && o.ClipHigh != usualClip,
		"dual_clip": o.DualClip > 0, "kl_cov": o.KLCov > 0, "log_ratio_coef": o.LogRatioCoef > 0, "off_policy_mask": o.OffPolicyMask > 0,
		"ratio": !slices.Contains([]string{"token", "sequence", "none", "flow"}, o.Ratio),
	}
	var out []string
	for _, field := range byRatio {
		if inUse[field] {
			out = append(out, field)
		}
	}
	return out
}

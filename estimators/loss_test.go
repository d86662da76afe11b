package estimators

import "testing"

func TestLossFieldsAreChecked(t *testing.T) {
	for _, c := range []struct {
		method, pair string
		says         []string
	}{
		{"grpo@vpo", "dual_clip=1", []string{"grpo@vpo", `"dual_clip"`, "got 1", "above 1"}},
		{"grpo@vpo", "dual_clip=0.5", []string{`"dual_clip"`, "got 0.5"}},
		{"grpo", "clip_low=1", []string{"method grpo", `"clip_low"`, "below 1"}},
		{"grpo", "clip_low=-0.1", []string{`"clip_low"`, "got -0.1", ">= 0"}},
		{"grpo", "aggregation=mean", []string{`"aggregation"`, "token-mean, seq-mean-token-mean"}},
		{"grpo", "kl=k4", []string{`"kl"`, "k1, k2, k3, k3-ratio, exact"}},
		{"grpo", "ratio=mean", []string{`"ratio"`, "token, sequence, sequence-norm"}},
		{"grpo", "ratio=none", []string{`"ratio"`, "nothing to clip", "clip_low and clip_high 0", "0.2 and 0.2"}},
		{"grpo@vpo", "ratio=importance", []string{`"dual_clip"`, "got 3, want 0", "ratio importance"}},
		{"grpo@sd-e2", "clip_cov=0.1", []string{`"ratio"`, "got sequence, want token", "clip_cov"}},
		{"grpo@sd-e2", "kl_cov=0.1", []string{`"ratio"`, "got sequence, want token", "kl_cov"}},
		{"grpo", "kl_cov=0.1", []string{`"kl_cov"`, "clip_low, clip_high and dual_clip 0", "0.2, 0.2 and 0"}},
		{"kl-cov", "clip_cov=0.1", []string{`"kl_cov"`, "want 0 beside clip_cov"}},
		{"clip-cov", "clip_cov_low=6", []string{`"clip_cov_high"`, "got 5, want above clip_cov_low, 6"}},
		{"clip-cov", "clip_cov_high=1", []string{`"clip_cov_high"`, "got 1, want above clip_cov_low, 1"}},
		{"clip-cov", "clip_cov=1.5", []string{`"clip_cov"`, "from 0 to 1"}},
		{"grpo", "ratio=truncated", []string{`"ratio"`, "bounds the ratio by itself", "0.2 and 0.2"}},
		{"tis@roll", "dual_clip=3", []string{`"dual_clip"`, "got 3, want 0", "ratio truncated"}},
		{"sapo", "tau_pos=0", []string{`"tau_pos"`, "got 0, want above 0"}},
		{"sapo", "tau_neg=0", []string{`"tau_neg"`, "got 0, want above 0"}},
		{"ipo", "clip_low=1", []string{`"clip_low"`, "below 1"}},
		{"gspo", "forking=0.2", []string{`"ratio"`, "got sequence-norm", "beside forking"}},
		{"vespo", "repo=0.1", []string{`"ratio"`, "got gamma", "beside repo"}},
		{"kl-cov", "off_policy_mask=0.1", []string{`"off_policy_mask"`, "clip_cov or kl_cov", "want 0"}},
		{"clip-cov", "forking=0.1", []string{`"forking"`, "clip_cov or kl_cov"}},
		{"grpo", "simko=0.1", []string{`"simko_top"`, "got 0, want 1 or more beside simko"}},
		{"simko", "ratio=sequence-norm", []string{`"ratio"`, "got sequence-norm", "beside simko"}},
		{"simko", "simko_quantile=2", []string{`"simko_quantile"`, "from 0 to 1"}},
		{"flowrl-vargrad", "flow_beta=0", []string{`"flow_beta"`, "got 0, want above 0"}},
		{"flowrl-vargrad", "dual_clip=3", []string{`"dual_clip"`, "ratio flow"}},
		{"flowrl-vargrad", "off_policy_mask=0.1", []string{`"ratio"`, "does not vanish", "beside off_policy_mask"}},
		{"tpo", "eta=0", []string{`"eta"`, "got 0, want above 0", "1 as published"}},
		{"tpo", "clip_high=0.2", []string{`"ratio"`, "got target", "want clip_low and clip_high 0"}},
		{"tpo", "off_policy_mask=0.1", []string{`"ratio"`, "got target", "does not vanish", "beside off_policy_mask"}},
		{"dg", "eta=0", []string{`"eta"`, "got 0, want above 0"}},
		{"dg", "dual_clip=3", []string{`"dual_clip"`, "ratio delight"}},
		{"grpo", "dph_js=0.1", []string{`"dph_rollouts"`, "got 0, want 1 or more beside dph_forward"}},
		{"dph-js", "dph_rollouts=0", []string{`"dph_rollouts"`, "got 0, want 1 or more beside dph_forward"}},
		{"dph-js", "log_ratio_coef=0.1", []string{`"log_ratio_coef"`, "the base policy's: want 0"}},
		{"dph-forward", "div_coef=0.1", []string{`"div_coef"`, "the base policy's: want 0"}},
		{"reinforce++", "kl=k3-ratio", []string{`"kl"`, "no ratio has a gradient", "beside kl_in_reward"}},
		{"dph-alpha", "clip_cov=0.1", []string{`"dph_rollouts"`, "beside clip_cov or kl_cov"}},
		{"grpo", "forking=1.5", []string{`"forking"`, "from 0 to 1"}},
	} {
		wantError(t, change(build(t, c.method), c.pair), c.says...)
	}
	wantError(t, change(build(t, "dph-forward", "kl=k3-ratio"), "kl_coef=0.1"), `"kl"`, "the base policy's: want another divergence")
	for _, pairs := range [][]string{
		{"dual_clip=3", "clip_high=0.28"},                 // VPO's own
		{"ratio=geometric", "clip_low=1.5"},               // a bound of the logarithm
		{"clip_low=0", "clip_high=0", "ratio=none"},       // GPG
		{"clip_high=4", "clip_low=0", "ratio=importance"}, // MiniMax's CISPO
		{"clip_cov=0.01"},                                 // above 0, no upper bound
		{"clip_cov=0.01", "clip_cov_high=3", "clip_cov_low=-1", "dual_clip=3"},
		{"kl_in_reward=true"},                     // nothing without a coefficient
		{"ratio=sequence", "off_policy_mask=0.1"}, // which is about sequences
		{"ratio=token-kl", "dual_clip=3"},         // -A rho grows with the ratio
		{"repo=-0.01", "forking=0.5"},             // REPO's controller lets zeta change its sign
	} {
		build(t, "grpo", pairs...) // fails the test if it is refused
	}
}

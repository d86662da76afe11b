package loss

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/internal/params"
)

// ratioValues are values of the fields that ByRatio is about.
var ratioValues = map[string][]any{
	"clip_low": {0.0, 0.1, 0.2}, "clip_high": {0.0, 0.05, 0.28}, "dual_clip": {0.0, 1.05, 3.0},
	"ratio": {
		"token", "sequence", "sequence-norm", "geometric", "importance", "none", "soft", "truncated", "tapered", "gamma", "flow", "target", "delight",
		"token-tv", "token-kl", "token-move", "importance-tv", "importance-kl",
	},
	"kl_cov": {0.0, 0.2, 1.0}, "kl_cov_coef": {0.0, 0.5, 3.0},
	"tau_pos": {0.3, 1.0, 3.0}, "tau_neg": {0.3, 1.0, 3.0}, "log_ratio_coef": {0.0, 0.1, 2.0}, "off_policy_mask": {0.0, 1e-4, 0.05},
}

// TestByRatio: where nothing has moved since sampling, no value of a field that works
// through ratios makes another gradient, to the bit, and fields not said to do so make
// one. Once the policy has moved, each of them matters to some objective.
func TestByRatio(t *testing.T) {
	sampled, moved := ragged(3), []*Tokens{ragged(1), ragged(2), ragged(6)}
	copy(sampled.Logp, sampled.Old)
	gradient := func(o Function, tokens *Tokens) []float64 {
		lossOf(t, o, tokens)
		return slices.Concat(tokens.DLogp, tokens.DEntropy, tokens.DKL)
	}
	bases := append(objectives(), klCov(0.2, 1), clipCov(0.4, 0, 0))
	for i := range bases {
		bases[i].FlowBeta, bases[i].Eta = 15, 1 // for the ratios flow, target and delight
	}
	matters := map[string]bool{}
	for _, base := range bases {
		for field, values := range ratioValues {
			for _, value := range values {
				o := base
				if err := params.Set(&o, field, value); err != nil {
					t.Fatal(err)
				}
				if o.Check() != nil {
					continue
				}
				same := slices.Equal(gradient(base, sampled), gradient(o, sampled))
				if base.ByRatio(field) && o.ByRatio(field) && !same {
					t.Errorf("%+v: %s = %v has another gradient just after sampling", base, field, value)
				}
				for _, tokens := range moved {
					matters[field] = matters[field] || !slices.Equal(gradient(base, tokens), gradient(o, tokens))
				}
			}
		}
	}
	for field := range ratioValues {
		if !matters[field] {
			t.Errorf("%s: no value made another gradient after a move either", field)
		}
	}
	// Of the product of ratios a sequence's length is the weight.
	product := Function{Ratio: "sequence", Aggregation: "token-mean", KL: "k3"}
	plain := product
	plain.Ratio = "token"
	if product.ByRatio("ratio") || slices.Equal(gradient(product, sampled), gradient(plain, sampled)) {
		t.Error("the ratio of a whole sequence is said to make no difference just after sampling")
	}
	for _, f := range params.Fields(&plain) {
		if _, tried := ratioValues[f.Name]; plain.ByRatio(f.Name) != tried {
			t.Errorf("ByRatio(%q) is %v", f.Name, !tried)
		}
	}
}

func TestUnmoved(t *testing.T) {
	for _, c := range []struct {
		o    Function
		want []string
	}{
		{ppo(0, 0, 0), nil},
		{ppo(.2, .28, 3), []string{"clip_high", "dual_clip"}},
		{Function{Ratio: "none"}, nil},
		{Function{Ratio: "sequence"}, nil},
		{Function{Ratio: "importance", ClipHigh: 4}, []string{"clip_high", "ratio"}},
		{klCov(0.2, 1), []string{"kl_cov"}},
		{Function{Ratio: "soft", TauPos: 1, TauNeg: 1.05}, []string{"ratio"}},
		{Function{Ratio: "importance-tv", ClipLow: .2, ClipHigh: .2, DualClip: 3}, []string{"dual_clip", "ratio"}},
		{Function{Ratio: "token-move", ClipLow: .1, ClipHigh: .1, LogRatioCoef: 1e-3}, []string{"clip_low", "clip_high", "ratio", "log_ratio_coef"}},
		{Function{Ratio: "none", LogRatioCoef: .05}, []string{"log_ratio_coef"}},
		{Function{Ratio: "token", OffPolicyMask: .5, Forking: .2, Repo: .01}, []string{"off_policy_mask"}},
		{clipCov(0.2, 1, 5), nil},
		{Function{Ratio: "flow", FlowBeta: 15, ClipHigh: 9}, []string{"clip_high"}},
		{Function{Ratio: "target", Eta: 1}, nil}, {Function{Ratio: "delight", Eta: 1}, nil},
	} {
		if d := cmp.Diff(c.want, c.o.Unmoved()); d != "" {
			t.Errorf("%+v (-want +got):\n%s", c.o, d)
		}
	}
}

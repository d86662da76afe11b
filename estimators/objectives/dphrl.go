package objectives

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

// DPH-RL (Li et al. 2025, 2509.07430) splits the problems before training. Where four
// rollouts of the base policy are all correct, the reward counts no more: the policy is held
// near a stored answer of the base policy (holdStored in package loss). Other problems learn
// by GRPO without a divergence.
//
// Read in seamoke/DPH-RL at 139a9b2. Its README has eight rollouts; exact_correct_id.py goes by
// four. clip_high is that of scripts/llama, and so is the weight 0.01. For the JS generator the
// README has 0.05 to 0.2, in which the scripts' default is not; 0.1 is taken.
//
// The loss of a stored answer has no gradient where the policy is the base policy. So it holds
// solved answers against the learning of other problems, and if problems share no parameters it
// leaves solved ones as they are.
//
// The advantages are GRPO's. bench audit and bench estimate, which have no stored samples, see
// GRPO.
func init() {
	for i, d := range []struct {
		name, summary      string
		forward, js, alpha float64
	}{
		{"dph-forward", "GRPO that holds to an answer of the base policy if that solves the problem, by the forward KL", 0.01, 0, 0},
		{"dph-js", "the same by the Jensen-Shannon divergence", 0, 0.1, 0},
		{"dph-alpha", "the same by an alpha-divergence, alpha 0.2", 0, 0, 0.01},
	} {
		estimators.Register(estimators.Baselines, 650+10*i, estimators.ZScored(estimators.Method{
			Name: d.name, Summary: d.summary,
			Source: "Li et al. 2025 (2509.07430); seamoke/DPH-RL (2025-09)",
			Loss: loss.Function{
				ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Aggregation: "token-mean", KL: "k3",
				DPHForward: d.forward, DPHJS: d.js, DPHAlpha: d.alpha, DPHRollouts: 4,
			},
		}))
	}
}

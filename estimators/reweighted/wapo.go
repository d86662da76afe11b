package reweighted

import (
	"modebench/estimators"
	"modebench/estimators/loss"
)

// WAPO learns from the rollouts above the group's mean alone (winner advantage policy optimization,
// 2606.16154; layer6ai-labs/wapo at ca70250, verifiers/rl/trainer/orchestrator.py and trainer.py):
//
//	A_i = max(0, r_i - mean r)
//
// With 0/1 rewards a correct rollout has the share of wrong ones. Its expectation given the rollout
// is (N-1)/N (1-p), so that sum_i A_i grad log pi(y_i) / N has the expectation
//
//	(N-1)/N (1-p) grad p = (N-1)/(2N) grad pass@2.
//
// Ratios are cut above 10 (clip_eps 9 of the published settings) and not below. A sequence's loss is
// its sum over tokens over the longest length, as in Dr.GRPO. The code averages over the groups that
// have a rollout above their mean, here over all, so the loss is smaller by the share of such
// groups. A group of one has the advantage 0.
type WAPO struct{ estimators.Groupwise }

func (e *WAPO) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		estimators.Centre(dst, rewards)
		for i, a := range dst {
			dst[i] = max(0, a)
		}
		return nil
	})
}

// wapoTarget is a multiple of pass@2. It is stated for rewards of 0 and 1.
func wapoTarget(i *estimators.Instance, s estimators.TargetSetting) (estimators.Target, error) {
	scores, err := i.Scores(s, s.Weights)
	if err != nil {
		return estimators.Target{}, err
	}
	for _, r := range scores {
		if r != 0 && r != 1 {
			return estimators.Target{Why: "its objective is stated for rewards of 0 and 1"}, nil
		}
	}
	n := float64(s.Group)
	return estimators.Target{
		Name: "pass@2", Terms: []estimators.TargetTerm{{Weight: (n - 1) / (2 * n), Draws: 2, Scores: scores}},
	}, nil
}

func init() {
	estimators.Register(estimators.Reweighted, 120, estimators.Method{
		Name: "wapo", Summary: "centred rewards above 0 alone: rollouts below the group's mean are left out", Trains: true,
		Source:    "WAPO 2026 (2606.16154); layer6ai-labs/wapo (2026-06)",
		Estimator: estimators.From(WAPO{}),
		Loss:      loss.Function{ClipHigh: 9, Ratio: "token", Aggregation: "seq-mean-token-sum-norm", KL: "k3"},
		Properties: estimators.Properties{
			ShiftInvariant: true, Scale: estimators.Linear, Why: "differences of rewards, those below 0 left out",
		},
		Target: wapoTarget,
	})
}

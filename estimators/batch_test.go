package estimators

import (
	"testing"

	"modebench/envs"
)

func TestNeedsCheckCountsTrainedRollouts(t *testing.T) {
	g := groupOf([]float64{1, 0, 1, 0}, "ABCD")
	b := batchOf(groupOf([]float64{1, 0, 1, 0}, "ABCD"), g)
	needs := build(t, "poly-epo", "n=4").Estimator.Requirements()
	if err := needs.Check(b); err != nil {
		t.Errorf("four rollouts for n = 4: %v", err)
	}
	g.Rollouts[2].Train = false
	wantError(t, needs.Check(b), "group 1", `"p"`, "3 rollouts to train on, want at least 4")
}

func TestNeedsCheckEnv(t *testing.T) {
	needs := build(t, "setpo+grpo").Estimator.Requirements()
	if err := needs.CheckEnv(envs.HasReward|envs.HasEmbedding, 16, 3, 1); err != nil {
		t.Errorf("all that is needed is there: %v", err)
	}
	wantError(t, needs.CheckEnv(envs.HasAll, 16, 2, 1), "at least 3 rollouts, got 2")
	wantError(t, needs.CheckEnv(envs.HasReward, 16, 8, 1), "needs embedding")
	wantError(t, needs.CheckEnv(envs.HasMode, 16, 8, 1), "needs reward and embedding")
	wantError(t, needs.CheckEnv(envs.HasAll, 16, 8, 3), "exactly one candidate, got 3")
	if err := build(t, "vpo").Estimator.Requirements().CheckEnv(envs.HasReward, 16, 8, 3); err != nil {
		t.Errorf("vpo takes chains: %v", err)
	}
	wantError(t, build(t, "max-at-k").Estimator.Requirements().CheckEnv(envs.HasReward, 16, 4, 1), "at least 5 rollouts, got 4")
}

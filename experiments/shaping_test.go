package experiments_test

import (
	"testing"

	"modebench/experiments/analysis"
	"modebench/experiments/internal/exptest"
)

// TestShapingTrains: a bonus for rare modes keeps modes alive that GRPO loses, and
// the recorded reward stays the true reward.
func TestShapingTrains(t *testing.T) {
	spec := exptest.Load(t, "my.toml", `
seeds = 2
columns = ["reward", "correct_modes_alive"]
[env]
name = "bandit"
[train]
steps = 1500
[[method]]
name = "grpo"
shaping = ["", "reward * (1 + 1 / same(group.mode, mode))"]
`)
	rows, err := analysis.SummaryRows(t.Context(), runSpec(t, spec, t.TempDir(), 2))
	if err != nil {
		t.Fatal(err)
	}
	var alive, reward []float64
	for _, row := range rows {
		reward = append(reward, row.Cells[0].Interval.Mean)
		alive = append(alive, row.Cells[1].Interval.Mean)
	}
	if alive[1] <= alive[0] || reward[1] > 1 {
		t.Errorf("alive %v, reward %v: want more modes with the bonus, and rewards of at most 1", alive, reward)
	}
}

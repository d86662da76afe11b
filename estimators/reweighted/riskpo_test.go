package reweighted_test

import (
	"bytes"
	"testing"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/reweighted"
	"modebench/internal/testkit"
)

// prompts is a batch with these rewards.
func prompts(rewards ...[]float64) *estimators.Batch {
	b := &estimators.Batch{Weights: []float64{1}, CandidateFields: envs.HasAll}
	for _, own := range rewards {
		var g estimators.Group
		for _, r := range own {
			g.Rollouts = append(g.Rollouts, estimators.Rollout{Train: true, Candidates: []*envs.Verdict{{Reward: []float64{r}}}})
		}
		b.Groups = append(b.Groups, g)
	}
	return b
}

// TestTrackedQuantiles follows the quantiles over steps, each with the state of the one before.
// Expected are those of all scores at first, and then shares of scores below them, by hand.
func TestTrackedQuantiles(t *testing.T) {
	fresh := func() *reweighted.RiskPO {
		return &reweighted.RiskPO{Bundle: 2, Low: 0.25, High: 0.75, Rate: 0.1}
	}
	e := fresh()
	for _, s := range []struct {
		batch *estimators.Batch
		want  string
	}{
		{prompts([]float64{0, 1}, []float64{0, 0}, []float64{2, 3}), `{"Low":0.75,"High":2.25}`}, // of 0, 1, 2 and 3
		{prompts([]float64{0, 0}, nil, []float64{3, 3}), `{"Low":0.725,"High":2.275}`},           // half of the scores are below both
		{prompts(nil), `{"Low":0.725,"High":2.275}`},                                             // there are no scores
	} {
		if err := e.Remember(s.batch); err != nil {
			t.Fatal(err)
		}
		var state bytes.Buffer
		if err := e.Save(&state); err != nil || state.String() != s.want {
			t.Errorf("the state is %s, want %s (%v)", &state, s.want, err)
		}
		e = fresh()
		if err := e.Load(&state); err != nil {
			t.Fatal(err)
		}
	}
	b := prompts([]float64{0, 1, 2, 5})
	dst := estimators.NewAdvantages(b)
	if err := e.Advantages(dst, b); err != nil {
		t.Fatal(err)
	}
	sd2 := 14. / 3 // of the rewards, which are the scores
	testkit.Near(t, "with the quantiles of other steps", dst[0], []float64{-1.55 / .5 / sd2, -1.275 / .5 / sd2, -.275 / .5 / sd2, 0}, 1e-15)
}

// TestRiskPORefuses: sums that overflow, and fields by which it would divide by 0.
func TestRiskPORefuses(t *testing.T) {
	e := &reweighted.RiskPO{Bundle: 2, Low: 0.2, High: 0.8, Weight: 1.5, Epsilon: 1e-6}
	b := prompts([]float64{1.7e308, 0}, []float64{1.7e308, 0})
	testkit.WantError(t, e.Advantages(estimators.NewAdvantages(b), b), "overflow")
	e.Low, e.Epsilon = 0, 0
	testkit.WantError(t, e.Check(), "epsilon 0")
	e.Low = 0.8
	testkit.WantError(t, e.Check(), "more than low")
	if e.Remembers() {
		t.Error("at rate 0 it remembers")
	}
}

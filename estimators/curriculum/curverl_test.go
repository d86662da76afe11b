package curriculum_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/curriculum"
	"modebench/internal/testkit"
)

// step is a batch of groups of four, with that many correct rollouts each.
func step(correct ...int) *estimators.Batch {
	b := &estimators.Batch{Weights: []float64{1}, CandidateFields: envs.HasAll}
	for _, c := range correct {
		var g estimators.Group
		for i := range 4 {
			g.Rollouts = append(g.Rollouts, estimators.Rollout{Train: true, Candidates: []*envs.Verdict{{Reward: []float64{0}, Correct: i < c}}})
		}
		b.Groups = append(b.Groups, g)
	}
	return b
}

// weights are the differences of a correct rollout's advantage and a wrong one's.
func weights(t *testing.T, e *curriculum.CurveRL, b *estimators.Batch) (out []float64) {
	t.Helper()
	dst := estimators.NewAdvantages(b)
	if err := e.Advantages(dst, b); err != nil {
		t.Fatal(err)
	}
	for _, own := range dst {
		out = append(out, own[0]-own[3])
	}
	return out
}

// TestWindow follows the weights over steps. Expected are f / F of the counts of the steps before,
// by hand.
func TestWindow(t *testing.T) {
	e := &curriculum.CurveRL{Window: 2}
	for i, s := range []struct {
		batch *estimators.Batch
		want  []float64
	}{
		{step(1, 2, 4, 0), []float64{1, 1. / 2, 0, 0}}, // its own reference
		{step(3, 1), []float64{0, 1}},                  // 3 of 4 was never seen
		{step(3, 2, 1), []float64{1. / 4, 1. / 3, 1}},  // one of each but 1 of 4, of which there are two
		{step(1, 3), []float64{1, 2. / 5}},             // the first step is forgotten
	} {
		testkit.Near(t, "weights", weights(t, e, s.batch), s.want, 1e-15)
		var before, after bytes.Buffer
		if err := e.Save(&before); err != nil {
			t.Fatal(err)
		}
		if (before.Len() == 0) != (i == 0) {
			t.Errorf("step %d: the state is %q", i, before.String())
		}
		e = &curriculum.CurveRL{Window: 2}
		if err := e.Load(bytes.NewReader(before.Bytes())); err != nil {
			t.Fatal(err)
		}
		if err := e.Save(&after); err != nil || !slices.Equal(before.Bytes(), after.Bytes()) {
			t.Errorf("step %d: a state that was loaded is saved as %q, want %q (%v)", i, after.String(), before.String(), err)
		}
		if err := e.Remember(s.batch); err != nil {
			t.Fatal(err)
		}
	}
	if alone := (&curriculum.CurveRL{}); alone.Remembers() {
		t.Error("without a window it remembers")
	}
}

func TestWindowOfOtherSteps(t *testing.T) {
	for _, c := range []struct{ state, says string }{
		{`[[{"Correct":4,"Rollouts":4}]]`, "step 0: got 4 correct rollouts of 4"},
		{`[[],[],[]]`, "got 3 steps, want at most window, 2"},
		{`[[{"Right":1}]]`, "Right"},
	} {
		e := &curriculum.CurveRL{Window: 2}
		testkit.WantError(t, e.Load(strings.NewReader(c.state)), c.says)
		testkit.Near(t, "after an error", weights(t, e, step(3)), []float64{1}, 1e-15)
	}
}

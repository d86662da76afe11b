package sets

import (
	"strings"
	"testing"

	"modebench/envs"
	"modebench/estimators"
)

// TestStatedTargets: the targets that a plug-in may state.
func TestStatedTargets(t *testing.T) {
	setting := estimators.TargetSetting{Group: 4, Candidates: 1, Weights: []float64{1}}
	for _, r := range groupOf([]float64{1, 0.25, 0, 0.5}, "AABC").Rollouts {
		setting.Answers = append(setting.Answers, r.Candidates[0])
	}
	m := build(t, "grpo")
	for _, c := range []struct {
		text, name string
		draws      int
		err        string
	}{
		{"reward", "reward", 1, ""},
		{"pass@8", "pass@8", 8, ""},
		{"max@3", "max@3", 3, ""},
		{"polychromic over 4", "polychromic of 4", 4, ""},
		{"mean(reward) * distinct(mode) / n over 3", "mean(reward) * distinct(mode) / n over 3", 3, ""},
		{"", "", 0, ""},
		{"pass@0", "", 0, "is not one of reward, pass@K, max@K, EXPRESSION over N"},
		{"rewards", "", 0, "is not one of reward"},
		{"mean(reward) over", "", 0, "is not one of reward"},
		{"mean(rewrad) over 3", "", 0, "rewrad"},
		{"mean(reward) over 0", "", 0, "is not one of reward"},
	} {
		target, err := StatedTarget(m, setting, c.text)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: %v, want %q", c.text, err, c.err)
			}
		case err != nil || target.Name != c.name || c.draws > 0 && target.Terms[0].Draws != c.draws || c.draws == 0 && target.Why == "":
			t.Errorf("%q: %+v, %v", c.text, target, err)
		}
	}
}

// FuzzStatedTarget: any text is a target or an error.
func FuzzStatedTarget(f *testing.F) {
	for _, text := range []string{"reward", "pass@8", "max@99999999", "mean(reward) over 3", "over 3", "1 over 0003", "a\nover 2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := build(t, "grpo")
		v := &envs.Verdict{Reward: []float64{1}, Correct: true, Mode: "m"}
		target, err := StatedTarget(m, estimators.TargetSetting{Group: 4, Candidates: 1, Weights: []float64{1}, Answers: []*envs.Verdict{v, v}}, text)
		if err == nil && (target.Name == "") == (target.Why == "") {
			t.Errorf("%q: %+v", text, target)
		}
	})
}

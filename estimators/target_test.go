package estimators

import (
	"fmt"
	"slices"
	"testing"

	"modebench/envs"
)

// settingOf is the world of the theory tests as the setting of a target.
func settingOf(w *world, group, candidates int) TargetSetting {
	return TargetSetting{Group: group, Candidates: candidates, Weights: []float64{1}, Answers: w.verdicts}
}

// everyDraw visits every way to draw n answers, as counts and as the answers in order.
func everyDraw(w *world, n int, visit func(counts []int, arms []int)) {
	w.each(n, func(arms []int, _ float64) {
		counts := make([]int, len(w.verdicts))
		for _, a := range arms {
			counts[a]++
		}
		visit(counts, arms)
	})
}

// TestEveryMethodHasATarget: a formula, or a reason.
func TestEveryMethodHasATarget(t *testing.T) {
	w := newWorld(t, 3, false)
	for _, v := range w.verdicts { // MaxRL's claim is about rewards of 0 and 1
		v.Reward = []float64{Indicator(v.Correct)}
	}
	claims := 0
	for _, m := range Methods() {
		if !m.Trains {
			continue
		}
		target, err := m.New().Target(settingOf(w, 8, m.Candidates))
		switch {
		case err != nil:
			t.Errorf("%s: %v", m.Name, err)
		case m.Target == nil:
			t.Errorf("%s: no Target in the registry", m.Name)
		case (target.Name == "") != (len(target.Terms) == 0) || (target.Name == "") == (target.Why == ""):
			t.Errorf("%s: %d terms under the name %q, because %q", m.Name, len(target.Terms), target.Name, target.Why)
		case target.Name != "":
			claims++
		}
	}
	if claims < 40 {
		t.Errorf("%d methods claim something, want the supervised ones", claims)
	}
}

// TestWorthOfSets holds worths over counts against those over lists, which other tests
// of this package have.
func TestWorthOfSets(t *testing.T) {
	for _, invalid := range []bool{false, true} {
		w := newWorld(t, 2, invalid)
		w.verdicts[0].Correct = false // beside a correct arm of its mode
		for _, c := range []struct {
			method string
			set    []string
			term   int
			group  int
			of     func([]*envs.Verdict) float64
		}{
			{"poly-epo", []string{"n=3"}, 0, 4, polychromic},
			{"set-rl", []string{"n=3", "objective=mean(reward) * distinct(mode) / n"}, 0, 4, polychromic},
			{"set-rl", []string{"n=3", "objective=distinct-correct"}, 0, 4, func(vs []*envs.Verdict) float64 {
				var seen []envs.Mode
				for _, v := range vs {
					if v.Correct && !slices.Contains(seen, v.Mode) {
						seen = append(seen, v.Mode)
					}
				}
				return float64(len(seen)) / float64(len(vs))
			}},
			{"setpo+grpo", []string{"lambda=3"}, 1, 4, func(vs []*envs.Verdict) float64 {
				vs = slices.DeleteFunc(slices.Clone(vs), func(v *envs.Verdict) bool { return v.Embedding == nil })
				if len(vs) < 3 {
					return 0
				}
				return spreadOf(vs)
			}},
			{"grpo-div", nil, 1, 4, func(vs []*envs.Verdict) float64 { // the mean of d_i
				total := 0.0
				for _, v := range vs {
					same := 0
					for _, o := range vs {
						same += int(Indicator(o.Mode == v.Mode))
					}
					if v.Mode != envs.Degenerate {
						total += (float64(len(vs))/float64(same) - 1) / float64(len(vs)-1)
					}
				}
				return total / float64(len(vs))
			}},
			{"darling", nil, 0, 4, func(vs []*envs.Verdict) float64 { return worthByRarity(vs, vs) }},
			{"darling", []string{"partition=correct"}, 0, 4, func(vs []*envs.Verdict) float64 {
				return worthByRarity(vs, slices.DeleteFunc(slices.Clone(vs), func(v *envs.Verdict) bool { return !v.Correct }))
			}},
			{"grpo", []string{"shaping=reward * 2 + 1"}, 0, 3, func(vs []*envs.Verdict) float64 { return 2*meanReward(vs) + 1 }},
		} {
			target, err := build(t, c.method, c.set...).Target(settingOf(w, c.group, 1))
			if err != nil || len(target.Terms) <= c.term {
				t.Fatalf("%s: %+v, %v", c.method, target, err)
			}
			term := target.Terms[c.term]
			everyDraw(w, term.Draws, func(counts, arms []int) {
				got, err := term.Worth(counts)
				if err != nil {
					t.Fatal(err)
				}
				near(t, fmt.Sprint(c.method, c.set, arms), []float64{got}, []float64{c.of(w.pick(arms))}, 1e-12)
			})
		}
	}
}

// worthByRarity is the mean of the rewards, each times the share of the other counted answers
// that are of another mode, or 0.1 if that is more.
func worthByRarity(vs, counted []*envs.Verdict) float64 {
	total := 0.0
	for _, v := range vs {
		others, different := len(counted)-1, 0
		for _, o := range counted {
			different += int(Indicator(o.Mode != v.Mode))
		}
		if v.Mode == envs.Degenerate {
			different = others
		}
		share := 0.1
		if others > 0 && slices.Contains(counted, v) {
			share = max(share, float64(different)/float64(others))
		}
		total += share * v.Reward[0]
	}
	return total / float64(len(vs))
}

// TestNamesAndWeightsOfTargets: the effect of fields and group size.
func TestNamesAndWeightsOfTargets(t *testing.T) {
	w := newWorld(t, 2, false)
	binary := newWorld(t, 2, false)
	for _, v := range binary.verdicts {
		v.Reward = []float64{Indicator(v.Correct)}
	}
	for _, c := range []struct {
		w      *world
		method string
		set    []string
		group  int
		name   string
		draws  []int
		weight []float64
	}{
		{w, "grpo", nil, 4, "reward", []int{1}, []float64{1}},
		{w, "pkpo", []string{"k=3"}, 4, "max@3", []int{3}, []float64{1}},
		{w, "passk-training", []string{"k=2"}, 4, "pass@2", []int{2}, []float64{1}},
		{w, "setpo+grpo", []string{"lambda=0.5"}, 4, "reward+0.5 D/N", []int{1, 4}, []float64{1, 0.125}},
		{w, "multi-rlvr", nil, 4, "best of 3", []int{3}, []float64{1}},
		{w, "maxrl", nil, 4, "", nil, nil},
		{w, "psr", nil, 4, "pass@1", []int{1}, []float64{1}},
		{w, "w-reinforce", []string{"positive=0.25"}, 4, "pass@1", []int{1}, []float64{1.25}},
		{w, "grpo-passk", nil, 4, "max@4", []int{4}, []float64{1}},
		{w, "rs-grpo", nil, 4, "", nil, nil},
		{w, "rs-grpo", []string{"beta=0"}, 4, "reward", []int{1}, []float64{1}},
		{w, "darling", nil, 4, "reward x rarity", []int{4}, []float64{1}},
		{w, "darling", nil, 1, "", nil, nil},
		{binary, "maxrl", nil, 4, "pass@k/k to 3", []int{1, 2, 3}, []float64{1, 0.5, 1. / 3}},
		{binary, "maxrl", []string{"fidelity=paper"}, 2, "pass@k/k to 2", []int{1, 2}, []float64{1, 0.5}},
		{w, "poly-epo", []string{"shaping=reward"}, 8, "", nil, nil},
		{w, "ttrl", nil, 8, "", nil, nil},
	} {
		target, err := build(t, c.method, c.set...).Target(settingOf(c.w, c.group, 3))
		var draws []int
		var weights []float64
		for _, term := range target.Terms {
			draws, weights = append(draws, term.Draws), append(weights, term.Weight)
		}
		if err != nil || target.Name != c.name || !slices.Equal(draws, c.draws) || !slices.Equal(weights, c.weight) {
			t.Errorf("%s %v: %q, draws %v, weights %v, %v", c.method, c.set, target.Name, draws, weights, err)
		}
	}
	target, err := build(t, "grpo", "scalarisation=reward * 3").Target(settingOf(w, 4, 1))
	if err != nil {
		target, err = build(t, "grpo", "scalarisation=vector[0] * 3").Target(settingOf(w, 4, 1))
	}
	if err != nil || target.Terms[0].Scores[0] != 3*w.verdicts[0].Reward[0] {
		t.Errorf("a scalarisation: %+v, %v", target, err)
	}
}

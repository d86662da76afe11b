package sets

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"modebench/estimators"
	"modebench/estimators/internal/batchtest"
)

// expressed are the named objectives as expressions.
var expressed = map[string]string{
	"polychromic":      "mean(reward) * distinct(mode) / n",
	"polychromic-ppo":  "distinct(mode) < 2 ? 0 : mean(reward) * distinct(mode) / n",
	"polychromic-max":  "max(reward) * distinct(mode) / n",
	"mean":             "mean(reward)",
	"max":              "max(reward)",
	"min":              "min(reward)",
	"distinct":         "distinct(mode) / n",
	"distinct-correct": `distinct(map(mode, correct[#index] ? # : "")) / n`,
	"pass":             "any(correct, #)",
	"all":              "all(correct, #)",
	"majority":         "2 * count(correct) > n",
}

// TestExpressionsEqualNames: over all sets in exact fractions, and over drawn ones as
// the named objective has them; groups of several sizes follow each other, with
// rollouts that only vote among them.
func TestExpressionsEqualNames(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 20))
	for _, name := range setObjectiveNames() {
		t.Run(name, func(t *testing.T) {
			e := build(t, "set-rl", "objective="+expressed[name]).Estimator.(*SetRL)
			for step := range 120 {
				size := 2 + r.IntN(7)
				q, rewards := mixed(r, size, step)
				modes := randomModes(r, size, step)
				e.N, e.Sets = 1+r.IntN(size), 0
				at := fmt.Sprintf("N=%d n=%d %v %s", size, e.N, rewards, modes)
				near(t, at, ofGroup(t, e, groupOf(rewards, modes)), exactMarginal(name, q, modes, e.N), 1e-12)
				e.Sets = 1 + r.IntN(30)
				g := groupOf(rewards, modes)
				voter := g.Rollouts[0]
				voter.Train = false
				g.Rollouts = slices.Insert(g.Rollouts, r.IntN(size+1), voter)
				near(t, at+" drawn", ofGroup(t, e, g), ofGroup(t, &SetRL{Objective: name, N: e.N, Sets: e.Sets}, g), 1e-12)
			}
		})
	}
}

// TestExpressionEqualsPolyEPO: the case everybody tries first, at the paper's size, and
// above the bound on listed sets, where as many are drawn.
func TestExpressionEqualsPolyEPO(t *testing.T) {
	b := batchtest.Sample(50, 8, 0)
	got := advantages(t, build(t, "set-rl", "objective="+expressed["polychromic"]).Estimator, b)
	want := advantages(t, build(t, "poly-epo").Estimator, b)
	for g := range got {
		near(t, fmt.Sprint("group ", g), got[g], want[g], 1e-12)
	}
	large := batchtest.Sample(1, 20, 0)
	drawn := build(t, "set-rl", "n=10", fmt.Sprint("sets=", maxListed)).Estimator
	near(t, "drawn", advantages(t, build(t, "set-rl", "n=10", "objective="+expressed["polychromic"]).Estimator, large)[0], advantages(t, drawn, large)[0], 1e-12)
}

// TestExpressionOrder: lists are in rollout order.
func TestExpressionOrder(t *testing.T) {
	e := build(t, "set-rl", "n=2", "objective=reward[0] + 10 * tokens[1] + 100 * vector[1][0]").Estimator
	g := groupOf([]float64{1, 2, 4}, "ABC")
	for i := range g.Rollouts {
		g.Rollouts[i].Tokens, g.Rollouts[i].Penalty = i, 0.5
	}
	// {0,1}: .5+10+200, {0,2}: .5+20+400, {1,2}: 1.5+20+400.
	f := []float64{210.5, 420.5, 421.5}
	mean := sum(f) / 3
	near(t, "by hand", ofGroup(t, e, g), []float64{(f[0]+f[1])/2 - mean, (f[0]+f[2])/2 - mean, (f[1]+f[2])/2 - mean}, 1e-12)
}

// TestExpressionTargetOfAnswers: answers on their own are worth what they are as a set of rollouts.
func TestExpressionTargetOfAnswers(t *testing.T) {
	g := groupOf([]float64{1, 0.5, 0, 0.25}, "AAB-")
	s := estimators.TargetSetting{Weights: []float64{2}}
	for _, r := range g.Rollouts {
		s.Answers = append(s.Answers, r.Candidates[0])
	}
	e := build(t, "set-rl", "objective="+expressed["polychromic"]).Estimator.(*SetRL)
	worth := expressionTarget(e, "f", s).Terms[0].Worth
	got, err := worth([]int{1, 1, 1, 1})
	if want := 3.5 / 4 * 2 / 4; err != nil || got != want {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	e.Objective = "mean(tokens)"
	_, err = worth([]int{1, 1, 1, 1})
	wantError(t, err, "tokens", "no length")
}

// TestTrialOfLargeSets: it takes no time or memory that grows with n, and refuses no
// member that a set of n has.
func TestTrialOfLargeSets(t *testing.T) {
	for _, objective := range []string{"mean(reward) * distinct(mode) / n", "reward[1000] + reward[n-1]", "vector[1000][1]", "sum(map(reward, let a = #; max(map(reward, abs(# - a)))))"} {
		i := build(t, "set-rl", "n=100000000", "objective="+objective)
		if err := i.Try(2); err != nil {
			t.Errorf("%s: %v", objective, err)
		}
		if x := i.Estimator.(*SetRL).written; len(x.set.Reward) > maxTried || len(x.group.Reward) > maxTried {
			t.Errorf("%s: a set of %d", objective, len(x.set.Reward))
		}
	}
	wantError(t, build(t, "set-rl", fmt.Sprint("n=", maxTried), fmt.Sprint("objective=vector[", maxTried, "][0]")).Try(2), "index out of range")
	wantError(t, change(build(t, "set-rl", "n=100000000"), "objective=mean(map(mode, #))"), "entry 0 is a text")
}

// TestObjectiveMistakes: names are listed to whoever may have meant one.
func TestObjectiveMistakes(t *testing.T) {
	names := strings.Join(setObjectiveNames(), ", ")
	for text, want := range map[string]string{
		"mean(reward) * distinct(mod) / n": `method set-rl: field "objective": column 25: unknown name mod in "mean(reward) * distinct(mod) / n" (did you mean mode? known: reward, correct, valid, mode, answer, tokens, vector, n)`,
		"polychrome":                       `method set-rl: field "objective": "polychrome" is not one of ` + names + `, and no expression: column 1: unknown name polychrome in "polychrome" (known: reward, correct, valid, mode, answer, tokens, vector, n)`,
	} {
		if err := change(build(t, "set-rl"), "objective="+text); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// BenchmarkExpression: Poly-EPO's objective as an expression at N=8 and n=4, all 70
// sets, beside the closed form.
func BenchmarkExpression(b *testing.B) {
	batch := batchtest.Sample(128, 8, 0)
	var closed float64
	b.Run("poly-epo", func(b *testing.B) { closed = perGroup(b, &PolyEPO{N: 4}, batch) })
	for _, name := range []string{"polychromic", "distinct-correct", "pass"} {
		b.Run(name, func(b *testing.B) {
			ns := perGroup(b, build(b, "set-rl", "objective="+expressed[name]).Estimator, batch)
			b.ReportMetric(ns/closed, "x-slower")
		})
	}
}

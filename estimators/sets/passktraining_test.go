package sets

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/internal/setstest"
)

// partlyCorrect is a group of which the first c of n are correct; rewards differ from that.
func partlyCorrect(n, c int) estimators.Group {
	g := groupOf(make([]float64, n), "")
	for i := range g.Rollouts {
		g.Rollouts[i].Candidates[0].Correct = i < c
		g.Rollouts[i].Candidates[0].Reward[0] = float64(i)
	}
	return g
}

// TestPassKTrainingEqualsItsDefinition by all sets: a set's reward is 1 if any is
// correct; the advantage of a set is its reward less the mean, over the deviation;
// that of a rollout the mean over its sets.
func TestPassKTrainingEqualsItsDefinition(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for c := 0; c <= n; c++ {
			for k := 1; k <= n; k++ {
				held, holds, any, all := make([]float64, n), make([]float64, n), 0.0, 0.0
				eachSet(n, k, func(set []int) {
					all++
					x := 0.0
					if set[0] < c {
						x = 1
					}
					any += x
					for _, i := range set {
						held[i] += x
						holds[i]++
					}
				})
				rho := any / all
				want := make([]float64, n)
				sd := math.Sqrt(rho * (1 - rho))
				for i := range want {
					want[i] = (held[i]/holds[i] - rho) / (sd + 1e-6)
				}
				at := fmt.Sprintf("N=%d c=%d k=%d", n, c, k)
				got := ofGroup(t, build(t, "passk-training", fmt.Sprint("k=", k)).Estimator, partlyCorrect(n, c))
				near(t, at, got, want, 1e-12)
				// Times the deviation it is the marginal set advantage of pass@k.
				for i := range got {
					got[i] *= sd + 1e-6
				}
				near(t, at+", unnormalised", got, ofGroup(t, &SetRL{Objective: "pass", N: k}, partlyCorrect(n, c)), 1e-12)
				near(t, at+", sum", []float64{sum(got)}, []float64{0}, 1e-12)
			}
		}
	}
}

// TestPassKTrainingOfLargeGroups from binomials in big integers.
func TestPassKTrainingOfLargeGroups(t *testing.T) {
	for _, v := range []struct{ n, c, k int }{{64, 5, 8}, {1024, 1, 512}, {1024, 3, 512}, {1024, 512, 2}, {1024, 100, 16}} {
		wrong := v.n - v.c
		failed, missed := setstest.Chance(wrong, v.k, v.n), setstest.Chance(wrong-1, v.k-1, v.n-1)
		sd := math.Sqrt(failed * (1 - failed))
		got := ofGroup(t, build(t, "passk-training", fmt.Sprint("k=", v.k)).Estimator, partlyCorrect(v.n, v.c))
		near(t, fmt.Sprint(v), []float64{got[0], got[v.n-1]}, []float64{failed / (sd + 1e-6), (failed - missed) / (sd + 1e-6)}, 1e-12)
	}
}

// TestPassKTrainingReadsCorrectness and nothing else.
func TestPassKTrainingReadsCorrectness(t *testing.T) {
	e := build(t, "passk-training", "k=2").Estimator
	g := partlyCorrect(5, 2)
	want := ofGroup(t, e, g)
	for i := range g.Rollouts {
		g.Rollouts[i].Candidates[0].Reward = []float64{math.NaN()}
		g.Rollouts[i].Penalty = float64(i)
	}
	near(t, "other rewards", ofGroup(t, e, g), want, 0)
	if needs := e.Requirements(); needs.CandidateFields != envs.HasCorrect || !needs.NoPenalty {
		t.Errorf("needs %v", needs)
	}
	b := batchOf(partlyCorrect(5, 2))
	b.Groups[0].Rollouts[3].Candidates = slices.Repeat(b.Groups[0].Rollouts[3].Candidates, 2)
	wantError(t, e.Advantages(estimators.NewAdvantages(b), b), "group 0", "rollout 3", "2 candidates")
}

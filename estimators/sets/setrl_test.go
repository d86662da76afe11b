package sets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"modebench/estimators"
)

// TestNamesOfObjective: every objective there is has a definition in these tests and
// an explanation in the field's description.
func TestNamesOfObjective(t *testing.T) {
	var names []string
	field, _ := build(t, "set-rl").Field("objective")
	for _, f := range setObjectives {
		names = append(names, f.name)
		if !strings.Contains(field.Doc, f.name) || exactly[f.name] == nil {
			t.Errorf("objective %s is not explained, or has no definition in this test", f.name)
		}
	}
	if len(exactly) != len(names) {
		t.Errorf("%d definitions of the objectives %v", len(exactly), names)
	}
}

// TestSetRLEqualsEnumeration for every objective, in exact fractions.
func TestSetRLEqualsEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	for _, f := range setObjectives {
		t.Run(f.name, func(t *testing.T) {
			e := &SetRL{Objective: f.name}
			for size := 1; size <= 9; size++ {
				for n := 1; n <= size; n++ {
					for kind := range 6 {
						q, rewards := mixed(r, size, kind)
						modes := randomModes(r, size, kind)
						e.N = n
						got := ofGroup(t, e, groupOf(rewards, modes))
						near(t, fmt.Sprintf("N=%d n=%d %v %s", size, n, rewards, modes), got, exactMarginal(f.name, q, modes, n), 1e-12)
					}
				}
			}
			for _, n := range []int{3, 6, 11} {
				q, rewards := mixed(r, 12, n)
				modes := randomModes(r, 12, 3)
				e.N = n
				near(t, fmt.Sprintf("N=12 n=%d", n), ofGroup(t, e, groupOf(rewards, modes)), exactMarginal(f.name, q, modes, n), 1e-12)
			}
		})
	}
}

// TestSetRLKeepsNoOldTable: one estimator meets groups of several sizes, and its fields
// may be set between batches.
func TestSetRLKeepsNoOldTable(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 12))
	e, objectives := &SetRL{}, setObjectives
	for range 300 {
		size := 2 + r.IntN(6)
		q, rewards := mixed(r, size, r.IntN(3))
		modes := randomModes(r, size, r.IntN(6))
		e.Objective, e.N = objectives[r.IntN(len(objectives))].name, 1+r.IntN(size)
		near(t, fmt.Sprintf("%s N=%d n=%d", e.Objective, size, e.N), ofGroup(t, e, groupOf(rewards, modes)), exactMarginal(e.Objective, q, modes, e.N), 1e-12)
	}
}

// TestSetRLErrors: the sets have to fit, and the fields have to be objectives.
func TestSetRLErrors(t *testing.T) {
	b := batchOf(groupOf([]float64{1, 0}, "AB"))
	for _, c := range [][]string{
		{"set-rl", "set size n = 4", "at most the 2 rollouts"},
		{"pass-n", "set size n = 4", "at most the 2 rollouts"},
		{"pkpo", "k = 4", "at most the 2 rollouts"},
		{"passk-training", "k = 4", "at most the 2 rollouts"},
		{"max-at-k", "k = 4", "at most the 2 rollouts"},
	} {
		wantError(t, build(t, c[0]).Estimator.Advantages(estimators.NewAdvantages(b), b), append(c[1:], "group 0")...)
	}
	instance := build(t, "set-rl")
	wantError(t, change(instance, "objective=best"), "method set-rl", `field "objective"`, `"best" is not one of polychromic, polychromic-ppo`, "column 1: unknown name best", "known: reward")
	wantError(t, instance.SetText("sets=-1"), `"sets"`, "from 0 to 65536")
	// An estimator made by hand.
	wantError(t, (&SetRL{Objective: "best", N: 1}).Advantages(estimators.NewAdvantages(b), b), `"best"`)
	chain := batchOf(groupOf([]float64{1, 0}, "AB"))
	chain.Groups[0].Rollouts[1].Candidates = slices.Repeat(chain.Groups[0].Rollouts[1].Candidates, 2)
	wantError(t, build(t, "set-rl", "n=1", "objective=pass").Estimator.Advantages(estimators.NewAdvantages(chain), chain), "group 0", "rollout 1", "2 candidates")
}

// TestSetRLRequirements: an objective requires its own inputs and no more.
func TestSetRLRequirements(t *testing.T) {
	for name, want := range map[string]string{
		"polychromic": "reward mode", "mean": "reward", "max": "reward", "distinct": "mode",
		"distinct-correct": "correct mode", "pass": "correct", "majority": "correct",
	} {
		needs := build(t, "set-rl", "objective="+name).Estimator.Requirements()
		if got := strings.Join(needs.CandidateFields.Names(), " "); got != want || needs.MinGroup != 4 || needs.TrainGroup != 5 {
			t.Errorf("%s reads %s of groups of %d", name, got, needs.MinGroup)
		}
	}
}

// TestPassNOfPopulation: over the expected group of a policy that is right with chance p, the
// advantages are those of Poly-EPO sec. 5.1, (1-p)^n where right and (1-p)^n - (1-p)^(n-1) where
// wrong, up to the effect of drawing without replacement, which vanishes with the group.
func TestPassNOfPopulation(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		last := math.Inf(1)
		for _, size := range []int{40, 400, 4000} {
			rewards := make([]float64, size)
			for i := range size / 5 {
				rewards[i] = 1
			}
			got := ofGroup(t, &PassN{N: n}, groupOf(rewards, ""))
			p := 0.2
			off := max(math.Abs(got[0]-math.Pow(1-p, float64(n))), math.Abs(got[size-1]-math.Pow(1-p, float64(n))+math.Pow(1-p, float64(n-1))))
			if off > 3/float64(size) || n > 1 && off >= last {
				t.Errorf("n=%d, %d rollouts: off by %g", n, size, off)
			}
			last = off
		}
	}
}

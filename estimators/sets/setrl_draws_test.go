package sets

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"modebench/estimators"
	"modebench/estimators/internal/subsets"
)

// drawnSets are sets that Floyd's algorithm draws from the stream of the batch's first
// group, equal ones among them.
func drawnSets(size, n, draw int, b *estimators.Batch) [][]int {
	r := new(estimators.Stream).Of(b, "set-rl", &b.Groups[0])
	var out [][]int
	for range draw {
		var set []int
		for last := size - n; last < size; last++ {
			i := r.IntN(last + 1)
			if slices.Contains(set, i) {
				i = last
			}
			set = append(set, i)
		}
		slices.Sort(set)
		out = append(out, set)
	}
	return out
}

// TestDrawnSets: with K sets drawn the advantage is eq. 8 over those: 0 for a
// rollout in none. Drawing as many as there are is all of them.
func TestDrawnSets(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 8))
	missed := 0
	for step := range 300 {
		size := 3 + r.IntN(8)
		n := 1 + r.IntN(size-1)
		total := subsets.Count(size, n, 1<<30)
		draw := 1 + r.IntN(total)
		_, rewards := fractions(r, size)
		modes := randomModes(r, size, step)
		b := batchOf(groupOf(rewards, modes))
		b.Step, b.Seed = step, 7
		e := &SetRL{Objective: "polychromic", N: n, Sets: draw}
		got := advantages(t, e, b)[0]
		if draw == total {
			near(t, "all", got, ofGroup(t, &PolyEPO{N: n}, b.Groups[0]), 1e-12)
			continue
		}
		// The first `draw` different ones of the stream.
		seen, held, holds, all := map[string]bool{}, make([]float64, size), make([]float64, size), 0.0
		for _, set := range drawnSets(size, n, 40*total, b) {
			if seen[fmt.Sprint(set)] || len(seen) == draw {
				continue
			}
			seen[fmt.Sprint(set)] = true
			f := 0.0
			for _, i := range set {
				f += rewards[i] / float64(n)
			}
			f *= float64(distinct(set, modes)) / float64(n)
			all += f
			for _, i := range set {
				held[i] += f
				holds[i]++
			}
		}
		if len(seen) < draw {
			t.Fatalf("%d of %d sets in so many draws", len(seen), draw)
		}
		want := make([]float64, size)
		for i := range want {
			if holds[i] > 0 {
				want[i] = held[i]/holds[i] - all/float64(draw)
			} else {
				missed++
			}
		}
		near(t, fmt.Sprintf("%d sets of %d of %d", draw, n, size), got, want, 1e-12)
	}
	if missed < 50 {
		t.Errorf("only %d rollouts were in no set", missed)
	}
}

// TestDrawnSetsAreUniform: of every choice of 2 of the 6 pairs of four rollouts, 15
// in all, each comes as often as any other. The estimator's own advantages tell
// which were drawn: with these rewards and modes no two choices have the same.
func TestDrawnSetsAreUniform(t *testing.T) {
	e := &SetRL{Objective: "polychromic", N: 2, Sets: 2}
	const steps = 30000
	counts := map[string]int{}
	b := batchOf(groupOf([]float64{1, 2, 4, 9}, "AAB-"))
	for b.Step = range steps {
		counts[fmt.Sprint(advantages(t, e, b)[0])]++
	}
	chi := 0.0
	for _, c := range counts {
		d := float64(c) - steps/15.
		chi += d * d / (steps / 15.)
	}
	// 14 degrees of freedom: above 36.1 once in a thousand streams; this one is fixed.
	if len(counts) != 15 || chi > 36.1 {
		t.Errorf("%d choices, chi-square %g: %v", len(counts), chi, counts)
	}
}

// TestDrawnSetsHaveTheirStream: another seed, step or problem draws other sets;
// the groups beside a group do not change its draws.
func TestDrawnSetsHaveTheirStream(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 9))
	g := largeGroup(r, 100, 9)
	of := func(seed uint64, step int, problem string, before ...estimators.Group) []float64 {
		b := batchOf(append(before, g)...)
		b.Seed, b.Step, b.Groups[len(before)].Problem = seed, step, problem
		return advantages(t, build(t, "set-rl", "sets=70").Estimator, b)[len(before)]
	}
	base := of(1, 1, "p")
	other := groupOf([]float64{1, 0, 1, 0, 1}, "")
	other.Problem = "q"
	near(t, "another group first", of(1, 1, "p", other), base, 0)
	for name, other := range map[string][]float64{"seed": of(2, 1, "p"), "step": of(1, 2, "p"), "problem": of(1, 1, "q")} {
		if reflect.DeepEqual(other, base) {
			t.Errorf("another %s draws the same sets", name)
		}
	}
}

package metrics

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"modebench/envs"
	"modebench/internal/rng"
)

// prefixes counts the distinct prefixes of h tokens among the rollouts that have as many.
func prefixes(rollouts [][]envs.Token, h int) float64 {
	seen := map[string]bool{}
	for _, r := range rollouts {
		if len(r) >= h {
			seen[fmt.Sprint(r[:h])] = true
		}
	}
	return float64(len(seen))
}

func drawRollouts(t *rapid.T) [][]envs.Token {
	token := rapid.Map(rapid.IntRange(0, 2), func(x int) envs.Token { return envs.Token(x) })
	return rapid.SliceOfN(rapid.SliceOfN(token, 0, 5), 1, 8).Draw(t, "rollouts")
}

var branchPositions = []int{3, 1, 2, 4, 5, 6, 1}

// TestBranchesAgainstSubsets averages over all choices of k of n rollouts.
func TestBranchesAgainstSubsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rollouts := drawRollouts(t)
		n := len(rollouts)
		k := rapid.IntRange(1, n).Draw(t, "k")
		got, err := Branches(rollouts, nil, branchPositions, k)
		if err != nil {
			t.Fatal(err)
		}
		for i, h := range branchPositions {
			sum, subsets := 0.0, 0.0
			for set := range 1 << n {
				if bits.OnesCount(uint(set)) != k {
					continue
				}
				var chosen [][]envs.Token
				for r := range n {
					if set>>r&1 == 1 {
						chosen = append(chosen, rollouts[r])
					}
				}
				sum += prefixes(chosen, h)
				subsets++
			}
			near(t, fmt.Sprint("position ", h), got[i], sum/subsets, 1e-14)
		}
		again, err := Branches(rapid.Permutation(rollouts).Draw(t, "order"), nil, branchPositions, k)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if got[i] != again[i] {
				t.Errorf("another order changes %v to %v", got[i], again[i])
			}
		}
	})
}

// TestBranchesAgainstTuples averages over all k independent draws.
func TestBranchesAgainstTuples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rollouts := drawRollouts(t)[:1]
		rollouts = append(rollouts, drawRollouts(t)...)[:2]
		rollouts = append(rollouts, rollouts[0]) // listed twice: the masses add up
		k := rapid.IntRange(1, 4).Draw(t, "k")
		first := rapid.IntRange(0, 16).Draw(t, "p0")
		second := rapid.IntRange(0, 16-first).Draw(t, "p1")
		mass := []float64{float64(first) / 16, float64(second) / 16, float64(16-first-second) / 16}
		got, err := Branches(rollouts, mass, branchPositions, k)
		if err != nil {
			t.Fatal(err)
		}
		tuples := 1
		for range k {
			tuples *= 3
		}
		for i, h := range branchPositions {
			sum := 0.0
			for tuple := range tuples {
				p, chosen := 1.0, [][]envs.Token(nil)
				for range k {
					p *= mass[tuple%3]
					chosen = append(chosen, rollouts[tuple%3])
					tuple /= 3
				}
				sum += p * prefixes(chosen, h)
			}
			near(t, fmt.Sprint("position ", h), got[i], sum, 1e-14)
		}
	})
}

func TestImpossibleBranches(t *testing.T) {
	two := [][]envs.Token{{1, 2}, {1}}
	for _, test := range []struct {
		reason    string
		rollouts  [][]envs.Token
		mass      []float64
		positions []int
		k         int
		want      string
	}{
		{"nothing to count", nil, nil, nil, 1, "no rollouts"},
		{"k of nothing", two, nil, nil, 0, "k is 0, want at least 1"},
		{"more than there are", two, nil, nil, 3, "k is 3, want at most 2, the number of rollouts"},
		{"before the first token all are alike", two, nil, []int{1, 0}, 1, "positions[1]: 0, want at least 1"},
		{"a mass is missing", two, []float64{1}, nil, 1, "mass: 1 entries, want 2 (one per rollout)"},
		{"no probability", two, []float64{1.5, -0.5}, nil, 1, "mass[0]: 1.5, want a number in [0, 1]"},
		{"not a number", two, []float64{0.5, math.NaN()}, nil, 1, "mass[1]: NaN, want a number in [0, 1]"},
		{"half is missing", two, []float64{0.25, 0.25}, nil, 1, "mass: the sum is 0.5, want 1 within 1e-09"},
	} {
		if _, err := Branches(test.rollouts, test.mass, test.positions, test.k); err == nil || err.Error() != test.want {
			t.Errorf("%s: error %v, want %q", test.reason, err, test.want)
		}
	}
	// A distribution is drawn from as often as one likes.
	if got, err := Branches(two, []float64{0.5, 0.5}, []int{1, 2}, 100); err != nil || got[0] != 1 || got[1] != 1-math.Pow(0.5, 100) {
		t.Errorf("got %v, error %v", got, err)
	}
}

// BenchmarkBranches measures 64 rollouts of 32 tokens at eight positions.
func BenchmarkBranches(b *testing.B) {
	r := rng.New(5).Rand()
	rollouts := make([][]envs.Token, 64)
	for i := range rollouts {
		for range 32 {
			rollouts[i] = append(rollouts[i], envs.Token(r.IntN(4)))
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Branches(rollouts, nil, []int{1, 2, 3, 4, 8, 12, 16, 32}, 8); err != nil {
			b.Fatal(err)
		}
	}
}

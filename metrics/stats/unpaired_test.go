package stats

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// naiveSplits goes through all splits and compares every pair of values.
func naiveSplits(old, new []float64) float64 {
	all := slices.Concat(old, new)
	// twiceU counts 2 for each pair in which the chosen value is higher, 1 for a tie.
	twiceU := func(chosen uint) int {
		sum := 0
		for i, x := range all {
			for j, y := range all {
				if chosen>>i&1 == 1 && chosen>>j&1 == 0 {
					switch {
					case x > y:
						sum += 2
					case x == y:
						sum++
					}
				}
			}
		}
		return sum
	}
	centre := len(old) * len(new)
	far := func(u int) int { return max(u-centre, centre-u) }
	seen := far(twiceU(1<<len(old) - 1))
	hits, total := 0, 0
	for chosen := range uint(1) << len(all) {
		if bits.OnesCount(chosen) == len(old) {
			total++
			if far(twiceU(chosen)) >= seen {
				hits++
			}
		}
	}
	return float64(hits) / float64(total)
}

func TestUnpairedAgainstEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom([]float64{-1, 0, 0.5, 2, 3, 8})
		old := rapid.SliceOfN(value, 1, 5).Draw(t, "old")
		new := rapid.SliceOfN(value, 1, 5).Draw(t, "new")
		want := naiveSplits(old, new)
		for _, got := range []float64{UnpairedTest(old, new), UnpairedTest(new, old)} {
			if math.Abs(got-want) > 1e-14 {
				t.Errorf("got %v, want %v", got, want)
			}
		}
	})
}

func TestUnpairedTest(t *testing.T) {
	for _, test := range []struct {
		reason   string
		old, new []float64
		want     float64
	}{
		{"six a side, apart: 2 of 924", []float64{1, 2, 3, 4, 5, 6}, []float64{7, 8, 9, 10, 11, 12}, 2.0 / 924},
		{"all equal", []float64{3, 3}, []float64{3, 3, 3}, 1},
		{"both zeros tie", []float64{0, 0}, []float64{math.Copysign(0, -1)}, 1},
		{"infinities are values", []float64{math.Inf(-1), 1, 2, 3}, []float64{4, 5, 6, math.Inf(1)}, 2.0 / 70},
		{"the tails differ in size: only the 3 of 21 splits with both high values are as far", []float64{2, 3}, []float64{1, 1, 1, 1, 3}, 3.0 / 21},
		{"an empty side", nil, []float64{1}, math.NaN()},
		{"a NaN", []float64{1}, []float64{math.NaN()}, math.NaN()},
	} {
		if got := UnpairedTest(test.old, test.new); !(math.Abs(got-test.want) <= 1e-15) && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%s: got %v, want %v", test.reason, got, test.want)
		}
	}
}

// TestDrawnSplits compares the drawn p value of 51 values a side with the
// counted one, which only takes longer.
func TestDrawnSplits(t *testing.T) {
	const n = exactSide + 1
	for _, shift := range []float64{0, 0.3, 0.6} {
		var old, new []float64
		for i := range n {
			old = append(old, math.Round(10*math.Sin(float64(7*i)))/10)
			new = append(new, math.Round(10*(shift+math.Sin(float64(5*i+1))))/10)
		}
		merged := slices.Sorted(slices.Values(slices.Concat(old, new)))
		ranks := doubledRanks(merged)
		seen, centre := 0, n*(2*n+1)
		for _, x := range old {
			seen += ranks[slices.Index(merged, x)]
		}
		total, extreme := 0.0, 0.0
		for sum, count := range rankSums(ranks, n) {
			total += count
			if max(sum-centre, centre-sum) >= max(seen-centre, centre-seen) {
				extreme += count
			}
		}
		want := extreme / total
		got := UnpairedTest(old, new)
		if noise := 4 * math.Sqrt(want*(1-want)/permutations); math.Abs(got-want) > noise+1.0/permutations {
			t.Errorf("shift %v: got %v, exact %v, noise %v", shift, got, want, noise)
		}
		if again := UnpairedTest(new, old); again != got {
			t.Errorf("shift %v: the sides exchanged: %v, was %v", shift, again, got)
		}
	}
}

// TestRankSums: 1+2+...+4 has the subsets of two with sums 3, 4, 5, 5, 6, 7.
func TestRankSums(t *testing.T) {
	if got, want := rankSums([]int{1, 2, 3, 4}, 2), []float64{0, 0, 0, 1, 1, 2, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

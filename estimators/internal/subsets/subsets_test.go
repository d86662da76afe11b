package subsets

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// listed is every set of a pass, in its order.
func listed(sets func(func([]int) bool)) [][]int {
	var out [][]int
	for set := range sets {
		out = append(out, slices.Clone(set))
	}
	return out
}

func TestCount(t *testing.T) {
	for size := range 20 {
		for n := range size + 1 {
			want := int(new(big.Int).Binomial(int64(size), int64(n)).Int64())
			if got := Count(size, n, 1<<30); got != want {
				t.Errorf("C(%d, %d) = %d, want %d", size, n, got, want)
			}
			if got := Count(size, n, 100); (got > 100) != (want > 100) {
				t.Errorf("C(%d, %d) = %d, got %d for a limit of 100", size, n, want, got)
			}
		}
	}
	if Count(1024, 512, 4096) <= 4096 {
		t.Error("C(1024, 512) is at most 4096")
	}
}

// TestOnes: from binomials in big integers, also where neighbours' ratios multiply to more
// than a number holds.
func TestOnes(t *testing.T) {
	choose := func(n, k int) *big.Int { return new(big.Int).Binomial(int64(n), int64(k)) }
	for _, c := range []struct{ size, ones, n int }{{1, 0, 1}, {1, 1, 1}, {9, 0, 4}, {9, 9, 4}, {9, 7, 9}, {30, 11, 17}, {4096, 2048, 2048}, {4096, 5, 4000}} {
		for in, p := range Ones(nil, c.size, c.ones, c.n) {
			sets := new(big.Int)
			if in <= c.ones && c.n-in <= c.size-c.ones {
				sets.Mul(choose(c.ones, in), choose(c.size-c.ones, c.n-in))
			}
			if want, _ := new(big.Rat).SetFrac(sets, choose(c.size, c.n)).Float64(); !(math.Abs(p-want) <= 1e-12) {
				t.Fatalf("%v: %d ones have the chance %g, want %g", c, in, p, want)
			}
		}
	}
}

// TestAll: as many sets as there are, in lexicographic order, each with n places in
// ascending order.
func TestAll(t *testing.T) {
	var p Pass
	for size := 1; size < 9; size++ {
		for n := 1; n <= size; n++ {
			all := listed(p.All(size, n))
			if len(all) != Count(size, n, 1<<30) {
				t.Errorf("%d sets of %d of %d", len(all), n, size)
			}
			for i, set := range all {
				if len(set) != n || !slices.IsSorted(set) || set[n-1] >= size || i > 0 && slices.Compare(all[i-1], set) >= 0 {
					t.Fatalf("%d of %d: %v", n, size, all)
				}
			}
		}
	}
}

// TestDrawn: sets differ, also in groups whose sets a key only hashes, and come from All's sets.
func TestDrawn(t *testing.T) {
	var p Pass
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ size, n, draw int }{{5, 2, 9}, {8, 4, 69}, {64, 3, 500}, {65, 2, 2000}, {200, 150, 300}} {
		drawn := listed(p.Drawn(c.size, c.n, c.draw, r))
		slices.SortFunc(drawn, slices.Compare)
		if different := slices.CompactFunc(slices.Clone(drawn), slices.Equal); len(different) != c.draw {
			t.Errorf("%d of %d: %d different sets, want %d", c.n, c.size, len(different), c.draw)
		}
		for _, set := range drawn {
			if different := slices.Compact(slices.Clone(set)); len(different) != c.n || !slices.IsSorted(set) || set[0] < 0 || set[c.n-1] >= c.size {
				t.Fatalf("%d of %d: %v", c.n, c.size, set)
			}
		}
	}
}

func TestClusters(t *testing.T) {
	var p Pass
	of := []int{0, 1, 0, -1, 2, -1}
	want := func(set []int) int {
		held := map[int]bool{}
		for _, i := range set {
			if of[i] >= 0 {
				held[of[i]] = true
			}
		}
		return len(held)
	}
	for n := 1; n <= len(of); n++ {
		for set := range p.All(len(of), n) {
			if got := p.Clusters(set, of); got != want(set) {
				t.Errorf("%v holds %d clusters of %v, want %d", set, got, of, want(set))
			}
		}
	}
}

// TestMarginal: over the sets {0, 1}, {0, 2} and {0, 1} again. Place 3 is in none.
func TestMarginal(t *testing.T) {
	var totals Totals
	for range 2 { // earlier draws do not matter
		totals.Reset(4)
		totals.Add([]int{0, 1}, 3)
		totals.Add([]int{0, 2}, 12)
		totals.Add([]int{0, 1}, 6)
	}
	got := make([]float64, 4)
	totals.Marginal(got)
	if want := []float64{0, 4.5 - 7, 12 - 7, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestDrawnWordsEqualKeys: the sets of few places are those that any number of places
// would draw, one after the other.
func TestDrawnWordsEqualKeys(t *testing.T) {
	var fast, slow Pass
	for _, c := range []struct{ size, n, draw int }{{2, 1, 1}, {5, 3, 9}, {32, 4, 4096}, {63, 2, 1000}, {64, 64 - 1, 30}, {64, 7, 500}} {
		for seed := range uint64(5) {
			fast.begin(c.size, c.n)
			slow.begin(c.size, c.n)
			got := listed(func(yield func([]int) bool) { fast.drawWords(c.size, c.draw, rand.New(rand.NewPCG(seed, 0)), yield) })
			want := listed(func(yield func([]int) bool) { slow.drawKeys(c.size, c.draw, rand.New(rand.NewPCG(seed, 0)), yield) })
			if len(want) != c.draw || !slices.EqualFunc(got, want, slices.Equal[[]int]) {
				t.Errorf("%d sets of %d of %d, seed %d: they differ", c.draw, c.n, c.size, seed)
			}
		}
	}
}

package metrics

import (
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestLostAndGained: of four problems, by hand, and one by one where all are solved or not.
func TestLostAndGained(t *testing.T) {
	before, after := []float64{1, 1, 0, 0}, []float64{1, 0, 1, 0}
	if lost, ok := Lost(before, after); lost != 0.5 || !ok {
		t.Errorf("lost %v, %v; want one of two", lost, ok)
	}
	if gained, ok := Gained(before, after); gained != 0.5 || !ok {
		t.Errorf("gained %v, %v; want one of two", gained, ok)
	}
	if _, ok := Lost([]float64{0, 0}, []float64{1, 0}); ok {
		t.Error("nothing was solved, so nothing can be lost")
	}
	if _, ok := Gained([]float64{1, 1}, []float64{1, 0}); ok {
		t.Error("everything was solved, so nothing can be gained")
	}
}

// TestLostAndGainedAccount: the problems solved after training are those solved before, less the lost
// ones, plus the gained ones.
func TestLostAndGainedAccount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "problems")
		share := rapid.SliceOfN(rapid.Float64Range(0, 1), n, n)
		before, after := share.Draw(t, "before"), share.Draw(t, "after")
		was, is := 0.0, 0.0
		for i := range before {
			was, is = was+before[i], is+after[i]
		}
		lost, _ := Lost(before, after)
		gained, _ := Gained(before, after)
		if was == 0 {
			lost = 0
		}
		if was == float64(n) {
			gained = 0
		}
		if got := was*(1-lost) + (float64(n)-was)*gained; math.Abs(got-is) > 1e-9*float64(n) {
			t.Errorf("%v solved by lost and gained, want %v", got, is)
		}
	})
}

// TestCrossing: curves whose crossing is known.
func TestCrossing(t *testing.T) {
	ks := []int{1, 4, 16, 64}
	for _, c := range []struct {
		what         string
		above, below []float64
		want         float64
		crosses      bool
	}{
		{"half-way between 4 and 16", []float64{0, 0.1, 0.5, 0.9}, []float64{0.2, 0.2, 0.4, 0.7}, 3, true},
		{"a quarter of the way", []float64{0, 0.2, 0.7, 0.9}, []float64{0.2, 0.3, 0.4, 0.7}, 2.5, true},
		{"above from the first on", []float64{0.3, 0.4, 0.5, 0.6}, []float64{0.2, 0.3, 0.4, 0.5}, 0, true},
		{"never", []float64{0, 0, 0, 0.5}, []float64{0.2, 0.3, 0.4, 0.5}, 6, false},
		{"above once and then for good", []float64{0.3, 0, 0, 0.9}, []float64{0.2, 0.3, 0.4, 0.5}, 5, true},
	} {
		got, crosses := Crossing(ks, c.above, c.below)
		if math.Abs(got-c.want) > 1e-12 || crosses != c.crosses {
			t.Errorf("%s: got %v, %v; want %v, %v", c.what, got, crosses, c.want, c.crosses)
		}
	}
	if got, crosses := Crossing([]int{8}, []float64{0.5}, []float64{0.4}); got != 3 || !crosses {
		t.Errorf("one k: got %v, %v", got, crosses)
	}
}

// TestCrossingOfTwoPolicies: of pass@k by the binomial formula for two problems, the crossing
// is where the curves meet, found by bisection on real k.
func TestCrossingOfTwoPolicies(t *testing.T) {
	pass := func(ps []float64, k float64) float64 {
		sum := 0.0
		for _, p := range ps {
			sum += 1 - math.Pow(1-p, k)
		}
		return sum / float64(len(ps))
	}
	wide, narrow := []float64{0.2, 0.2}, []float64{0.9, 0.01}
	low, high := 1.0, 64.0
	for range 60 {
		if mid := (low + high) / 2; pass(wide, mid) > pass(narrow, mid) {
			high = mid
		} else {
			low = mid
		}
	}
	var ks []int
	var above, below []float64
	for k := 1; k <= 64; k++ {
		ks, above, below = append(ks, k), append(above, pass(wide, float64(k))), append(below, pass(narrow, float64(k)))
	}
	got, crosses := Crossing(ks, above, below)
	if !crosses || math.Abs(math.Exp2(got)-low) > 0.02 {
		t.Errorf("they cross at k = %v, want %v", math.Exp2(got), low)
	}
}

// TestPassArea: a line over log2 k has the mean of its ends, and a constant is itself.
func TestPassArea(t *testing.T) {
	if got := passArea([]int{1, 2, 16, 64}, []float64{0, 0.1, 0.4, 0.6}); math.Abs(got-0.3) > 1e-12 {
		t.Errorf("a line from 0 to .6: got %v, want .3", got)
	}
	if got := passArea([]int{7}, []float64{0.25}); got != 0.25 {
		t.Errorf("one k: got %v", got)
	}
}

// TestCover counts by hand, the threshold included.
func TestCover(t *testing.T) {
	if got := cover([]float64{0, 0.1, 0.5, 0.9, 1}, 0.5); got != 0.6 {
		t.Errorf("got %v, want three of five", got)
	}
}

// TestCompare: every comparison of two pools, by hand, and of a pool with itself: lost and
// gained are then 0, and no curve crosses itself.
func TestCompare(t *testing.T) {
	ks := []int{1, 4}
	before := Solving{Solved: []float64{1, 1, 0, 0, 0}, Pass: []float64{0.1, 0.4}}
	after := Solving{Solved: []float64{1, 0, 1, 0, 0}, Pass: []float64{0.2, 0.3}}
	want := map[string]float64{LostMetric: 1. / 2, GainedMetric: 1. / 3, CrossingMetric: 1}
	got := Compare(ks, before, after)
	if math.Abs(got[CrossingMetric]-want[CrossingMetric]) > 1e-12 { // two doublings, crossed half-way
		t.Errorf("crossing %v, want %v", got[CrossingMetric], want[CrossingMetric])
	}
	got[CrossingMetric] = want[CrossingMetric]
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := Compare(ks, before, before), (map[string]float64{LostMetric: 0, GainedMetric: 0, CrossingMetric: 2}); !maps.Equal(got, want) {
		t.Errorf("a pool with itself: got %v, want %v", got, want)
	}
	none := Solving{Solved: []float64{0, 0}, Pass: []float64{0, 0}}
	if _, has := Compare(ks, none, none)[LostMetric]; has {
		t.Error("nothing was solved, so nothing can be lost")
	}
}

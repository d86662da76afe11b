package sets

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// enumerated is Poly-EPO's definition in exact fractions.
func enumerated(rewards []*big.Rat, modes string, n int) []float64 {
	return exactMarginal("polychromic", rewards, modes, n)
}

// enumeratedFloat is the same in floating point: the loop a user would write.
func enumeratedFloat(dst, rewards []float64, modes string, n int) {
	all := 0.0
	clear(dst)
	sets := 0
	eachSet(len(rewards), n, func(set []int) {
		f := 0.0
		for _, i := range set {
			f += rewards[i]
		}
		f *= float64(distinct(set, modes)) / float64(n*n)
		all += f
		sets++
		for _, i := range set {
			dst[i] += f
		}
	})
	holds := float64(sets) * float64(n) / float64(len(rewards))
	for i := range dst {
		dst[i] = dst[i]/holds - all/float64(sets)
	}
}

func TestPolyEPOEqualsEnumerationInFractions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for size := 1; size <= 9; size++ {
		for n := 1; n <= size; n++ {
			e := &PolyEPO{N: n}
			for kind := range 12 {
				q, rewards := fractions(r, size)
				modes := randomModes(r, size, kind)
				got := ofGroup(t, e, groupOf(rewards, modes))
				near(t, fmt.Sprintf("N=%d n=%d %s", size, n, modes), got, enumerated(q, modes, n), 1e-12)
				if s := sum(got); math.Abs(s) > 1e-12 {
					t.Errorf("N=%d n=%d %s: the advantages sum to %g", size, n, modes, s)
				}
			}
		}
	}
}

func TestPolyEPOEqualsEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{10, 12, 14} {
		want := make([]float64, size)
		for n := 1; n <= size; n++ {
			_, rewards := fractions(r, size)
			modes := randomModes(r, size, n)
			enumeratedFloat(want, rewards, modes, n)
			near(t, fmt.Sprintf("N=%d n=%d %s", size, n, modes), ofGroup(t, &PolyEPO{N: n}, groupOf(rewards, modes)), want, 1e-12)
		}
	}
}

// byBinomials is the conditional expectation in exact integers: for a set that
// holds i, C(N-1, n-1) of them, count those that also hold j and hit cluster c.
// No recurrence, no linearity tricks but the count of pairs (j, c).
func byBinomials(rewards []float64, modes string, n int) []float64 {
	size := int64(len(rewards))
	counts := map[byte]int64{}
	for i := range modes {
		if modes[i] != '-' {
			counts[modes[i]]++
		}
	}
	// choose is C(free, k), 0 outside the triangle.
	choose := func(free, k int64) *big.Int {
		if free < 0 || k < 0 || k > free {
			return new(big.Int)
		}
		return new(big.Int).Binomial(free, k)
	}
	memo := map[[5]int64]*big.Int{}
	// hit counts the sets of n that hold every one of `fixed` rollouts, of which
	// `inside` are of a cluster of s, and at least one of that cluster.
	hit := func(fixed, inside, s int64) *big.Int {
		key := [5]int64{fixed, inside, s, int64(n), size}
		if memo[key] == nil {
			count := choose(size-fixed, int64(n)-fixed)
			if inside == 0 {
				count.Sub(count, choose(size-fixed-s, int64(n)-fixed))
			}
			memo[key] = count
		}
		return memo[key]
	}
	value := func(i int) *big.Float { // sum over sets that hold i (or over all: i < 0) of n^2 f
		total := big.NewFloat(0).SetPrec(4096)
		for j, r := range rewards {
			for c, s := range counts {
				fixed, inside := int64(1), int64(0)
				if modes[j] == c {
					inside++
				}
				if i >= 0 && i != j {
					fixed++
					if modes[i] == c {
						inside++
					}
				}
				term := new(big.Float).SetPrec(4096).SetInt(hit(fixed, inside, s))
				total.Add(total, term.Mul(term, big.NewFloat(r)))
			}
		}
		return total
	}
	over := func(x *big.Float, sets *big.Int) *big.Float {
		d := new(big.Float).SetPrec(4096).SetInt(sets)
		d.Mul(d, big.NewFloat(float64(n*n)))
		return new(big.Float).SetPrec(4096).Quo(x, d)
	}
	mean := over(value(-1), choose(size, int64(n)))
	out := make([]float64, size)
	for i := range out {
		a := over(value(i), choose(size-1, int64(n)-1))
		out[i], _ = a.Sub(a, mean).Float64()
	}
	return out
}

// TestPolyEPOOfLargeGroups is beyond enumeration: binomials in big integers
// give the expectation instead.
func TestPolyEPOOfLargeGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for _, c := range []struct {
		size, n int
		reason  string
	}{
		{33, 4, "the first group beyond one-by-one comparison of modes"},
		{64, 16, "C(64, 16) is 5e14"},
		{200, 199, "nearly the whole group: almost nothing is ever missed"},
	} {
		for kind := range 4 {
			_, rewards := fractions(r, c.size)
			modes := randomModes(r, c.size, kind)
			want := byBinomials(rewards, modes, c.n)
			near(t, c.reason, ofGroup(t, &PolyEPO{N: c.n}, groupOf(rewards, modes)), want, 1e-12)
		}
	}
}

func TestPolyEPOOf1024(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	g := largeGroup(r, 1024, 40)
	got := ofGroup(t, &PolyEPO{N: 512}, g)
	largest := 0.0
	for i, a := range got {
		if a-a != 0 {
			t.Fatalf("advantage %d is %v", i, a)
		}
		largest = max(largest, math.Abs(a))
	}
	if s := sum(got); math.Abs(s) > 1e-12 {
		t.Errorf("the advantages sum to %g", s)
	}
	if largest < 1e-7 {
		t.Errorf("the largest advantage is %g: all signal is gone", largest)
	}
}

func TestPolyEPOIdentities(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for _, size := range []int{2, 5, 8, 40, 64} {
		_, rewards := fractions(r, size)
		centred := make([]float64, size)
		mu := sum(rewards) / float64(size)
		for i := range centred {
			centred[i] = rewards[i] - mu
		}
		same, other := make([]byte, size), make([]byte, size)
		for i := range same {
			same[i], other[i] = 'A', byte('0'+i)
		}
		for _, n := range []int{1, 2, (size + 1) / 2, size - 1, size} {
			e := &PolyEPO{N: n}
			// Poly-EPO with constant diversity d: d (r - mean) (N - n) / (n (N - 1)).
			factor := float64(size-n) / float64(n*(size-1))
			scaled := func(by float64) []float64 {
				out := make([]float64, size)
				for i := range out {
					out[i] = by * centred[i]
				}
				return out
			}
			at := fmt.Sprintf("N=%d n=%d", size, n)
			near(t, at+", all modes distinct", ofGroup(t, e, groupOf(rewards, string(other))), scaled(factor), 1e-12)
			near(t, at+", one mode", ofGroup(t, e, groupOf(rewards, string(same))), scaled(factor/float64(n)), 1e-12)
		}
		modes := randomModes(r, size, 3)
		near(t, "n=1", ofGroup(t, &PolyEPO{N: 1}, groupOf(rewards, modes)), centred, 1e-12)
		near(t, "n=N", ofGroup(t, &PolyEPO{N: size}, groupOf(rewards, modes)), make([]float64, size), 0)
	}
}

// TestPolyEPOVanishes: at the paper's own setting the advantages are rounding
// alone, and must be snapped to zeros.
func TestPolyEPOVanishes(t *testing.T) {
	g := groupOf([]float64{1, 1, 1, 1, 1, 0, 0, 0}, "AAAAABCD")
	near(t, "n=4", ofGroup(t, &PolyEPO{N: 4}, g), make([]float64, 8), 0)
}

// TestPolyEPOKeepsNoOldTable: one estimator meets groups of several sizes, and
// its n may be set between batches.
func TestPolyEPOKeepsNoOldTable(t *testing.T) {
	e := &PolyEPO{N: 2}
	r := rand.New(rand.NewPCG(1, 6))
	for _, step := range []struct{ size, n int }{{6, 2}, {4, 2}, {4, 3}, {6, 3}, {9, 3}, {4, 3}} {
		q, rewards := fractions(r, step.size)
		modes := randomModes(r, step.size, 3)
		e.N = step.n
		near(t, fmt.Sprint(step), ofGroup(t, e, groupOf(rewards, modes)), enumerated(q, modes, step.n), 1e-12)
	}
}

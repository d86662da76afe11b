package metrics

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// eachSubset calls f with the members of every k-subset of n things and
// returns how many there are.
func eachSubset(n, k int, f func(members []int)) int {
	count := 0
	for set := range uint(1) << n {
		if bits.OnesCount(set) != k {
			continue
		}
		count++
		var members []int
		for i := range n {
			if set>>i&1 == 1 {
				members = append(members, i)
			}
		}
		f(members)
	}
	return count
}

func ratio(num, den int) float64 {
	x, _ := big.NewRat(int64(num), int64(den)).Float64()
	return x
}

// passAtK is pass@k of n answers of which c are correct.
func passAtK(n, c, k int) float64 {
	single := singles(n, k)
	return single.hit(float64(c), 0)
}

// singles is the choice of k answers out of n rollouts with one answer each.
func singles(n, k int) *choice {
	c := &choice{q: k, n: n}
	c.tabulate()
	return c
}

// bestAtK is best@k of scores in any order, for each of ks.
func bestAtK(scores []float64, ks ...int) []float64 {
	sorted := slices.Sorted(slices.Values(scores))
	least := make([]float64, len(sorted)) // answers that score at least as much
	for i := range least {
		least[i] = float64(len(sorted) - i)
	}
	var best []float64
	for _, k := range ks {
		best = append(best, singles(len(sorted), k).best(sorted, least, least))
	}
	return best
}

// coverageAtK is coverage@k with that many existing modes; counts holds the correct
// answers of each among n.
func coverageAtK(counts []int, n, k, existing int) float64 {
	whole := make([]float64, len(counts))
	for i, c := range counts {
		whole[i] = float64(c)
	}
	return min(1, singles(n, k).expected(whole, whole)/float64(min(k, existing)))
}

func TestPassAtKAgainstAllSubsets(t *testing.T) {
	for n := 1; n <= 8; n++ {
		for c := 0; c <= n; c++ {
			for k := 1; k <= n; k++ {
				solved := 0
				all := eachSubset(n, k, func(members []int) {
					if slices.Min(members) < c { // the first c answers are correct
						solved++
					}
				})
				near(t, fmt.Sprintf("pass@%d with %d of %d", k, c, n), passAtK(n, c, k), ratio(solved, all), 1e-15)
			}
		}
	}
}

func TestBestAtKAgainstAllSubsets(t *testing.T) {
	tests := []struct {
		reason string
		scores []float64
	}{
		{"a single score is its own best", []float64{-2}},
		{"ascending and distinct", []float64{-1, 0, 0.125, 0.5, 2, 3, 8, 100}},
		{"unsorted: the order must not matter", []float64{3, -1, 8, 0.5, 2, 100, 0, 0.125}},
		{"ties and binary scores", []float64{1, 0, 0, 1, 0, 1, 0}},
		{"constant: every best is that constant", []float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1}},
		{"tiny beside huge", []float64{1e-9, 1e9, -1e9, 1}},
	}
	for _, test := range tests {
		n := len(test.scores)
		for k := 1; k <= n; k++ {
			sum := new(big.Rat)
			all := eachSubset(n, k, func(members []int) {
				best := math.Inf(-1)
				for _, i := range members {
					best = max(best, test.scores[i])
				}
				sum.Add(sum, new(big.Rat).SetFloat64(best))
			})
			want, _ := sum.Quo(sum, big.NewRat(int64(all), 1)).Float64()
			near(t, fmt.Sprintf("%s: best@%d", test.reason, k), bestAtK(test.scores, k)[0], want, 4e-15*max(1, slices.Max(test.scores)))
		}
	}
}

func TestCoverageAtKAgainstAllSubsets(t *testing.T) {
	tests := []struct {
		reason string
		counts []int
		n      int
	}{
		{"nothing correct covers nothing", []int{0, 0}, 5},
		{"one mode: coverage is pass@k", []int{3}, 8},
		{"every answer another mode: nothing is wasted", []int{1, 1, 1, 1, 1, 1}, 6},
		{"unequal modes and two incorrect answers", []int{3, 2, 1}, 8},
		{"a listed mode that was not found", []int{4, 0, 2}, 7},
	}
	for _, test := range tests {
		mode := make([]int, test.n) // of each answer; -1 is incorrect
		at := 0
		for m, c := range test.counts {
			for range c {
				mode[at] = m
				at++
			}
		}
		for ; at < test.n; at++ {
			mode[at] = -1
		}
		for k := 1; k <= test.n; k++ {
			for _, existing := range []int{max(1, len(test.counts)), 12} {
				found := 0
				all := eachSubset(test.n, k, func(members []int) {
					seen := map[int]bool{-1: true}
					for _, i := range members {
						seen[mode[i]] = true
					}
					found += len(seen) - 1
				})
				near(t, fmt.Sprintf("%s: coverage@%d of %d", test.reason, k, existing),
					coverageAtK(test.counts, test.n, k, existing), ratio(found, all*min(k, existing)), 1e-15)
			}
		}
	}
}

func TestPublishedVectors(t *testing.T) {
	for _, test := range []struct {
		reason  string
		n, c, k int
		want    float64
	}{
		{"by hand: 1 - C(7,5)/C(10,5) = 1 - 21/252", 10, 3, 5, 231. / 252},
		{"by hand: one correct answer is in half of the 32-subsets of 64", 64, 1, 32, 0.5},
		{"by hand: two wrong answers cannot fill three places", 5, 3, 3, 1},
		{"no correct answer", 16, 0, 16, 0},
		{"k = n asks whether any is correct", 4, 1, 4, 1},
		{"binomials of 10000 choose 5000 would overflow", 10000, 1, 5000, 0.5},
	} {
		near(t, test.reason, passAtK(test.n, test.c, test.k), test.want, 1e-15)
	}
	best := bestAtK([]float64{0.25, 1, 0, 0.5}, 1, 2, 3, 4)
	for i, want := range []float64{7. / 16, 17. / 24, 7. / 8, 1} { // expected maxima of k of g = 0, 1/4, 1/2, 1, by enumeration
		near(t, fmt.Sprintf("best@%d of [0, .25, .5, 1]", i+1), best[i], want, 1e-15)
	}
}

func TestSamplingArgumentsThatHaveNoEstimate(t *testing.T) {
	for _, test := range []struct {
		reason string
		err    error
		want   string
	}{
		{"larger than the pool", checkSize(4, 5), "k is 5, but there are 4 answers; no estimator is unbiased for k > n"},
		{"k = 0 draws nothing", checkSize(4, 0), "k is 0, want at least 1"},
		{"empty pool", checkSize(0, 1), "no answers"},
	} {
		if test.err == nil || test.err.Error() != test.want {
			t.Errorf("%s: got error %v, want %q", test.reason, test.err, test.want)
		}
	}
}

// TestBootstrapIsBiased shows why pass@k is no bootstrap: of all 4^4 resamples
// with replacement of a pool with one correct answer of 4, the share that holds
// it is 1 - (3/4)^4, though four answers out of that pool always hold it.
func TestBootstrapIsBiased(t *testing.T) {
	const n = 4
	hits, all := 0, 0
	for code := range n * n * n * n {
		all++
		for digits := code; digits > 0; digits /= n {
			if digits%n == 1 { // answer 1 is the correct one
				hits++
				break
			}
		}
	}
	near(t, "bootstrap", ratio(hits, all), 1-math.Pow(0.75, 4), 1e-15)
	if got := passAtK(n, 1, n); got != 1 {
		t.Errorf("pass@4 with 1 of 4: got %v, want 1", got)
	}
}

func TestAtKProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 40).Draw(t, "scores")
		n := len(scores)
		shuffled := rapid.Permutation(scores).Draw(t, "shuffled")
		correct := rapid.IntRange(0, n).Draw(t, "correct")
		counts := []int{correct / 2, correct - correct/2}
		ks := make([]int, n)
		for i := range ks {
			ks[i] = i + 1
		}
		best, again := bestAtK(scores, ks...), bestAtK(shuffled, ks...)
		if !slices.Equal(best, again) {
			t.Errorf("the order of the scores changed best@k: %v, %v", best, again)
		}
		if best[n-1] != slices.Max(scores) {
			t.Errorf("best@n is %v, want the maximum", best[n-1])
		}
		previous := 0.0
		for i, k := range ks {
			pass, coverage := passAtK(n, correct, k), coverageAtK(counts, n, k, 2)
			if pass < previous || pass > 1 || coverage < 0 || coverage > 1 {
				t.Errorf("k %d: pass %v after %v, coverage %v", k, pass, previous, coverage)
			}
			previous = pass
			if i > 0 && best[i] < best[i-1]-1e-9 {
				t.Errorf("best@%d %v below best@%d %v", k, best[i], k-1, best[i-1])
			}
		}
	})
}

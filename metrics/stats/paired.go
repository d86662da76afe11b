package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"modebench/internal/exact"
)

const (
	// exactPairs is the most pairs of which every sign vector is counted; its
	// halves then have 2^20 sums each.
	exactPairs = 40
	// permutations is the number of sign vectors or of splits that are drawn if there are too
	// many to count.
	permutations = 100000
	// sameStatistic is the part of the largest possible statistic by which two
	// statistics may differ and still count as equal: far above the rounding
	// of differences between metrics, and on the cautious side.
	sameStatistic = 1e-9
)

// PairedTest returns the two-sided p value, in (0, 1], of the hypothesis that differences, one per
// pair (per seed: new less old), are symmetric about 0, by the sign-flip permutation test on their
// mean (Fisher 1935, sec. 21; Good 2005, ch. 3): the share of the 2^n sign vectors s with
//
//	|sum of s_i*|d_i|| >= |sum of d_i|
//
// Its level is exact for symmetric differences, whatever their distribution; the smallest p value
// is 2/2^n. Statistics that differ by less than a 10^-9th of sum |d_i| count as equal, hence as at
// least as extreme, so that rounding cannot make a result significant.
//
// Up to 40 pairs all sign vectors are counted (in halves, Horowitz and Sahni 1974: time and memory
// grow as 2^(n/2)). Beyond, 100,000 of them are drawn from a stream that the sorted |d_i| name, and
// p is (hits+1)/(100,000+1) (Phipson and Smyth 2010). The value depends neither on the order of the
// pairs nor on which side is called new.
//
// If all differences are 0, p is 1. Without pairs, or with a difference that
// is not finite, it is NaN.
func PairedTest(differences []float64) float64 {
	if len(differences) == 0 || !finite(differences...) {
		return math.NaN()
	}
	sizes, sum, slack := signFlips(differences)
	bound := math.Abs(sum) - slack
	switch {
	case !(bound > 0): // also NaN, if all differences are 0
		return 1
	case len(sizes) > exactPairs:
		return drawnSigns(sizes, bound)
	}
	return float64(countSigns(sizes, bound)) * math.Ldexp(1, 1-len(sizes))
}

// signFlips prepares the sign-flip test of values: their sizes, ascending, and their sum, both in units
// of the largest, and the slack by which sums are the same. The sum is NaN if all values are 0.
func signFlips(values []float64) (sizes []float64, sum, slack float64) {
	sizes, scaled := make([]float64, len(values)), make([]float64, len(values))
	for i, x := range values {
		sizes[i] = math.Abs(x)
	}
	slices.Sort(sizes)
	unit := sizes[len(sizes)-1]
	for i := range sizes {
		sizes[i] /= unit
		scaled[i] = values[i] / unit
	}
	return sizes, exact.Sum(scaled), float64(sameStatistic * exact.Sum(sizes))
}

// countSigns returns how many of the sign vectors give the sizes a sum of at least bound. A sum is
// one of each half; as one half's sums ascend, those of the other that suffice reach further down.
func countSigns(sizes []float64, bound float64) uint64 {
	half := len(sizes) / 2
	left, right := signedSums(sizes[:half]), signedSums(sizes[half:])
	count, j := uint64(0), len(right)
	for _, l := range left {
		for j > 0 && l+right[j-1] >= bound {
			j--
		}
		count += uint64(len(right) - j)
	}
	return count
}

// signedSums returns the 2^n sums of the sizes under all signs, ascending: with
// each size, the sums so far less it and plus it are merged.
func signedSums(sizes []float64) []float64 {
	sums, next := make([]float64, 1, 1<<len(sizes)), make([]float64, 0, 1<<len(sizes))
	for _, size := range sizes {
		next = next[:0]
		low, high := 0, 0
		for low < len(sums) {
			if a, b := sums[low]-size, sums[high]+size; a <= b {
				next = append(next, a)
				low++
			} else {
				next = append(next, b)
				high++
			}
		}
		for ; high < len(sums); high++ {
			next = append(next, sums[high]+size)
		}
		sums, next = next, sums
	}
	return sums
}

// drawnSigns returns the p value from drawn sign vectors.
func drawnSigns(sizes []float64, bound float64) float64 {
	var source rand.PCG
	valueStream("paired test", sizes).Seed(&source)
	hits := 0
	for range permutations {
		sum, word := 0.0, uint64(0)
		for i, size := range sizes {
			if i&63 == 0 {
				word = source.Uint64()
			}
			// The lowest bit of the word becomes the sign.
			sum += math.Float64frombits(math.Float64bits(size) | word<<63)
			word >>= 1
		}
		if math.Abs(sum) >= bound {
			hits++
		}
	}
	return float64(hits+1) / (permutations + 1)
}

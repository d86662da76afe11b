package metrics

import (
	"math"
	"math/bits"
	"slices"
)

// Distributions of a number of votes, as rows of probabilities of 0, 1, 2, ...
//
// Among k rollouts drawn from n without replacement, an answer that c of the n give has a
// hypergeometric number of votes; among k independent ones, a binomial number. The numbers of
// several answers depend on each other through their sum alone: they are distributed as independent
// ones (binomial with a probability of k/n, or Poisson with a mean of k p) of which only the cases
// with a sum of k are looked at. The probability k/n makes that sum a likely one, so that nothing
// overflows, and underflow does not matter.

// fillRow fills the row of a distribution whose probabilities p rise up to the mode
// and fall after it. p is 0 below low and above high, and ratio(j) is p(j+1)/p(j).
// The row may be shorter than the distribution.
func fillRow(row []float64, low, mode, high int, ratio func(j int) float64) {
	clear(row)
	if mode < len(row) {
		row[mode] = 1
	}
	// Going outwards from the mode, no power is ever formed. After the end of the row
	// only the sum is needed.
	sum, p := 1.0, 1.0
	for j := mode; j < high && (j+1 < len(row) || p > sum*rowTail); j++ {
		p = float64(p * ratio(j)) // not to be fused with the sum
		sum += p
		if j+1 < len(row) {
			row[j+1] = p
		}
	}
	p = 1
	for j := mode - 1; j >= low; j-- {
		p /= ratio(j)
		sum += p
		if j < len(row) {
			row[j] = p
		}
	}
	for j := range row {
		row[j] /= sum
	}
}

// rowTail is the size of a term, relative to the sum, from which on fillRow stops: later
// terms fall faster than a geometric series and no longer change the sum.
const rowTail = 1e-20

// hypergeometric fills the row of the number of marked rollouts among k of n, of which c
// are marked, for k < n.
func hypergeometric(row []float64, n, c, k int) {
	high, low := bits.Mul64(uint64(c+1), uint64(k+1)) // 64 bits are enough for any pool that fits into memory
	mode, _ := bits.Div64(high, low, uint64(n+2))
	fillRow(row, max(0, c+k-n), int(mode), min(c, k), func(j int) float64 {
		return float64(c-j) / float64(j+1) * float64(k-j) / float64(n-c-k+j+1)
	})
}

// binomial fills the row of how many of n independent events happen, each with a
// probability that is odds times that of its absence.
func binomial(row []float64, n int, odds float64) {
	mode := n
	if peak := float64(n+1) * (odds / (1 + odds)); peak < float64(n) {
		mode = int(peak)
	}
	fillRow(row, 0, mode, n, func(j int) float64 { return float64(n-j) / float64(j+1) * odds })
}

// poisson fills the row of the Poisson distribution with that mean.
func poisson(row []float64, mean float64) {
	fillRow(row, 0, int(mean), math.MaxInt, func(j int) float64 { return mean / float64(j+1) })
}

// grow returns a slice of n numbers in the memory of s if it suffices.
func grow(s []float64, n int) []float64 { return slices.Grow(s[:0], n)[:n] }

// cacheLimit is the largest pool whose binomial rows and single classes are cached for
// the next pool of the same size.
const cacheLimit = 512

// byVotes maps numbers of votes in a pool to values: by a slice for small pools, which look
// values up all the time, else by a map, since most of a slice would stay empty.
type byVotes[T any] struct {
	dense  []T
	sparse map[int]T
}

func newByVotes[T any](n int) byVotes[T] {
	if n > cacheLimit {
		return byVotes[T]{sparse: map[int]T{}}
	}
	return byVotes[T]{dense: make([]T, n+1)}
}

func (k *byVotes[T]) get(votes int) T {
	if k.sparse != nil {
		return k.sparse[votes]
	}
	return k.dense[votes]
}

func (k *byVotes[T]) set(votes int, x T) {
	if k.sparse != nil {
		k.sparse[votes] = x
	} else {
		k.dense[votes] = x
	}
}

// Package draw picks tokens from distributions, for all policies alike: at equal
// probabilities the same uniform picks the same token.
package draw

import (
	"math"

	"modebench/internal/exact"
)

// Pick inverts a cumulative distribution at u in [0, 1): the first entry above u. Rounding may
// leave the last sum just short of u; then the last entry with any mass is meant.
func Pick(cumulative []float64, u float64) int {
	for i, sum := range cumulative {
		if u < sum {
			return i
		}
	}
	last := len(cumulative) - 1
	for last > 0 && cumulative[last] == cumulative[last-1] {
		last--
	}
	return last
}

// Argmax returns the lowest index of the largest entry.
func Argmax[T float32 | float64](xs []T) int {
	best := 0
	for i, x := range xs {
		if x > xs[best] {
			best = i
		}
	}
	return best
}

// A Nucleus is the smallest set of most likely tokens whose mass reaches top-p
// (Holtzman et al., 2020), renormalised; equal probabilities are in token order.
type Nucleus struct {
	order []int
	mass  float64
	prob  []float64 // zero outside the nucleus
	sums  []float64 // running sums of prob
}

// Cut makes it the nucleus of a distribution.
func (n *Nucleus) Cut(prob []float64, topP float64) *Nucleus {
	n.order, n.prob = n.order[:0], n.prob[:0]
	for i := range prob {
		n.prob = append(n.prob, 0)
		n.order = append(n.order, i)
		// Insertion keeps the order stable; rows are short.
		for j := i; j > 0 && prob[n.order[j]] > prob[n.order[j-1]]; j-- {
			n.order[j], n.order[j-1] = n.order[j-1], n.order[j]
		}
	}
	n.mass = 0
	for _, i := range n.order {
		n.prob[i] = prob[i]
		if n.mass += prob[i]; n.mass >= topP {
			break
		}
	}
	n.sums = n.sums[:0]
	sum := 0.0
	for i := range n.prob {
		n.prob[i] /= n.mass
		sum += n.prob[i]
		n.sums = append(n.sums, sum)
	}
	return n
}

// Prob is the distribution, zero outside the nucleus. It is overwritten by the next Cut.
func (n *Nucleus) Prob() []float64 { return n.prob }

// Entropy of the cut distribution, in nats.
func (n *Nucleus) Entropy() float64 {
	h := 0.0
	for _, p := range n.prob {
		if p > 0 {
			h -= float64(p * exact.Log(p))
		}
	}
	return max(h, 0)
}

// Pick draws a token of the nucleus by a uniform in [0, 1).
func (n *Nucleus) Pick(u float64) int { return Pick(n.sums, u) }

// mantissa is how many bits a float64 has beside the leading one.
const mantissa = 52

// Round rounds numbers in place to that many bits of mantissa beside the leading one, 1 to 52: to
// the nearest, ties to even. Exponents keep the range of float64, so a small number does not
// vanish. An infinity or a NaN stays.
func Round(xs []float64, bits int) {
	drop := mantissa - bits
	if drop == 0 {
		return
	}
	for i, x := range xs {
		if x-x != 0 {
			continue
		}
		// Half of the dropped unit, less one if the number below is even, is added; an overflow of
		// the mantissa raises the exponent, as it should.
		b := math.Float64bits(x)
		b += uint64(1)<<(drop-1) - 1 + b>>drop&1
		xs[i] = math.Float64frombits(b &^ (uint64(1)<<drop - 1))
	}
}

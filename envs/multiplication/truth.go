package multiplication

import (
	"math"
	"slices"

	"modebench/envs"
)

// Truth implements envs.Problem. Modes are the kinds that the operands have, in the order plain,
// place, near, factor, split of the first operand and then of the second. Solutions counts the
// valid decompositions that token answers can write, as variants, or is -1 where an int64 does not
// hold their number. A text may hold more terms, but no other mode.
func (p *Problem) Truth() envs.Truth {
	p.findTruth.Do(p.computeTruth)
	return p.truth
}

func (p *Problem) computeTruth() {
	p.counts = [2][kinds]int64{p.format.counts(p.a), p.format.counts(p.b)}
	p.truth.Front = [][]float64{rewards[0b111]}
	p.eachFamily(func(first, second kind, n int64) {
		p.truth.Modes = append(p.truth.Modes, modes[first][second])
		p.truth.Solutions = added(p.truth.Solutions, n)
	})
}

// eachFamily calls f with the kinds of every family and the number of its
// variants, in the order of the truth, which has been found.
func (p *Problem) eachFamily(f func(first, second kind, variants int64)) {
	a, b := &p.counts[0], &p.counts[1]
	for i := range kind(kinds) {
		for j := range kind(kinds) {
			n := times(a[i], b[j])
			switch {
			case n == 0 && min(a[i], b[j]) > 0:
				n = unknown
			case p.a == p.b && i == j: // pairs without their order, an expression with itself included
				n = (n-a[i])/2 + a[i]
			}
			if n == 0 || i == plain && j == plain || p.a == p.b && i > j {
				continue
			}
			f(i, j, n)
		}
	}
}

// A family is one mode of a problem's correct answers.
type family struct {
	Mode envs.Mode `json:"mode"`
	// Answer is an example, right in all components.
	Answer string `json:"answer"`
	// Variants counts the decompositions that token answers can write; nil where
	// an int64 does not hold their number.
	Variants *int64 `json:"variants"`
}

func (f *family) count() int64 {
	if f.Variants == nil {
		return unknown
	}
	return *f.Variants
}

func (p *Problem) findFamilies() {
	p.findShown.Do(p.know)
	p.findTruth.Do(p.computeTruth)
	p.eachFamily(func(first, second kind, n int64) {
		f := family{Mode: modes[first][second], Answer: p.AnswerText(p.finish(p.example(0, first), p.example(1, second)))}
		if n != unknown {
			f.Variants = &n
		}
		p.families = append(p.families, f)
	})
}

func (p *Problem) example(operand int, k kind) *shown {
	i := slices.IndexFunc(p.shown[operand], func(s shown) bool { return s.kind == k })
	return &p.shown[operand][i]
}

// unknown replaces a count that an int64 does not hold.
const unknown = -1

func added(x, y int64) int64 {
	if x == unknown || y == unknown || x > math.MaxInt64-y {
		return unknown
	}
	return x + y
}

// counts counts the expressions of each kind that token answers can write for an operand.
func (f *format) counts(v int64) [kinds]int64 {
	c := [kinds]int64{
		plain: 1, place: int64(len(f.places(v))), near: int64(len(f.nears(v))), factor: int64(len(f.factorisations(v))),
	}
	c[split] = f.countSums(v) - c[place] - c[near]
	return c
}

// countSums counts the multisets of 2 to terms numbers from -most to most, without 0 and without a
// number beside its negative, that add up to v.
//
// Let all(k, l) count those of k positive and l negative numbers, fillers included: for every sum
// of the positive ones, the choices of these times those of the negative ones. By inclusion and
// exclusion of the j numbers that occur with both signs, those without are the sum over j of (-1)^j
// binomial(most, j) all(k-j, l-j).
//
// Five terms up to 100,000, the most there are, give less than 8e18, which fits. On the way, sums
// modulo 2^64 may go through any values.
func (f *format) countSums(v int64) int64 {
	f.findSums.Do(f.countMultisets)
	var total uint64
	for added := 1; added <= f.terms; added++ {
		for taken := 0; added+taken <= f.terms; taken++ {
			var all uint64
			ways := f.sums[taken]
			for t, n := range f.sums[added][min(int(v), len(f.sums[added])):] {
				if t == len(ways) {
					break
				}
				all += n * ways[t]
			}
			// The count of added+j and taken+j numbers takes part of it, for every j.
			binomial := uint64(1)
			for j := 0; added+taken+2*j <= f.terms; j++ {
				if added+taken+2*j >= 2 {
					total += binomial * all
				}
				// The sign goes into all: a binomial below 0 could not be divided.
				all = -all
				binomial = binomial * uint64(f.largest-int64(j)) / uint64(j+1)
			}
		}
	}
	return int64(total)
}

// countMultisets fills sums[k][s], the number of multisets of k numbers from 1 to most that add up
// to s. Less k, that is a partition of s-k into at most k parts of at most most-1, and those are
// counted by the Gaussian binomial coefficient [most-1+k over k], the product over i from 1 to k of
// (1-q^(most-1+i)) / (1-q^i). Sums modulo 2^64 that must come out right may go through any values.
func (f *format) countMultisets() {
	m := int(f.largest) - 1
	partitions := []uint64{1}
	for k := 0; ; k++ {
		sums := make([]uint64, k+len(partitions))
		copy(sums[k:], partitions)
		f.sums = append(f.sums, sums)
		if k == f.terms {
			return
		}
		// Of degree k*m; the quotient has degree (k+1)*m.
		next := make([]uint64, (k+1)*m+1)
		for s := range next {
			if s < len(partitions) {
				next[s] = partitions[s]
			}
			if t := s - (m + k + 1); t >= 0 && t < len(partitions) {
				next[s] -= partitions[t]
			}
			if s > k {
				next[s] += next[s-k-1]
			}
		}
		partitions = next
	}
}

package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// exactSide is the most values on a side of which every split is counted.
const exactSide = 50

// UnpairedTest returns the two-sided p value, in (0, 1], of the hypothesis that old and new (one
// value per seed each) come from one distribution, by the permutation distribution of the
// Mann-Whitney U statistic (Mann and Whitney 1947; with ties as Klotz 1966): the share of all ways
// to split the values into sides of these sizes whose U is at least as far from its expectation,
// len(old)*len(new)/2, as the one seen. Ties count one half, in U and in its distribution, so p is
// exact with ties too, and 1 if all values are equal.
//
// Up to 50 values on a side all splits are counted. Beyond, 100,000 are drawn from a stream that
// the sorted values name, and p is (hits+1)/(100,000+1). The value depends neither on the order
// within a side nor on which side is called new. It is NaN if a side is empty or holds a NaN.
func UnpairedTest(old, new []float64) float64 {
	few, many := old, new
	if len(few) > len(many) {
		few, many = many, few
	}
	if len(few) == 0 || hasNaN(old) || hasNaN(new) {
		return math.NaN()
	}
	merged := make([]float64, 0, len(few)+len(many))
	for _, x := range slices.Concat(few, many) {
		merged = append(merged, x+0) // -0 ties with 0 and must name the same stream
	}
	slices.Sort(merged)
	ranks := doubledRanks(merged)
	// Twice the rank sum of the smaller side, which is U up to a constant.
	rankSum := 0
	for _, x := range few {
		i, _ := slices.BinarySearch(merged, x)
		rankSum += ranks[i]
	}
	// Distances from twice the expectation of that sum.
	centre := len(few) * (len(merged) + 1)
	distance := rankSum - centre
	if distance < 0 {
		distance = -distance
	}
	if len(many) > exactSide {
		return drawnSplits(merged, ranks, len(few), centre, distance)
	}
	total, extreme := 0.0, 0.0
	for sum, count := range rankSums(ranks, len(few)) {
		total += count
		if sum-centre >= distance || centre-sum >= distance {
			extreme += count
		}
	}
	return extreme / total
}

// doubledRanks returns twice the midranks of sorted values: an integer each.
func doubledRanks(sorted []float64) []int {
	ranks := make([]int, len(sorted))
	for start := 0; start < len(sorted); {
		end := start + 1
		for end < len(sorted) && sorted[end] == sorted[start] {
			end++
		}
		for i := start; i < end; i++ {
			ranks[i] = start + 1 + end
		}
		start = end
	}
	return ranks
}

// rankSums returns, at index s, the number of subsets of the given size with the sum s; ranks
// ascend. Nothing but additions, in a fixed order: the counts are exact up to 2^53 and the same
// on every machine beyond.
func rankSums(ranks []int, size int) []float64 {
	limit := 0
	for _, rank := range ranks[len(ranks)-size:] {
		limit += rank
	}
	// counts[m][s] is the number of subsets of m of the ranks so far.
	counts := make([][]float64, size+1)
	table := make([]float64, (size+1)*(limit+1))
	for m := range counts {
		counts[m] = table[m*(limit+1) : (m+1)*(limit+1)]
	}
	counts[0][0] = 1
	reach := 0
	for i, rank := range ranks {
		// No sum of the ranks so far lies above reach.
		reach = min(reach+rank, limit)
		for m := min(i+1, size); m >= 1; m-- {
			without := counts[m-1][:reach-rank+1]
			with := counts[m][rank : reach+1]
			for s, count := range without {
				with[s] += count
			}
		}
	}
	return counts[size]
}

// drawnSplits returns the p value from drawn subsets of the ranks.
func drawnSplits(merged []float64, ranks []int, size, centre, distance int) float64 {
	var source rand.PCG
	valueStream("unpaired test", merged).Int(uint64(size)).Seed(&source)
	r := rand.New(&source)
	pool := slices.Clone(ranks)
	hits := 0
	for range permutations {
		sum := -centre
		// The first steps of a Fisher-Yates shuffle, from wherever the last one left the pool.
		for i := range size {
			j := i + r.IntN(len(pool)-i)
			pool[i], pool[j] = pool[j], pool[i]
			sum += pool[i]
		}
		if sum >= distance || -sum >= distance {
			hits++
		}
	}
	return float64(hits+1) / (permutations + 1)
}

// normal975 is the 97.5% quantile of the standard normal distribution.
const normal975 = 1.959963984540054

// Improvement returns the probability, in [0, 1], that a value of new exceeds one of old, ties
// counted half (Agarwal et al. 2021, sec. 4.3; the Mann-Whitney estimate, U/(len(old)*len(new)))
//
//	P = mean over pairs (x of old, y of new) of 1 if y > x, 1/2 if y = x, else 0
//
// in the field Mean, with a 95% interval; N is the number of values on the smaller side. One half
// means that neither side tends to be higher; which side is better depends on the metric.
//
// The interval is Newcombe's (2006, method 5): all p with
//
//	|P - p| <= 1.96*sqrt(V(p))
//	V(p) = p(1-p)/(nm) * (1 + (N*-1)*(1-p)/(2-p) + (N*-1)*p/(1+p)),  N* = (n+m)/2
//
// It is a score interval, so it has a width also where one side lies wholly
// above the other, and never leaves [0, 1]. It takes the sides as independent:
// where the same seeds on both sides vary together, it is wider than need be.
//
// The value depends on the order of the values only, not on their sizes, so
// infinite ones are fine. If a side is empty or holds a NaN, all is NaN.
func Improvement(old, new []float64) Interval {
	n := min(len(old), len(new))
	if n == 0 || hasNaN(old) || hasNaN(new) {
		return Interval{n, math.NaN(), math.NaN(), math.NaN()}
	}
	twice := 0 // twice the number of pairs won
	for _, y := range new {
		for _, x := range old {
			switch {
			case y > x:
				twice += 2
			case y == x:
				twice++
			}
		}
	}
	pairs := len(old) * len(new)
	p := float64(twice) / float64(2*pairs)
	q := float64(2*pairs-twice) / float64(2*pairs)
	extra := float64(float64(len(old)+len(new))/2) - 1
	high, low := scoreBound(p, float64(pairs), extra), 1-scoreBound(q, float64(pairs), extra)
	return Interval{n, p, min(low, p), max(high, p)}
}

// scoreBound returns the upper bound of Newcombe's method 5 for the estimate p
// by bisection: the distance to p grows faster than the deviation there.
func scoreBound(p, pairs, extra float64) float64 {
	low, high := p, 1.0
	for range 60 {
		middle := float64((low + high) / 2)
		rest := 1 - middle
		clustering := 1 + float64(extra*rest)/(1+rest) + float64(extra*middle)/(1+middle)
		deviation := math.Sqrt(float64(float64(middle*rest)*clustering) / pairs)
		if middle-p <= float64(normal975*deviation) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

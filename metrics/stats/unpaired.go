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

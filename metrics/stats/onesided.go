package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"modebench/internal/exact"
)

const (
	// fineResamples is the number of resamples behind a p value. An interval's 2000 cannot tell p
	// values apart at the .0004 in a tail that Holm asks of the smallest of 64.
	fineResamples = 20000
	// exactUnits is the most units of which every sign vector is counted for a
	// one-sided p value. PairedTest goes on to 40, but an answer takes three of them.
	exactUnits = 28
	// signBits is how many signs of drawn vectors are looked up at once.
	signBits = 8
)

// A location has what tests of the mean of one sample need: the sample, and the
// distribution of its studentised mean, which all of them share.
type location struct {
	xs       []float64 // ascending
	mean, se float64
	// statistics holds (mean* - mean)/se* of the resamples. It is nil
	// where MeanInterval would be Student's, and the p value is then.
	statistics []float64
	// agreement is (k/n)^n where k of the n values are the same one, the most frequent, and
	// frequent its distance to 0: the least one of those as frequent. unit is the largest
	// deviation from the mean, the scale on which values count as tied.
	agreement, frequent, unit float64
}

// newLocation returns that of one or more finite values.
func newLocation(xs []float64) location {
	sorted := sortedCopy(xs)
	l := location{xs: sorted, mean: Mean(sorted)}
	n := len(sorted)
	if n < MinValues || sorted[0] == sorted[n-1] {
		l.agreement, l.frequent = 1, nearest(sorted)
		if sorted[0] == sorted[n-1] {
			l.mean = sorted[0]
		} else {
			l.se = math.Inf(1)
		}
		return l
	}
	var deviations []float64
	deviations, l.unit = standardise(sorted, l.mean)
	l.se = float64(l.unit * standardError(deviations))
	modeCount := 0
	for start, end := range runs(deviations) {
		size := nearest(sorted[start:end])
		if count := end - start; count > modeCount || count == modeCount && size < l.frequent {
			modeCount, l.frequent = count, size
		}
	}
	l.agreement = exact.PowInt(float64(modeCount)/float64(n), n)
	if constantShare(deviations) <= maxConstant {
		l.statistics = studentised(deviations)
	}
	return l
}

// nearest returns the least distance of a value to 0.
func nearest(xs []float64) float64 {
	least := math.Inf(1)
	for _, x := range xs {
		least = min(least, math.Abs(x))
	}
	return least
}

// studentised returns the studentised means of resamples, or nil where
// too many have next to no variance, as in bootstrapT.
func studentised(deviations []float64) []float64 {
	key := valueStream("one-sided test", deviations)
	return resampled(fineResamples, key, thinScatter(deviations), func(source *rand.PCG) (t, scatter float64) {
		return resampledT(deviations, source)
	})
}

// above returns the one-sided p value, in (0, 1], of the hypothesis that the mean
// is at most bound: the larger of those of two tests that fail in different ways.
//
// The sign-flip test of x - bound is exact if the values are symmetric about their mean, for any
// such distribution; it rejects too often if they have a long tail below the mean. The studentised
// bootstrap (Efron and Tibshirani 1993, ch. 16.4) reckons with a tail that the sample shows, and
// rejects too often where few values repeat. Where MeanInterval would be Student's, so is the test.
func (l location) above(bound float64) float64 {
	return max(l.flipped(bound, 1), l.studentP(bound, 1))
}

// below is above for the hypothesis that the mean is at least bound.
func (l location) below(bound float64) float64 {
	return max(l.flipped(bound, -1), l.studentP(bound, -1))
}

// studentP returns the p value of the studentised mean for a mean on the side of
// the bound that sign names.
func (l location) studentP(bound, sign float64) float64 {
	distance := sign * (l.mean - bound)
	switch {
	case math.IsInf(l.se, 1):
		return 1
	case l.se == 0 && distance > 0:
		return 0
	case l.se == 0:
		return 1
	}
	t := distance / l.se
	if l.statistics == nil {
		return studentTail(len(l.xs)-1, t)
	}
	beyond := 0
	for _, statistic := range l.statistics {
		if float64(sign*statistic) >= t {
			beyond++
		}
	}
	return float64(beyond+1) / float64(len(l.statistics)+1)
}

// studentTail returns the probability that Student's t exceeds t, rounded as studentQuantile is.
func studentTail(degrees int, t float64) float64 {
	nu := float64(degrees)
	p := float64(mathext.RegIncBeta(nu/2, 0.5, nu/(float64(t*t)+nu)) / 2) // beyond |t|
	if t < 0 {
		p = 1 - p
	}
	return math.Round(p*(1<<32)) / (1 << 32)
}

// flipped returns the one-sided p value of the sign-flip test for a mean on the side
// of the bound that sign names: half of PairedTest's of the distances to the bound
// (that of drawn vectors from fewer units on), and 1 where the mean is not there.
func (l location) flipped(bound, sign float64) float64 {
	distances := make([]float64, len(l.xs))
	for i, x := range l.xs {
		distances[i] = sign * (x - bound)
	}
	sizes, sum, slack := signFlips(distances)
	observed := sum - slack
	switch {
	case !(observed > 0): // also NaN, where every value is the bound
		return 1
	case len(sizes) > exactUnits:
		return drawnAbove(sizes, observed)
	}
	return float64(countSigns(sizes, observed)) * math.Ldexp(1, -len(sizes))
}

// drawnAbove returns the share of drawn sign vectors with a sum of at least seen, which
// is above 0. Each vector is drawn with its negative. Sums of eight signed sizes at a time
// are looked up: an eighth of the additions.
func drawnAbove(sizes []float64, observed float64) float64 {
	var source rand.PCG
	valueStream("one-sided signs", sizes).Seed(&source)
	var tables [][1 << signBits]float64
	for chunk := range slices.Chunk(sizes, signBits) {
		tables = append(tables, signTable(chunk))
	}
	hits := 0
	for range permutations / 2 {
		sum := 0.0
		for words := range slices.Chunk(tables, 64/signBits) {
			word := source.Uint64()
			for i := range words {
				sum += words[i][word&(1<<signBits-1)]
				word >>= signBits
			}
		}
		if math.Abs(sum) >= observed {
			hits++
		}
	}
	return float64(hits+1) / (permutations + 1)
}

// signTable returns the sums of up to eight sizes under all signs: size i is added if bit i of
// the index is set.
func signTable(sizes []float64) (table [1 << signBits]float64) {
	for signs := range table {
		for i, size := range sizes {
			if signs>>i&1 == 0 {
				size = -size
			}
			table[signs] += size
		}
	}
	return table
}

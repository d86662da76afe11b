package stats

import "math"

const (
	// normal80 is the 80% quantile of the standard normal distribution: the
	// power that plans are made for.
	normal80 = 0.8416212335729143
	// efficiency is the squared effect that a U test needs for the power that
	// a t test has with 1: pi/3, for normal values (Hodges and Lehmann 1956).
	efficiency = math.Pi / 3
	// maxPlan is the most seeds that a plan names.
	maxPlan = 1 << 20
	// coarse is the number of seeds below which the attainable p values are so
	// few that a test's level lies well below what was asked for.
	coarse = 16
)

// PlanPaired returns the number of seeds, each run on both sides, that it takes to see a
// difference of means of the given size (in the unit of differences) with 80%
// power, when PairedTest is one of the given number of tests that Holm corrects (each at the
// level Alpha/tests, the cautious case; fewer than one counts as one).
//
// The deviation s of the differences is taken for that of all seeds to come. From six
// pairs it is known to no better than a third or so, so the number is a plan and no
// promise. The power is that of the t test,
//
//	difference/s >= (t*(1 - 1/(4f)) + 0.84*sqrt(1 + t^2/(2f))) / sqrt(n)
//
// with f = n-1 degrees of freedom and t the 1 - level/2 quantile (Abramowitz and Stegun 26.7.10 for
// noncentral t), which permutation tests of means share for large n (Hoeffding 1952); for small n
// the level is the largest that the test can attain. docs/statistics.md lists measured powers.
//
// The number is at least SeedsForVerdict, which it is if all differences are equal.
// It is 0 if no plan can be made: fewer than two differences, one not finite, a difference of
// 0, or more than 2^20 seeds.
func PlanPaired(differences []float64, difference float64, tests int) int {
	return plan(Deviation(differences), difference, tests, true)
}

// PlanUnpaired is PlanPaired for UnpairedTest on values of two separate sets of seeds; the number
// is of seeds on each side. The deviation is the root of the mean of the two variances, and a U
// test needs a difference larger by sqrt(pi/3) = 1.023 than a t test if values are normal.
func PlanUnpaired(old, new []float64, difference float64, tests int) int {
	s, t := Deviation(old), Deviation(new)
	return plan(math.Sqrt((float64(s*s)+float64(t*t))/2), difference, tests, false)
}

// Detectable returns the smallest difference of means, in the unit of differences, that as many
// pairs with the same deviation show with 80% power. It is the inverse of PlanPaired. It is +Inf
// for fewer pairs than SeedsForVerdict, so that no difference could be shown, 0 if all differences
// are equal, and NaN if one of them is not finite.
func Detectable(differences []float64, tests int) float64 {
	n := len(differences)
	if !finite(differences...) {
		return math.NaN()
	}
	if n < SeedsForVerdict(tests, true) {
		return math.Inf(1)
	}
	return float64(Deviation(differences) * neededEffect(n, tests, true))
}

// Deviation returns the standard deviation with n-1, in the unit of the values: NaN for
// fewer than two or if one is not finite, and 0 exactly where all are equal.
func Deviation(xs []float64) float64 {
	if len(xs) < 2 || !finite(xs...) {
		return math.NaN()
	}
	sorted := sortedCopy(xs)
	if sorted[0] == sorted[len(sorted)-1] {
		return 0
	}
	deviations, unit := standardise(sorted, Mean(sorted))
	return float64(unit * float64(standardError(deviations)*math.Sqrt(float64(len(xs)))))
}

// plan returns the least number of seeds that shows the difference where the
// standard deviation is s, or 0.
func plan(s, difference float64, tests int, paired bool) int {
	least := SeedsForVerdict(tests, paired)
	effect := math.Abs(difference) / s // +Inf where all differences are equal
	if !(effect > 0) || !finite(difference) {
		return 0
	}
	return leastUnits(least, effect, func(n int) float64 { return neededEffect(n, tests, paired) })
}

// leastUnits returns the least n, at least the given one, for which needed(n), which
// falls, is at most the effect, or 0 if that is more than maxPlan.
func leastUnits(least int, effect float64, needed func(n int) float64) int {
	low, high := least, least
	for needed(high) > effect {
		if high >= maxPlan {
			return 0
		}
		low, high = high+1, min(2*high, maxPlan)
	}
	for low < high {
		if middle := (low + high) / 2; needed(middle) > effect {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return high
}

// neededEffect returns the difference, in standard deviations, that n seeds show
// with 80% power. It falls as n grows.
func neededEffect(n, tests int, paired bool) float64 {
	degrees, scale := n-1, 1/math.Sqrt(float64(n))
	if !paired {
		degrees, scale = 2*(n-1), math.Sqrt(2*efficiency/float64(n))
	}
	level := Alpha / float64(max(tests, 1))
	if n < coarse {
		level = attainable(level, n, paired)
	}
	return effectShown(degrees, scale, float64(level/2), normal80)
}

// effectShown returns the difference, in standard deviations, that a t test shows at
// a one-sided level with the power of which quantile is the normal one, where the
// standard error is scale deviations.
func effectShown(degrees int, scale, level, quantile float64) float64 {
	f, t := float64(degrees), studentQuantile(degrees, 1-level)
	needed := float64(t*(1-1/(4*f))) + float64(quantile*math.Sqrt(1+float64(t*t)/(2*f)))
	return float64(scale * needed)
}

// attainable returns the largest p value up to the level that a test of n seeds can give.
func attainable(level float64, n int, paired bool) float64 {
	if paired {
		step := math.Ldexp(2, -n)
		return float64(step * math.Floor(level/step))
	}
	ranks := make([]int, 2*n)
	for i := range ranks {
		ranks[i] = i + 1
	}
	counts, total := rankSums(ranks, n), 0.0
	for _, count := range counts {
		total += count
	}
	reached, below := 0.0, 0.0
	for _, count := range counts {
		below += count
		if p := 2 * below / total; p > level {
			break
		} else if count > 0 {
			reached = p
		}
	}
	return reached
}

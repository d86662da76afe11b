package stats

import "math"

// Quantiles of the standard normal distribution: the powers that plans of answers
// are made for. Two one-sided tests fail in two ways, with 5% each.
const (
	normal90 = 1.2815515655446004
	normal95 = 1.6448536269514722
)

// PlanAnswer returns the number of units that it takes for an answer either way, if the
// standard deviation of the contrast is deviation and the smallest effect that matters delta.
// Then, each with 90% power, an effect of delta is shown (at the two-sided level Alpha/tests,
// as one of the tests that Holm corrects), and an effect of 0 is shown to be smaller than delta
// (two one-sided tests at the level Alpha each). The powers are those of t tests by
// PlanPaired's formula, of one unit fewer than planned, since Test needs one more than they do;
// docs/statistics.md lists measured powers. If many units tie it takes more than these to show
// that there is no difference: the deviation alone does not show ties.
//
// The number is at least SeedsForVerdict, which it is for a deviation of 0. It is 0
// where none can be given: a deviation or a delta that is negative or not finite, a
// delta of 0, or more than 2^20 units.
func PlanAnswer(deviation, delta float64, tests int) int {
	effect := delta / deviation
	if !(deviation >= 0) || !finite(deviation, delta) || !(effect > 0) {
		return 0
	}
	return leastUnits(SeedsForVerdict(tests, true), effect, func(n int) float64 {
		return max(shownEffect(n, tests), equivalentEffect(n))
	})
}

// DetectableAnswer returns the effect, in the unit of the deviation, that n units
// would have shown with 90% power as one of the given number of tests: the first of
// PlanAnswer's conditions. It is +Inf if n is below SeedsForVerdict, so that no effect could be
// shown, 0 for a deviation of 0, and NaN for a deviation that is negative or not finite.
func DetectableAnswer(deviation float64, n, tests int) float64 {
	switch {
	case !(deviation >= 0) || !finite(deviation):
		return math.NaN()
	case n < SeedsForVerdict(tests, true):
		return math.Inf(1)
	}
	return float64(deviation * shownEffect(n, tests))
}

// shownEffect returns the effect, in standard deviations, that n units show with 90%
// power at the two-sided level Alpha/tests.
func shownEffect(n, tests int) float64 {
	level := Alpha / float64(max(tests, 1))
	if n < coarse {
		level = attainable(level, n, true)
	}
	return effectShown(n-1, bootstrapped(n), float64(level/2), normal90)
}

// equivalentEffect returns the margin, in standard deviations, within which n units
// show an effect of 0 to lie with 90% power.
func equivalentEffect(n int) float64 {
	level := Alpha
	if n < coarse {
		// Half of the level that a two-sided test of twice the level can attain.
		level = attainable(2*Alpha, n, true) / 2
	}
	return effectShown(n-1, bootstrapped(n), level, normal95)
}

// bootstrapped returns the standard error of the mean of n units as a plan reckons with
// it, in deviations: that of one unit fewer, since the larger of two p values costs
// the power of about one.
func bootstrapped(n int) float64 { return 1 / math.Sqrt(float64(n-1)) }

package stats

import "math"

// An Answer is the verdict of the units on a claim at one setting.
type Answer string

const (
	// Supported: the effect has the claimed sign.
	Supported Answer = "supported"
	// Opposed: the effect has the other sign.
	Opposed Answer = "opposed"
	// NoDifference: the effect is too small to matter, to either side.
	NoDifference Answer = "no difference"
	// Undecided: no answer above is shown. More units can show one.
	Undecided Answer = "undecided"
	// Mixed, of several settings: it is supported at some, and at others opposed or no
	// difference. Test, which asks at one setting, never returns it.
	Mixed Answer = "mixed"
	// Untestable: the units could not have shown an effect, however many. Test never returns
	// it: it does not know the metric's optimum.
	Untestable Answer = "untestable here"
)

// A Direction is the side on which a claim places a mean.
type Direction string

const (
	// Above 0.
	Above Direction = "above"
	// Below 0.
	Below Direction = "below"
	// Same: nearer to 0 than a margin.
	Same Direction = "same"
)

// A Question is a claim about the mean of a contrast, one value per unit of replication. Within
// and Delta have the unit of the contrast.
type Question struct {
	Direction Direction
	Within    float64 // of Same: the margin, above 0
	Delta     float64 // of Above and Below: the smallest effect that matters, above 0
	// Threshold, of Above and Below: the contrast is the distance to a bound that the claim
	// names. NoDifference is then no answer, since a mean near the bound is on one side of
	// it or the other.
	Threshold bool
}

// A Finding holds the evidence of N units on a question. Each p value is of the test that would
// give that answer; Answer compares all of them with one level.
type Finding struct {
	N      int
	Effect Interval // the mean of the contrast, by MeanInterval
	// Supported and Opposed are two-sided p values: twice the one-sided one, at
	// most 1. NoDifference is the p value of the two one-sided tests, the larger one. So is
	// Supported of a claim with the direction Same. NoDifference is NaN for such a claim, and
	// for a claim about a threshold.
	Supported, Opposed, NoDifference float64
}

// Test asks the values x of a contrast, one per unit of replication, a question of their mean m.
//
// For the directions Above and Below, Supported is the p value of m <= 0 (of m >= 0), Opposed
// that of the other side, and NoDifference that of |m| >= Delta, by two one-sided tests
// (Schuirmann 1987): p = max(p of m <= -Delta, p of m >= Delta). For Same, Supported is the p
// value of |m| >= Within, likewise, and Opposed that of |m| <= Within: twice the smaller of
// those of m <= Within and m >= -Within.
//
// Each one-sided p value is the larger of the sign-flip test's and the studentised
// bootstrap's; docs/statistics.md has their measured levels. It is at least 2^-N
// and, where values are not tied, 1 in 20,001.
//
// Where k of the N units have the same value, the p value of equivalence is at least (k/N)^N. This
// is the chance that a rare event, if it is as rare as the other values, does not happen in as many
// units: it is above .05 unless three or more units differ from the rest. Units that all agree thus
// never show that the mean is near their value, since they do not show the size of an event that
// they missed. For Above and Below, Supported and Opposed are at least as much if the most frequent
// value is itself nearer to 0 than Delta: units that agree on an effect too small to matter are no
// evidence on a rare effect that does. Units that agree on an effect large enough to matter count.
//
// The order of the units does not matter, and to negate all of them and the claim's
// direction changes nothing unless their mean is 0.
//
// The p values are NaN if no test can be made: no units, a value that is not finite, an unknown
// direction, or a Delta or Within (that of the direction) not above 0. For want of a Delta only
// NoDifference is NaN, and no value is near 0.
func Test(x []float64, q Question) Finding {
	nan := math.NaN()
	found := Finding{N: len(x), Effect: MeanInterval(x), Supported: nan, Opposed: nan, NoDifference: nan}
	if len(x) == 0 || !finite(x...) || !finite(found.Effect.Mean) {
		return found
	}
	// The bootstrap's stream is named by values whose mean is above 0, so that
	// both directions of a comparison have the same p values.
	above, below := &found.Supported, &found.Opposed
	if found.Effect.Mean < 0 {
		x = negated(x)
		above, below = below, above
	}
	if q.Direction == Below {
		above, below = below, above
	}
	l := newLocation(x)
	switch q.Direction {
	case Above, Below:
		least := l.unseen(q.Delta)
		*above, *below = max(twice(l.above(0)), least), max(twice(l.below(0)), least)
		if !q.Threshold {
			found.NoDifference = l.within(q.Delta)
		}
	case Same:
		if q.Within > 0 {
			found.Supported = l.within(q.Within)
			found.Opposed = twice(min(l.above(q.Within), l.below(-q.Within)))
		}
	}
	return found
}

// within returns the p value of the hypothesis that the mean is not nearer to 0
// than the margin, NaN if the margin is not above 0. It is at least the chance that units
// which differ from the most frequent value as often as these do all agree.
func (l location) within(margin float64) float64 {
	if !(margin > 0) {
		return math.NaN()
	}
	return max(l.above(-margin), l.below(margin), l.agreement)
}

// unseen returns the agreement where the units agree on an effect too small to matter,
// else 0. A value that is tied with delta matters.
func (l location) unseen(delta float64) float64 {
	if l.frequent < delta-float64(tied*l.unit) {
		return l.agreement
	}
	return 0
}

// twice returns the two-sided p value of a one-sided one.
func twice(p float64) float64 { return min(1, 2*p) }

func negated(xs []float64) []float64 {
	negative := make([]float64, len(xs))
	for i, x := range xs {
		negative[i] = -x
	}
	return negative
}

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

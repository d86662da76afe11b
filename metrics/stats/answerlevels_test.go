package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/internal/exact"
	"modebench/internal/rng"
	"modebench/internal/testkit"
)

// A contrast is the quantity of a claim, as a family of populations: one for every true mean that it
// may have.
type contrast struct {
	name string
	// delta is the smallest effect that matters. 0, for the textbook's: the delta that n units are
	// planned for if the deviation is 1.
	delta float64
	// with returns the population that has a mean; false if no population has it.
	with func(mean float64) (truth, bool)
}

// A truth is a population of a known mean: the deviation of a value, and samples of n units,
// nil where a sample has no contrast.
type truth struct {
	deviation float64
	draw      func(r *rand.Rand, n int) []float64
}

// A pairedPopulation has the values of a metric for two methods with the same seeds.
type pairedPopulation struct {
	Name  string
	Delta float64   // the smallest difference that matters
	A, B  []float64 // in units of 0.0001, as Delta is
}

func pairedPopulations(t *testing.T) []pairedPopulation {
	var file struct{ Populations []pairedPopulation }
	readJSON(t, "testdata/paired.json", &file)
	if len(file.Populations) == 0 {
		t.Fatal("no populations")
	}
	return file.Populations
}

// pairs draws n seeds with both values of each.
func (p pairedPopulation) pairs(r *rand.Rand, n int) (a, b []float64) {
	a, b = make([]float64, n), make([]float64, n)
	for i := range a {
		seed := r.IntN(len(p.A))
		a[i], b[i] = p.A[seed], p.B[seed]
	}
	return a, b
}

// differences returns a - b of every seed.
func (p pairedPopulation) differences() []float64 {
	ds := make([]float64, len(p.A))
	for i := range ds {
		ds[i] = p.A[i] - p.B[i]
	}
	return ds
}

// tilt returns weights of the values, of sum 1, by which their mean is the one given:
// proportional to exp(t*x). Of all populations of these values with that mean it is the
// nearest in Kullback and Leibler's divergence (Efron 1981). So no value comes up that the
// metric cannot have, and values that tie stay tied. It returns nil where the mean is not inside
// the range of the values.
func tilt(xs []float64, mean float64) []float64 {
	low, high := slices.Min(xs), slices.Max(xs)
	if !(low < mean && mean < high) {
		return nil
	}
	weights := make([]float64, len(xs))
	// The mean rises with t, which is in units of one over the range.
	below, above := -1e6, 1e6
	for range 100 {
		t := (below + above) / 2
		// No exponent above 0.
		top := high
		if t < 0 {
			top = low
		}
		sum, moment := 0.0, 0.0
		for i, x := range xs {
			weights[i] = exact.Exp(float64(t*(x-top)) / (high - low))
			sum += weights[i]
			moment += float64(weights[i] * (x - mean))
		}
		for i := range weights {
			weights[i] /= sum
		}
		if moment < 0 {
			below = t
		} else {
			above = t
		}
	}
	return weights
}

// weighted is the population of the values with these weights.
func weighted(xs, weights []float64) truth {
	sums, mean := make([]float64, len(xs)), 0.0
	for i, w := range weights {
		sums[i] = w
		if i > 0 {
			sums[i] += sums[i-1]
		}
		mean += float64(w * xs[i])
	}
	variance := 0.0
	for i, w := range weights {
		variance += float64(w * (xs[i] - mean) * (xs[i] - mean))
	}
	return truth{math.Sqrt(variance), func(r *rand.Rand, n int) []float64 {
		return draw(r, n, func(r *rand.Rand) float64 {
			i, _ := slices.BinarySearch(sums, r.Float64())
			return xs[min(i, len(xs)-1)]
		})
	}}
}

// shifted is a family that has every mean: samples with a mean of 0, moved.
func shifted(deviation float64, centred func(r *rand.Rand, n int) []float64) func(mean float64) (truth, bool) {
	return func(mean float64) (truth, bool) {
		return truth{deviation, func(r *rand.Rand, n int) []float64 {
			xs := centred(r, n)
			for i := range xs {
				xs[i] += mean
			}
			return xs
		}}, true
	}
}

// contrasts returns textbook populations, differences of the suite's metrics, and
// contrasts of deviations.
func contrasts(t *testing.T) []contrast {
	textbook := func(mean float64, f func(*rand.Rand) float64) func(float64) (truth, bool) {
		return shifted(1, func(r *rand.Rand, n int) []float64 {
			return draw(r, n, func(r *rand.Rand) float64 { return f(r) - mean })
		})
	}
	all := []contrast{
		{"normal", 0, textbook(0, rng.Normal)},
		{"exponential", 0, textbook(1, testkit.Exponential)},
	}
	populations := pairedPopulations(t)
	for _, p := range populations {
		ds := p.differences()
		all = append(all, contrast{p.Name, p.Delta, func(mean float64) (truth, bool) {
			weights := tilt(ds, mean)
			if weights == nil {
				return truth{}, false
			}
			return weighted(ds, weights), true
		}})
	}
	for _, p := range populations {
		switch p.Name {
		case "bandit entropy_mode 500", "countdown distinct_correct 100", "maze reward_l1 100":
			centre := logDeviations(p.A, p.B)
			// No weights of single seeds have a given ratio of deviations as their mean.
			all = append(all, contrast{"log sd, " + p.Name, math.Log(1.5), shifted(Deviation(DeviationContrast(p.A, p.B)), func(r *rand.Rand, n int) []float64 {
				a, b := p.pairs(r, n)
				xs := DeviationContrast(a, b)
				for i := range xs {
					xs[i] -= centre
				}
				return xs
			})})
		}
	}
	return all
}

// answerSizes are the numbers of units of the tables.
var answerSizes = []int{6, 10, 20, 40}

// TestAnswerLevels measures the tables of answers in docs/statistics.md again, from the
// populations whose mean is 0, delta and -delta. Up to 1000 samples are drawn: a sixth of
// -replications, and a twentieth of 40 units and of as many as are planned, which are slow.
func TestAnswerLevels(t *testing.T) {
	testkit.Long(t, "simulates thousands of experiments")
	many, fewer := sample{min(*replications/6, 1000), 1000}, sample{min(*replications/20, 1000), 1000}
	for _, c := range contrasts(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var none, up, down answers
			for _, n := range answerSizes {
				taken, delta := many, c.delta
				if n >= 40 {
					taken = fewer
				}
				if delta == 0 {
					delta = max(shownEffect(n, 1), equivalentEffect(n))
				}
				none.add(c, 0, n, delta, taken)
				up.add(c, delta, n, delta, taken)
				down.add(c, -delta, n, delta, taken)
			}
			publishedUnder(t, "Errors of answers", c.name, slices.Concat(none.supported, none.opposed, up.equal, down.equal))
			publishedUnder(t, "Power of answers", c.name, slices.Concat(up.supported, down.opposed, none.equal))
			if c.delta == 0 {
				return // TestAnswerPower
			}
			none, up, down = answers{}, answers{}, answers{}
			planned := []measurement{none.plan(c, 0, fewer), up.plan(c, c.delta, fewer), down.plan(c, -c.delta, fewer)}
			publishedUnder(t, "Power of planned answers", c.name, slices.Concat(
				planned[1:2], up.supported, planned[2:], down.opposed, planned[:1], none.equal))
		})
	}
}

// answers are how often each answer is given, one entry for every number of units.
type answers struct{ supported, opposed, equal []measurement }

// missing represents an entry that cannot be measured: "-" in the tables.
var missing = measurement{sample{1, 1}, math.NaN()}

// add measures how often samples of n units, from the population with a mean, give each
// answer to a claim of the direction Above.
func (a *answers) add(c contrast, mean float64, n int, delta float64, taken sample) {
	population, there := c.with(mean)
	if !there {
		a.supported, a.opposed, a.equal = append(a.supported, missing), append(a.opposed, missing), append(a.equal, missing)
		return
	}
	counts, r := map[Answer]int{}, rng.New(uint64(n)).Str("answers").Int(math.Float64bits(mean)).Rand()
	for range taken.taken {
		counts[quickAnswer(population.draw(r, n), delta)]++
	}
	a.supported = append(a.supported, taken.share(counts[Supported]))
	a.opposed = append(a.opposed, taken.share(counts[Opposed]))
	a.equal = append(a.equal, taken.share(counts[NoDifference]))
}

// plan adds the number of units that PlanAnswer gives for the population with a mean,
// if it is at most 100, and returns the number. Without a spread there is no number.
func (a *answers) plan(c contrast, mean float64, taken sample) measurement {
	population, there := c.with(mean)
	n := PlanAnswer(population.deviation, c.delta, 1)
	if !there || n > 100 {
		a.supported, a.opposed, a.equal = []measurement{missing}, []measurement{missing}, []measurement{missing}
	} else {
		a.add(c, mean, n, c.delta, taken)
	}
	if !there {
		return missing
	}
	return measurement{sample{1, 1}, float64(n)} // exactly as printed
}

// quickAnswer is Test's at Alpha to a claim of the direction Above. The bootstrap is left out if
// the sign flips rule all answers out: a p value is the larger of both. Answers that the flips let
// pass are not tested by them again.
func quickAnswer(x []float64, delta float64) Answer {
	if x == nil {
		return Undecided
	}
	up, down := Supported, Opposed
	if Mean(sortedCopy(x)) < 0 { // as Test does
		x, up, down = negated(x), Opposed, Supported
	}
	flips := location{xs: x}
	above, below := flips.flipped(0, 1) <= Alpha/2, flips.flipped(0, -1) <= Alpha/2
	equal := flips.flipped(-delta, 1) <= Alpha && flips.flipped(delta, -1) <= Alpha
	if !above && !below && !equal {
		return Undecided
	}
	l := newLocation(x)
	seen := l.unseen(delta) <= Alpha
	switch {
	case equal && l.agreement <= Alpha && max(l.studentP(-delta, 1), l.studentP(delta, -1)) <= Alpha:
		return NoDifference
	case above && seen && l.studentP(0, 1) <= Alpha/2:
		return up
	case below && seen && l.studentP(0, -1) <= Alpha/2:
		return down
	}
	return Undecided
}

// TestQuickAnswer: it is Test's, for values without and with ties, near 0 and elsewhere.
func TestQuickAnswer(t *testing.T) {
	r, seen := rng.New(12).Rand(), map[Answer]int{}
	for i := range 200 {
		n, shift := 6+i%30, float64(i%3-1)
		x := draw(r, n, func(r *rand.Rand) float64 { return rng.Normal(r) + shift })
		if i%2 == 0 {
			for j := range x[:n-r.IntN(4)] {
				x[j] = 0.7 * shift
			}
		}
		want := Test(x, Question{Direction: Above, Delta: 0.8}).answer()
		if got := quickAnswer(x, 0.8); got != want {
			t.Errorf("%v: %s, Test says %s", x, got, want)
		}
		seen[want]++
	}
	if len(seen) != 4 {
		t.Errorf("saw %v, want all four answers", seen)
	}
}

// TestTilt against populations whose tilt is known: of two values, and of a lattice where
// ratios of neighbours' weights are all the same.
func TestTilt(t *testing.T) {
	near := func(what string, got, want float64) {
		if !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	// 0 three times and 1: a mean of 0.1 is the weight of 1.
	weights := tilt([]float64{0, 1, 0, 0}, 0.1)
	for i, want := range []float64{0.3, 0.1, 0.3, 0.3} {
		near("two values", weights[i], want)
	}
	for _, mean := range []float64{-1.9, -0.5, 0, 1.2} {
		weights, got := tilt([]float64{-2, -1, 0, 1, 2}, mean), 0.0
		for i, w := range weights {
			got += w * float64(i-2)
			if i > 0 {
				near("ratio", w/weights[i-1], weights[1]/weights[0])
			}
		}
		near("mean", got, mean)
	}
	for _, mean := range []float64{-1, 0, 1, 2, math.NaN()} {
		if got := tilt([]float64{0, 1}, mean); got != nil {
			t.Errorf("mean %v of 0 and 1: got %v, want none", mean, got)
		}
	}
	// Draws have the stated mean and deviation.
	xs := []float64{0, 3, 1, 7}
	population := weighted(xs, tilt(xs, 2.5))
	drawn := population.draw(rng.New(5).Rand(), 100000)
	if mean, deviation := Mean(drawn), Deviation(drawn); math.Abs(mean-2.5) > 0.04 || math.Abs(deviation-population.deviation) > 0.04 {
		t.Errorf("drawn: mean %v, deviation %v, want 2.5 and %v", mean, deviation, population.deviation)
	}
}

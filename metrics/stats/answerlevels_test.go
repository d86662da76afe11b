package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"modebench/internal/rng"
)

// A contrast is a population of samples of a contrast, one value per unit, the mean of
// which is 0 in truth.
type contrast struct {
	name      string
	deviation float64 // of a value
	draw      func(r *rand.Rand, n int) []float64
}

// A pairedPopulation is what a metric gave in two methods with the same seeds.
type pairedPopulation struct {
	Name string
	A, B []float64 // in units of 0.0001
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

// contrasts returns textbook populations, differences of the suite's metrics, and
// contrasts of deviations.
func contrasts(t *testing.T) []contrast {
	centred := func(mean float64, f func(*rand.Rand) float64) func(*rand.Rand, int) []float64 {
		return func(r *rand.Rand, n int) []float64 {
			xs := draw(r, n, f)
			for i := range xs {
				xs[i] -= mean
			}
			return xs
		}
	}
	all := []contrast{
		{"normal", 1, centred(0, rng.Normal)},
		{"exponential", 1, centred(1, rng.Exponential)},
	}
	populations := pairedPopulations(t)
	for _, p := range populations {
		differences := make([]float64, len(p.A))
		for i := range p.A {
			differences[i] = p.A[i] - p.B[i]
		}
		all = append(all, contrast{p.Name, Deviation(differences),
			centred(Mean(differences), func(r *rand.Rand) float64 { return differences[r.IntN(len(differences))] })})
	}
	for _, p := range populations {
		switch p.Name {
		case "bandit entropy_mode 500", "countdown distinct_correct 100", "maze reward_l1 100":
			truth := logDeviations(p.A, p.B)
			all = append(all, contrast{"log sd, " + p.Name, Deviation(DeviationContrast(p.A, p.B)), func(r *rand.Rand, n int) []float64 {
				a, b := p.pairs(r, n)
				xs := DeviationContrast(a, b)
				for i := range xs {
					xs[i] -= truth
				}
				return xs
			}})
		}
	}
	return all
}

// shown says which answers the values x give where the truth is moved from 0 by shift,
// if delta is what matters, as Test does; the values of a location are moved by moving
// what they are compared with.
func (l location) shown(shift, delta float64) Finding {
	return Finding{
		Supported:    twice(l.above(-shift)),
		Opposed:      twice(l.below(-shift)),
		NoDifference: max(l.above(-delta-shift), l.below(delta-shift), l.agreement),
	}
}

// answerSizes are the numbers of units of the tables.
var answerSizes = []int{6, 10, 20, 40}

// TestAnswerLevels measures the tables of answers in the package comment again. The
// smallest effect that matters is the one that n units are planned for. Up to 1000
// samples are drawn, a sixth of -replications.
func TestAnswerLevels(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for half a minute")
	}
	for _, c := range contrasts(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			taken := sample{min(*replications/6, 1000), 1000}
			var counts [7][]measurement
			for _, n := range answerSizes {
				delta := float64(c.deviation * max(shownEffect(n, 1), equivalentEffect(n)))
				for i, count := range answersOf(c, n, delta, taken.taken) {
					counts[i] = append(counts[i], taken.share(count))
				}
			}
			var errors, powers []measurement
			for _, column := range counts[:4] {
				errors = append(errors, column...)
			}
			for _, column := range counts[4:] {
				powers = append(powers, column...)
			}
			publishedUnder(t, "Measured errors of answers", c.name, errors)
			publishedUnder(t, "Measured power of answers", c.name, powers)
		})
	}
}

// answersOf counts, in so many samples of n values: false support and false opposition
// where the mean is 0; false equivalence where it is delta, and -delta; support where it
// is delta, and of a claim that says below where it is -delta; and equivalence where it
// is 0.
func answersOf(c contrast, n int, delta float64, samples int) (counts [7]int) {
	r := rng.New(uint64(n)).Str("answers").Rand()
	for range samples {
		xs := c.draw(r, n)
		if xs == nil {
			continue // no answer
		}
		l := newLocation(xs)
		none, up, down := l.shown(0, delta), l.shown(delta, delta), l.shown(-delta, delta)
		for i, happened := range []bool{
			none.Supported <= Alpha,
			none.Opposed <= Alpha,
			up.NoDifference <= Alpha,
			down.NoDifference <= Alpha,
			up.Answer(Alpha) == Supported,
			down.Answer(Alpha) == Opposed,
			none.Answer(Alpha) == NoDifference,
		} {
			if happened {
				counts[i]++
			}
		}
	}
	return counts
}

// TestShownIsTest: what the simulation asks of a location is what Test answers to the
// moved values, up to the noise of their resamples, which are others.
func TestShownIsTest(t *testing.T) {
	const delta = 0.8
	r := rng.New(12).Rand()
	for _, n := range []int{6, 12, exactUnits + 4} {
		xs := draw(r, n, rng.Normal)
		l := newLocation(xs)
		for _, shift := range []float64{0, delta, -delta} {
			moved := make([]float64, n)
			for i := range xs {
				moved[i] = xs[i] + shift
			}
			got, want := l.shown(shift, delta), Test(moved, Question{Says: Above, Delta: delta})
			for _, p := range [][2]float64{{got.Supported, want.Supported}, {got.Opposed, want.Opposed}, {got.NoDifference, want.NoDifference}} {
				if noise := 6 * math.Sqrt(p[1]/fineResamples); math.Abs(p[0]-p[1]) > noise {
					t.Errorf("n = %d, moved by %v: %v, Test says %v", n, shift, p[0], p[1])
				}
			}
		}
	}
}

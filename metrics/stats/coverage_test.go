package stats

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"modebench/internal/exact"
	"modebench/internal/rng"
	"modebench/internal/testkit"
)

// replications is how many experiments are simulated for a row of the package
// comment's table of populations, which shows 8000; with as many here, every number
// has to come out as printed. Each takes that many intervals of the mean, and a
// quarter of that of the IQM, which is slower.
var replications = flag.Int("replications", 600, "simulated experiments per row")

// A population is where the value of a seed is drawn from.
type population struct {
	name      string
	mean, iqm float64 // its own
	draw      func(*rand.Rand) float64
}

func draw(r *rand.Rand, n int, f func(*rand.Rand) float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = f(r)
	}
	return xs
}

func bernoulli(p float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		if r.Float64() < p {
			return 1
		}
		return 0
	}
}

// populations returns the textbook populations and those of real metrics.
func populations(t *testing.T) []population {
	entropy := func(v float64) float64 { return v - v*math.Log(v) }
	cdf := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	const quartile = 0.6744897501960817 // of the normal
	share := func(r *rand.Rand) float64 {
		sum := 0.0
		for range 64 {
			sum += bernoulli(0.3)(r)
		}
		return sum / 64
	}
	all := []population{
		{"normal", 0, 0, rng.Normal},
		// The quantile function is -log(1-u), whose integral is entropy's.
		{"exponential", 1, 2 * (entropy(0.75) - entropy(0.25)), testkit.Exponential},
		// Completing the square in the integral of exp(z) between the quartiles.
		{"lognormal", math.Exp(0.5), 2 * math.Exp(0.5) * (cdf(quartile-1) - cdf(-quartile-1)), func(r *rand.Rand) float64 { return exact.Exp(rng.Normal(r)) }},
		{"share of 64, p = 0.3", 0.3, binomialIQM(64, 0.3), share},
		{"0 or 1, p = 0.5", 0.5, 0.5, bernoulli(0.5)},
		{"0 or 1, p = 0.2", 0.2, 0, bernoulli(0.2)},
	}
	var file struct {
		Populations []struct {
			Name   string
			Values []float64
			Counts []int
		}
	}
	readJSON(t, "testdata/populations.json", &file)
	for _, p := range file.Populations {
		var xs []float64
		for i, x := range p.Values {
			for range p.Counts[i] {
				xs = append(xs, x)
			}
		}
		all = append(all, population{p.Name, Mean(xs), IQM(xs), func(r *rand.Rand) float64 { return xs[r.IntN(len(xs))] }})
	}
	return all
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// binomialIQM returns the interquartile mean of the share of n successes: the
// part of each outcome's mass that lies between the quartiles.
func binomialIQM(n int, p float64) float64 {
	mass, below, sum := math.Pow(1-p, float64(n)), 0.0, 0.0
	for k := range n + 1 {
		inside := max(0, min(below+mass, 0.75)-max(below, 0.25))
		sum += inside * float64(k) / float64(n)
		below += mass
		mass *= float64(n-k) / float64(k+1) * p / (1 - p)
	}
	return 2 * sum
}

// TestCoverage measures the table of docs/statistics.md again: of MeanInterval,
// Student's interval and IQMInterval, for each population and n = 6, 10 and 20.
func TestCoverage(t *testing.T) {
	for _, p := range populations(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			many, fewer := sample{simulations(*replications), 8000}, sample{simulations(*replications / 4), 2000}
			var measured []measurement
			for _, n := range []int{6, 10, 20} {
				measured = append(measured, coverage(p, n, many, func(xs []float64) (low, high, truth float64) {
					i := MeanInterval(xs)
					return i.Low, i.High, p.mean
				}))
			}
			for _, n := range []int{6, 10, 20} {
				measured = append(measured, coverage(p, n, many, func(xs []float64) (low, high, truth float64) {
					low, high = naiveT(xs)
					return low, high, p.mean
				}))
			}
			for _, n := range []int{6, 10, 20} {
				measured = append(measured, coverage(p, n, fewer, func(xs []float64) (low, high, truth float64) {
					i := IQMInterval(xs)
					return i.Low, i.High, p.iqm
				}))
			}
			published(t, p.name, measured)
		})
	}
}

// simulations is n, or a tenth of it in a short test.
func simulations(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// A sample is how many experiments are simulated, and how many docs/statistics.md
// shows, of which these are the first: the streams are the same.
type sample struct{ taken, shown int }

// A measurement is how often something happened in a sample, in percent.
type measurement struct {
	sample
	percent float64
}

func (s sample) share(count int) measurement {
	return measurement{s, 100 * float64(count) / float64(s.taken)}
}

// coverage measures how often an interval for n values holds what it is for.
func coverage(p population, n int, s sample, interval func([]float64) (low, high, truth float64)) measurement {
	r := rng.New(uint64(n)).Str("coverage").Rand()
	covered := 0
	for range s.taken {
		low, high, truth := interval(draw(r, n, p.draw))
		// A truth that is a rounding away from a bound is inside.
		if slack := 1e-12 * math.Abs(truth); low-slack <= truth && truth <= high+slack {
			covered++
		}
	}
	return s.share(covered)
}

// agrees reports whether a number printed in percent, to the given step, is the measured one: to its
// last digit if as many experiments were taken, else up to four standard errors of an estimate from
// the first of them.
func (m measurement) agrees(printed, step float64) bool {
	// At least the deviation of 99%, since a row may have 100.
	share := min(max(printed/100, 0.01), 0.99)
	noise := 400 * math.Sqrt(share*(1-share)*max(0, 1/float64(m.taken)-1/float64(m.shown)))
	return math.Abs(m.percent-printed) <= noise+step/2+1e-9
}

// published compares measured percentages with the row of that name on the page.
func published(t *testing.T, name string, measured []measurement) {
	t.Helper()
	publishedUnder(t, "Coverage of the intervals", name, measured)
}

// publishedUnder is published for a row below the heading that begins so. A measurement that
// is NaN is "-" there.
func publishedUnder(t *testing.T, heading, name string, measured []measurement) {
	t.Helper()
	row := ""
	for _, m := range measured {
		row += fmt.Sprintf(" %6.1f", m.percent)
	}
	t.Logf("%-45s%s", name, row)
	_, below, _ := strings.Cut(page(t), "\n## "+heading)
	_, after, found := strings.Cut(below, "\n"+name+"  ")
	if !found {
		t.Fatalf("the page has no row %q below %q", name, heading)
	}
	line, _, _ := strings.Cut(after, "\n")
	fields := strings.Fields(line)
	if len(fields) != len(measured) {
		t.Fatalf("row %q has %d numbers, want %d", name, len(fields), len(measured))
	}
	for i, field := range fields {
		if field == "-" || math.IsNaN(measured[i].percent) {
			if field != "-" || !math.IsNaN(measured[i].percent) {
				t.Errorf("column %d: measured %v, the page says %s", i+1, measured[i].percent, field)
			}
			continue
		}
		printed, err := strconv.ParseFloat(field, 64)
		if err != nil {
			t.Fatal(err)
		}
		if !measured[i].agrees(printed, 0.1) {
			t.Errorf("column %d: measured %.1f, the page says %s", i+1, measured[i].percent, field)
		}
	}
}

// page is the page with the measured numbers.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/statistics.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestMeasurementAgreesToItsNoise: a printed number that is a point off does not agree with a
// measurement of the whole sample.
func TestMeasurementAgreesToItsNoise(t *testing.T) {
	for _, test := range []struct {
		reason  string
		m       measurement
		printed float64
		want    bool
	}{
		{"the last digit", sample{8000, 8000}.share(7596), 95.0, true}, // 94.95
		{"another last digit", sample{8000, 8000}.share(7596), 95.1, false},
		{"within what 600 of 8000 tell (3.4 points)", sample{600, 8000}.share(552), 95.0, true},
		{"beyond it", sample{600, 8000}.share(540), 95.0, false},
	} {
		if got := test.m.agrees(test.printed, 0.1); got != test.want {
			t.Errorf("%s: %v is %v: got %v", test.reason, test.m.percent, test.printed, got)
		}
	}
}

// TestImprovementCoverage measures that table: Improvement on two sides of 6, 10
// and 20 values each.
func TestImprovementCoverage(t *testing.T) {
	shifted := func(scale, by float64, f func(*rand.Rand) float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 { return scale*f(r) + by }
	}
	counts := func(shares ...float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 {
			u, k := r.Float64(), 0
			for k < len(shares)-1 && u >= shares[k] {
				u -= shares[k]
				k++
			}
			return float64(k)
		}
	}
	normalShift := func(d float64) float64 { return math.Erfc(-d/2) / 2 }
	for _, test := range []struct {
		name     string
		truth    float64
		old, new func(*rand.Rand) float64
	}{
		{"normal, no shift", 0.5, rng.Normal, rng.Normal},
		{"normal, shift 1", normalShift(1), rng.Normal, shifted(1, 1, rng.Normal)},
		{"normal, shift 2", normalShift(2), rng.Normal, shifted(1, 2, rng.Normal)},
		{"normal, shift 3", normalShift(3), rng.Normal, shifted(1, 3, rng.Normal)},
		// The difference is normal with deviation sqrt(10).
		{"normal, shift 3, deviation 1 and 3", normalShift(3 / math.Sqrt(5)), rng.Normal, shifted(3, 3, rng.Normal)},
		// P(c*X > Y) = c/(c+1).
		{"exponential, 3 times as large", 0.75, testkit.Exponential, shifted(3, 0, testkit.Exponential)},
		{"exponential, 9 times as large", 0.9, testkit.Exponential, shifted(9, 0, testkit.Exponential)},
		{"counts 1-4, the same", 0.5, counts(0.2, 0.3, 0.3, 0.2), counts(0.2, 0.3, 0.3, 0.2)},
		// Old less than 3: .7 of .15 and .9 of .8 by counting, ties half.
		{"counts 1-4, mostly higher", 0.05*(0.3+0.2) + 0.15*(0.7+0.1) + 0.8*(0.9+0.05), counts(0.3, 0.4, 0.2, 0.1), counts(0, 0.05, 0.15, 0.8)},
		{"0 or 1, p = 0.2 and 0.6", 0.6*(0.8+0.1) + 0.4*0.4, counts(0.8, 0.2), counts(0.4, 0.6)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var measured []measurement
			for _, n := range []int{6, 10, 20} {
				both := population{draw: test.old}
				news := rng.New(uint64(n)).Str("new").Rand()
				measured = append(measured, coverage(both, n, sample{simulations(4000), 4000}, func(old []float64) (low, high, truth float64) {
					i := Improvement(old, draw(news, n, test.new))
					return i.Low, i.High, test.truth
				}))
			}
			published(t, test.name, measured)
		})
	}
}

// TestLevels measures how often the tests reject without an effect: never more than 5%, by more
// than the noise, if their hypothesis holds.
func TestLevels(t *testing.T) {
	counts := func(r *rand.Rand) float64 { return float64(r.IntN(4)) }
	for _, test := range []struct {
		name     string
		draw     func(*rand.Rand) float64
		holds    bool // for differences of draws against 0, in the paired test
		centring float64
	}{
		{"differences of normal values", rng.Normal, true, 0},
		{"differences of exponential values", func(r *rand.Rand) float64 { return testkit.Exponential(r) - testkit.Exponential(r) }, true, 0},
		{"differences of counts", func(r *rand.Rand) float64 { return counts(r) - counts(r) }, true, 0},
		{"differences with a skewed distribution", testkit.Exponential, false, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			runs := simulations(4000)
			var measured []measurement
			for _, n := range []int{6, 10, 20} {
				r := rng.New(uint64(n)).Str("level").Rand()
				rejected := 0
				for range runs {
					xs := draw(r, n, test.draw)
					for i := range xs {
						xs[i] -= test.centring
					}
					if PairedTest(xs) <= Alpha {
						rejected++
					}
				}
				share := float64(rejected) / float64(runs)
				if limit := Alpha + 4*math.Sqrt(Alpha/float64(runs)); test.holds && share > limit {
					t.Errorf("n = %d: rejects %.4f, want at most %.4f", n, share, limit)
				}
				measured = append(measured, sample{runs, 4000}.share(rejected))
			}
			published(t, test.name, measured)
		})
	}
}

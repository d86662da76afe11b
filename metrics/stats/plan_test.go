package stats

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"modebench/internal/rng"
)

// TestPlanAgainstPublished: the numbers of pairs, and of values on each side,
// that G*Power gives for Student's tests at 5% two-sided and 80% power, as many
// textbooks print them (Cohen 1988, tables 2.4). A U test takes pi/3 as many.
func TestPlanAgainstPublished(t *testing.T) {
	for _, test := range []struct {
		effect           float64
		paired, unpaired float64
	}{{0.2, 199, 394}, {0.3, 90, 176}, {0.5, 34, 64}} {
		if got := plan(1, test.effect, 1, true); math.Abs(float64(got)-test.paired) > 1 {
			t.Errorf("effect %v: %d pairs, want %v", test.effect, got, test.paired)
		}
		want := test.unpaired * math.Pi / 3
		if got := plan(1, test.effect, 1, false); math.Abs(float64(got)-want) > 1 {
			t.Errorf("effect %v: %d a side, want %v", test.effect, got, want)
		}
	}
}

// TestPower compares the page's table of plans, and of the power that the real tests have with them.
// A blank cell takes too long to measure.
func TestPower(t *testing.T) {
	_, table, _ := strings.Cut(page(t), "\ndifference/deviation")
	lines := strings.Split(table, "\n")
	var columns []int // their first bytes, after the name of a row
	for i := range lines[0] {
		if lines[0][i] != ' ' && lines[0][i-1] == ' ' {
			columns = append(columns, i)
		}
	}
	effects := strings.Fields(lines[0])
	for row, name := range []string{"paired, 1 test", "paired, 5 tests", "unpaired, 1 test", "unpaired, 5 tests"} {
		paired, tests := row < 2, 1+4*(row%2)
		plans, found := strings.CutPrefix(lines[1+2*row], name)
		if !found {
			t.Fatalf("the page has no row %q where it should be", name)
		}
		seeds := strings.Fields(plans)[1:] // without the "n"
		for i, effect := range effects {
			d, err := strconv.ParseFloat(effect, 64)
			if err != nil {
				t.Fatal(err)
			}
			n := plan(1, d, tests, paired)
			if len(seeds) != len(effects) || seeds[i] != strconv.Itoa(n) {
				t.Errorf("%s, difference %v: %d seeds are planned, the page says %v", name, d, n, seeds)
			}
			powers := strings.TrimPrefix(lines[2+2*row], strings.Repeat(" ", len("difference/deviation")))
			cell := powers[min(columns[i], len(powers)):]
			if i+1 < len(columns) {
				cell = powers[min(columns[i], len(powers)):min(columns[i+1], len(powers))]
			}
			for less, printed := range strings.Fields(cell) {
				t.Run(fmt.Sprintf("%s, %s, %d", name, effect, n-less), func(t *testing.T) {
					t.Parallel()
					checkPower(t, n-less, tests, paired, d, printed)
				})
			}
		}
	}
}

// checkPower compares the power that n seeds have with a printed one, which is in
// parentheses and whole where n is less than planned.
func checkPower(t *testing.T, n, tests int, paired bool, effect float64, printed string) {
	s := sample{simulations(4000), 4000}
	if n > 20 || !paired && n > 12 {
		s.taken /= 8 // each takes up to milliseconds
	}
	r := rng.New(7).Int(uint64(n)).Rand()
	shifted := func() []float64 {
		xs := draw(r, n, rng.Normal)
		for i := range xs {
			xs[i] += effect
		}
		return xs
	}
	rejected := 0
	for range s.taken {
		p := 0.0
		if paired {
			p = PairedTest(shifted())
		} else {
			p = UnpairedTest(draw(r, n, rng.Normal), shifted())
		}
		if float64(tests)*p <= Alpha {
			rejected++
		}
	}
	step := 0.1
	if strings.HasPrefix(printed, "(") {
		step = 1
	}
	want, err := strconv.ParseFloat(strings.Trim(printed, "()"), 64)
	if err != nil {
		t.Fatal(err)
	}
	if m := s.share(rejected); !m.agrees(want, step) {
		t.Errorf("measured %.2f, the page says %s", m.percent, printed)
	}
}

func TestPlanEdges(t *testing.T) {
	spread := []float64{0.1, 0.3, 0.2, 0.5, -0.1, 0.2}
	for _, test := range []struct {
		reason      string
		differences []float64
		difference  float64
		tests       int
		want        int
	}{
		{"no spread: what a verdict needs", []float64{0.1, 0.1, 0.1}, 0.01, 1, 6},
		{"no spread, five tests", []float64{0.1, 0.1, 0.1}, 0.01, 5, 8},
		{"huge against the spread", spread, 100, 5, 8},
		{"nothing to see", spread, 0, 1, 0},
		{"NaN to see", spread, math.NaN(), 1, 0},
		{"infinite", spread, math.Inf(1), 1, 0},
		{"one difference: no spread known", []float64{1}, 1, 1, 0},
		{"a NaN", []float64{1, math.NaN()}, 1, 1, 0},
		{"more than 2^20", spread, 1e-9, 1, 0},
	} {
		if got := PlanPaired(test.differences, test.difference, test.tests); got != test.want {
			t.Errorf("%s: got %d, want %d", test.reason, got, test.want)
		}
	}
	if got, want := PlanUnpaired([]float64{1, 2}, []float64{3, 3}, 0, 1), 0; got != want {
		t.Errorf("unpaired, nothing to see: got %d, want %d", got, want)
	}
	// Deviations 1 and 7 have the root mean square 5.
	if got, want := PlanUnpaired([]float64{0, math.Sqrt2}, []float64{0, 7 * math.Sqrt2}, 5, 2), plan(1, 1, 2, false); got != want {
		t.Errorf("unpaired spreads: got %d, want %d", got, want)
	}
}

// TestPlanReaches: up to the most seeds that a plan names, it names the first
// number that will do.
func TestPlanReaches(t *testing.T) {
	for _, n := range []int{6, 15, 16, 700_000, 800_000, 1_000_000, maxPlan} {
		for _, paired := range []bool{true, false} {
			if got := plan(1, neededEffect(n, 1, paired), 1, paired); got != n {
				t.Errorf("paired %v: %d seeds show this much, %d are planned for it", paired, n, got)
			}
		}
	}
	if got := plan(1, neededEffect(maxPlan+1, 1, true), 1, true); got != 0 {
		t.Errorf("more than %d: got %d", maxPlan, got)
	}
}

// TestDetectable: inverse to PlanPaired, and 0, infinite or NaN without spread, for too few pairs
// and for values that are not finite.
func TestDetectable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		differences := rapid.SliceOfN(rapid.Float64Range(-1, 1), 8, 60).Draw(t, "differences")
		tests := rapid.IntRange(1, 5).Draw(t, "tests")
		d := Detectable(differences, tests)
		if Deviation(differences) == 0 {
			if d != 0 {
				t.Fatalf("no spread: got %v", d)
			}
			return
		}
		if got := PlanPaired(differences, 1.000001*d, tests); got > len(differences) {
			t.Errorf("%d pairs show %v, but %d are planned for it", len(differences), d, got)
		}
		if got := PlanPaired(differences, 0.999999*d, tests); got <= len(differences) && len(differences) > SeedsForVerdict(tests, true) {
			t.Errorf("%d pairs show no less than %v, but %d are planned for less", len(differences), d, got)
		}
	})
	if got := Detectable([]float64{1, 2, 3, 4, 5, 6, 7}, 5); !math.IsInf(got, 1) {
		t.Errorf("7 pairs can show nothing in 5 tests: got %v", got)
	}
	if got := Detectable([]float64{1, 2, 3, 4, 5, 6, math.Inf(1)}, 1); !math.IsNaN(got) {
		t.Errorf("an infinite difference: got %v", got)
	}
}

// TestNeededEffectFalls: plans search for the first number of seeds that will
// do, which is right if more seeds never show less.
func TestNeededEffectFalls(t *testing.T) {
	for tests := 1; tests <= 40; tests++ {
		for _, paired := range []bool{true, false} {
			least := SeedsForVerdict(tests, paired)
			for n := least; n < 40; n++ {
				if a, b := neededEffect(n, tests, paired), neededEffect(n+1, tests, paired); !(b < a) {
					t.Errorf("%d tests, paired %v: %v with %d seeds, %v with %d", tests, paired, a, n, b, n+1)
				}
			}
		}
	}
}

func TestAttainable(t *testing.T) {
	for _, test := range []struct {
		reason string
		level  float64
		n      int
		paired bool
		want   float64
	}{
		{"6 pairs: 2/64, 4/64, ...", 0.05, 6, true, 2.0 / 64},
		{"10 pairs: 50 of 1024 is the largest below 51.2", 0.05, 10, true, 50.0 / 1024},
		{"6 a side: 2 * (1+1+2+3+5+7) of 924 for rank sums 21 to 26", 0.05, 6, false, 38.0 / 924},
		{"6 a side: only the smallest", 0.003, 6, false, 2.0 / 924},
	} {
		if got := attainable(test.level, test.n, test.paired); math.Abs(got-test.want) > 1e-15 {
			t.Errorf("%s: got %v, want %v", test.reason, got, test.want)
		}
	}
}

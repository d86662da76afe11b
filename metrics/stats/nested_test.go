package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"modebench/internal/rng"
)

// calcium is the calcium of turnip leaves, in percent of dry weight: four plants, three
// leaves of each, two determinations of each (Snedecor and Cochran 1967, sec. 10.16). Their
// estimates are 0.3652 of plants, 0.1610 of leaves and 0.0067 of determinations.
var calcium = [][][]float64{
	{{3.28, 3.09}, {3.52, 3.48}, {2.88, 2.80}},
	{{2.46, 2.44}, {1.87, 1.92}, {2.19, 2.19}},
	{{2.77, 2.66}, {3.74, 3.44}, {2.55, 2.55}},
	{{3.78, 3.87}, {4.07, 4.12}, {3.31, 3.31}},
}

func TestComponentsOfTextbook(t *testing.T) {
	v := Components(calcium)
	for _, c := range []struct {
		name    string
		got     Component
		want    float64
		degrees int
	}{{"plants", v.Problems, 0.3652, 3}, {"leaves", v.Base, 0.1610, 8}, {"determinations", v.Training, 0.0067, 12}} {
		if math.Abs(c.got.Variance-c.want) > 1.01e-4 || c.got.Degrees != c.degrees || c.got.Truncated() {
			t.Errorf("%s: %+v, want %v with %d degrees of freedom", c.name, c.got, c.want, c.degrees)
		}
	}
	if v.Draws != 4 || v.Bases != 12 || v.Seeds != 24 || v.BaseInProblems || v.BaseInTraining {
		t.Errorf("counted %+v", v)
	}
	if sum := v.Share(v.Problems) + v.Share(v.Base) + v.Share(v.Training); math.Abs(sum-1) > 1e-12 {
		t.Errorf("shares add up to %v", sum)
	}
}

// designs are numbers of seeds, [draw][base policy].
var designs = []struct {
	name   string
	counts [][]int
}{
	{"balanced", [][]int{{2, 2}, {2, 2}, {2, 2}}},
	{"two draws", [][]int{{3, 3}, {3, 3}}},
	{"unbalanced seeds", [][]int{{1, 4}, {2, 2}, {3, 1}}},
	{"unbalanced everything", [][]int{{5}, {1, 2, 1}, {2, 7}, {1, 1}}},
	{"one base policy a draw", [][]int{{2}, {3}, {4}, {1}}},
	{"one seed a base policy", [][]int{{1, 1}, {1, 1, 1}, {1}}},
	{"with gaps", [][]int{{0, 2, 2}, {}, {2, 1}, {0}, {1, 3}}},
}

// TestComponentsAreUnbiased: a component is a quadratic form q of the values. If these are
// uncorrelated effects of variance 1, each spread over the seeds that it is of, the
// expectation of q is the sum of q over the effects' patterns. That is arithmetic, with no
// random number, and knows nothing of mean squares: the patterns of one source add up to 1 in
// its own component, and to 0 in the others.
func TestComponentsAreUnbiased(t *testing.T) {
	for _, d := range designs {
		v := Components(pattern(d.counts, func(i, j, k int) bool { return false }))
		sums := map[string][3]float64{}
		add := func(source string, is func(i, j, k int) bool) {
			w := Components(pattern(d.counts, is))
			s := sums[source]
			for c, x := range []float64{w.Problems.Raw, w.Base.Raw, w.Training.Raw} {
				s[c] += x
			}
			sums[source] = s
		}
		for i, draw := range d.counts {
			add("problems", func(a, _, _ int) bool { return a == i })
			for j, n := range draw {
				add("base", func(a, b, _ int) bool { return a == i && b == j })
				for k := range n {
					add("training", func(a, b, c int) bool { return a == i && b == j && c == k })
				}
			}
		}
		add("mean", func(_, _, _ int) bool { return true })
		want := map[string][3]float64{"mean": {}, "problems": {1, 0, 0}, "base": {0, 1, 0}, "training": {0, 0, 1}}
		nan := math.NaN()
		switch {
		case v.BaseInProblems:
			// One base policy a draw: its pattern is the draw's.
			want = map[string][3]float64{"mean": {0, nan, 0}, "problems": {1, nan, 0}, "base": {1, nan, 0}, "training": {0, nan, 1}}
		case v.BaseInTraining:
			want = map[string][3]float64{"mean": {0, nan, 0}, "problems": {1, nan, 0}, "base": {0, nan, 1}, "training": {0, nan, 1}}
		}
		for source, w := range want {
			for c := range w {
				if got := sums[source][c]; math.Abs(got-w[c]) > 1e-12 || math.IsNaN(got) != math.IsNaN(w[c]) {
					t.Errorf("%s: %s of variance 1 is expected to give %v of (problems, base, training), want %v", d.name, source, sums[source], w)
					break
				}
			}
		}
	}
}

// pattern has 1 where is holds, else 0.
func pattern(counts [][]int, is func(i, j, k int) bool) [][][]float64 {
	out := make([][][]float64, len(counts))
	for i, draw := range counts {
		out[i] = make([][]float64, len(draw))
		for j, n := range draw {
			out[i][j] = make([]float64, n)
			for k := range out[i][j] {
				if is(i, j, k) {
					out[i][j][k] = 1
				}
			}
		}
	}
	return out
}

// TestComponentsOfBalanced: in a balanced design the estimates are differences of mean
// squares, and the variance of the mean of draws is the mean square of the draws over N.
func TestComponentsOfBalanced(t *testing.T) {
	r := rng.New(1).Str("balanced").Rand()
	for range 20 {
		values := simulate(r, 5, 3, 2, 1, 0.5, 2)
		v := Components(values)
		var means []float64
		for _, draw := range values {
			means = append(means, Mean(flat([][][]float64{draw})))
		}
		sd := Deviation(means)
		// sigma_a^2 + sigma_b^2/3 + sigma_e^2/6 is the variance of a draw's mean.
		if got := v.Problems.Raw + v.Base.Raw/3 + v.Training.Raw/6; math.Abs(got-sd*sd) > 1e-12 {
			t.Errorf("the components make a variance of %v of a draw's mean, and it is %v", got, sd*sd)
		}
	}
}

// simulate draws normal effects with these deviations.
func simulate(r *rand.Rand, draws, bases, seeds int, problems, base, training float64) [][][]float64 {
	out := make([][][]float64, draws)
	for i := range out {
		a := problems * rng.Normal(r)
		out[i] = make([][]float64, bases)
		for j := range out[i] {
			b := a + base*rng.Normal(r)
			for range seeds {
				out[i][j] = append(out[i][j], 3+b+training*rng.Normal(r))
			}
		}
	}
	return out
}

// TestComponentsOfSimulations: the mean estimate over many experiments is the truth, within
// four standard errors of it; where the truth is 0, half of the estimates are cut off.
func TestComponentsOfSimulations(t *testing.T) {
	const times = 4000
	for _, truth := range [][3]float64{{1, 0.5, 2}, {0.1, 2, 1}, {0, 0, 1}} {
		r := rng.New(2).Str(fmt.Sprint("simulations ", truth)).Rand()
		var raw [3][]float64
		cut := 0
		for range times {
			v := Components(simulate(r, 6, 2, 2, truth[0], truth[1], truth[2]))
			for c, one := range []Component{v.Problems, v.Base, v.Training} {
				raw[c] = append(raw[c], one.Raw)
				if one.Variance < 0 || one.Truncated() != (one.Variance != one.Raw) {
					t.Fatalf("component %d: %+v", c, one)
				}
			}
			if v.Base.Truncated() {
				cut++
			}
		}
		for c, xs := range raw {
			want, se := truth[c]*truth[c], Deviation(xs)/math.Sqrt(times)
			if got := Mean(xs); math.Abs(got-want) > 4*se {
				t.Errorf("deviations %v: component %d is %v in the mean, want %v (standard error %v)", truth, c, got, want, se)
			}
		}
		if share := float64(cut) / times; truth[1] == 0 && (share < 0.4 || share > 0.7) {
			t.Errorf("no variance of base policies: %v of the estimates are below 0, want about half", share)
		}
	}
}

// TestInseparableComponentsAreNaN: components that a design cannot separate are NaN, and not a guess.
func TestInseparableComponentsAreNaN(t *testing.T) {
	for name, values := range map[string][][][]float64{
		"nothing":             nil,
		"one draw":            {{{1, 2}, {3, 4}}},
		"one seed a draw":     {{{1}}, {{2}}, {{3}}},
		"a value that is not": {{{1, 2}}, {{3, math.NaN()}}},
		"an infinite one":     {{{1, 2}}, {{3, math.Inf(1)}}},
	} {
		v := Components(values)
		if !math.IsNaN(v.Problems.Variance) || !math.IsNaN(v.Base.Variance) || !math.IsNaN(v.Training.Variance) || !math.IsNaN(v.Deviation()) {
			t.Errorf("%s: %+v", name, v)
		}
	}
	v := Components([][][]float64{{{1, 1}}, {{1, 1}}})
	if v.Problems.Variance != 0 || v.Training.Variance != 0 || !math.IsNaN(v.Share(v.Problems)) {
		t.Errorf("equal values: %+v, share %v", v, v.Share(v.Problems))
	}
}

// TestHierarchicalCoverage: with ten draws of four seeds, and as much variance of the draws
// as of training, the interval over draws holds the truth in 95% of experiments, and one over
// the forty seeds in far fewer: their mean has a variance of 1/10 + 1/40, and seems to
// have 2/40, so 1.96 of its deviations are 1.24 of the true ones, and it would hold 78%.
func TestHierarchicalCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	const times = 3000
	r := rng.New(3).Str("coverage").Rand()
	held, naive := 0, 0
	for range times {
		var groups [][]float64
		for _, draw := range simulate(r, 10, 1, 4, 1, 0, 1) {
			groups = append(groups, draw[0])
		}
		var all []float64
		for _, g := range groups {
			all = append(all, g...)
		}
		holds := func(i Interval) int {
			if i.Low <= 3 && 3 <= i.High {
				return 1
			}
			return 0
		}
		held += holds(HierarchicalInterval(groups))
		naive += holds(MeanInterval(all))
	}
	// The standard error of a share of 0.95 is 0.004, and of 0.78 0.008.
	if share := float64(held) / times; math.Abs(share-0.95) > 0.013 {
		t.Errorf("over draws: %v of the intervals hold the truth, want 0.95", share)
	}
	if share := float64(naive) / times; math.Abs(share-0.78) > 0.03 {
		t.Errorf("over seeds: %v of the intervals hold the truth, want 0.78", share)
	}
}

// TestHierarchicalInterval: it is the interval over the draws' means, and the values' own
// where each is alone.
func TestHierarchicalInterval(t *testing.T) {
	groups := [][]float64{{1, 3}, {4, 4, 4}, {5}, {9, 1}}
	if got, want := HierarchicalInterval(groups), MeanInterval([]float64{2, 4, 5, 5}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := HierarchicalInterval(nil); got.N != 0 || !math.IsNaN(got.Mean) {
		t.Errorf("no group: %+v", got)
	}
}

package metrics

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func newGradient(t reporter, exact []float64) *Gradient {
	t.Helper()
	g, err := NewGradient(exact)
	if err != nil {
		t.Errorf("%v", err)
	}
	return g
}

func gradientStatistics(t reporter, g *Gradient) GradientStatistics {
	t.Helper()
	s, err := g.Statistics()
	if err != nil {
		t.Errorf("%v", err)
	}
	return s
}

func sameStatistics(t reporter, what string, got, want GradientStatistics, tolerance float64) {
	t.Helper()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"bias", got.Bias, want.Bias}, {"squared bias", got.SquaredBias, want.SquaredBias}, {"variance", got.Variance, want.Variance},
		{"SNR", got.SNR, want.SNR}, {"cosine", got.Cosine, want.Cosine}, {"mean cosine", got.MeanCosine, want.MeanCosine},
	} {
		if math.IsNaN(c.want) && math.IsNaN(c.got) {
			continue
		}
		near(t, what+": "+c.name, c.got, c.want, tolerance)
	}
}

// TestReinforceOnTwoArms: a softmax policy plays arm 1 (reward 1) with probability p and
// arm 2 (reward 0) otherwise. The gradient of the expected reward is p(1-p) (1, -1). An
// estimate (r - b) grad log p is (1-b)(1-p) (1, -1) for arm 1 and b p (1, -1) for arm 2.
func TestReinforceOnTwoArms(t *testing.T) {
	for _, p := range []float64{0.5, 0.1, 0.9} {
		v := p * (1 - p)
		for _, test := range []struct {
			reason string
			b      float64
			scale  float64 // of the advantage: a bias
			want   GradientStatistics
		}{
			{"REINFORCE has no bias; it is 0 or in the right direction", 0, 1, GradientStatistics{
				Variance: 2 * v * (1 - p) * (1 - p), SNR: p / (1 - p), Cosine: 1, MeanCosine: p}},
			{"a baseline between the rewards: always right", 0.25, 1, GradientStatistics{
				Variance: 2 * v * (0.75*(1-p) - 0.25*p) * (0.75*(1-p) - 0.25*p), Cosine: 1, MeanCosine: 1}},
			{"a baseline above both: arm 1 goes the wrong way", 2, 1, GradientStatistics{
				Variance: 2 * v * (-1*(1-p) - 2*p) * (-1*(1-p) - 2*p), Cosine: 1, MeanCosine: 1 - 2*p}},
			{"doubled advantages", 0, 2, GradientStatistics{
				Bias: math.Sqrt2 * v, SquaredBias: 2 * v * v, Variance: 4 * 2 * v * (1 - p) * (1 - p), SNR: p / (1 - p), Cosine: 1, MeanCosine: p}},
			{"the wrong sign", 0, -1, GradientStatistics{
				Bias: 2 * math.Sqrt2 * v, SquaredBias: 8 * v * v, Variance: 2 * v * (1 - p) * (1 - p), SNR: p / (1 - p), Cosine: -1, MeanCosine: -p}},
		} {
			g := newGradient(t, []float64{v, -v})
			first, second := test.scale*(1-test.b)*(1-p), test.scale*test.b*p
			for _, add := range []error{g.AddWeighted([]float64{9, 9}, 0), g.AddWeighted([]float64{first, -first}, p), g.AddWeighted([]float64{second, -second}, 1-p)} {
				if add != nil {
					t.Fatal(add)
				}
			}
			if test.want.SNR == 0 {
				test.want.SNR = 2 * v * v / test.want.Variance
			}
			sameStatistics(t, test.reason, gradientStatistics(t, g), test.want, 1e-14)
		}
	}
}

// TestGradientInTwoPasses computes the statistics of samples from their definitions.
func TestGradientInTwoPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, n := rapid.IntRange(1, 4).Draw(t, "d"), rapid.IntRange(2, 8).Draw(t, "n")
		// Multiples of 1/8, so that shifted ones keep their digits.
		vector := rapid.SliceOfN(rapid.Map(rapid.IntRange(-16, 16), func(x int) float64 { return float64(x) / 8 }), d, d)
		exact := vector.Draw(t, "exact")
		shift := rapid.SampledFrom([]float64{0, 1000}).Draw(t, "shift") // a bias far above the noise
		g := newGradient(t, exact)
		var all [][]float64
		for range n {
			x := vector.Draw(t, "estimate")
			for i := range x {
				x[i] += shift
			}
			all = append(all, x)
			if err := g.Add(x); err != nil {
				t.Fatal(err)
			}
		}
		norm := func(v []float64) float64 { return math.Sqrt(dot(v, v)) }
		mean, off := make([]float64, d), make([]float64, d)
		want := GradientStatistics{SNR: math.NaN(), Cosine: math.NaN(), MeanCosine: math.NaN()}
		for i := range mean {
			for _, x := range all {
				mean[i] += x[i] / float64(n)
			}
			off[i] = mean[i] - exact[i]
		}
		cosine := 0.0
		for _, x := range all {
			for i := range x {
				want.Variance += (x[i] - mean[i]) * (x[i] - mean[i]) / float64(n-1)
			}
			if norm(x) > 0 && norm(exact) > 0 {
				cosine += dot(x, exact) / norm(x) / norm(exact) / float64(n)
			}
		}
		want.Bias = norm(off)
		want.SquaredBias = want.Bias*want.Bias - want.Variance/float64(n)
		got := gradientStatistics(t, g)
		if want.Variance > 1e-20 {
			want.SNR = dot(mean, mean) / want.Variance
		} else {
			want.SNR = got.SNR // rounding alone tells whether there is variance
		}
		if norm(exact) > 0 {
			want.MeanCosine = cosine
			if norm(mean) > 1e-12 {
				want.Cosine = dot(mean, exact) / norm(mean) / norm(exact)
			} else {
				want.Cosine = got.Cosine // likewise its direction
			}
		} else {
			want.Cosine, want.MeanCosine = got.Cosine, got.MeanCosine
		}
		sameStatistics(t, "samples", got, want, 1e-9)
	})
}

// TestGradientExpectations averages what samples of three say over all that can be drawn:
// Variance and SquaredBias are what the outcomes have, the square of Bias is too high by
// Variance/3.
func TestGradientExpectations(t *testing.T) {
	exact, p := []float64{1, 2}, []float64{0.5, 0.3, 0.2}
	estimates := [][]float64{{3, 1}, {-1, 2}, {0, 0}}
	whole := newGradient(t, exact)
	var mean GradientStatistics
	squared := 0.0
	for i := range 27 {
		if i < 3 {
			if err := whole.AddWeighted(estimates[i], p[i]); err != nil {
				t.Fatal(err)
			}
		}
		g, draw := newGradient(t, exact), 1.0
		for _, j := range []int{i / 9, i / 3 % 3, i % 3} {
			draw *= p[j]
			if err := g.Add(estimates[j]); err != nil {
				t.Fatal(err)
			}
		}
		s := gradientStatistics(t, g)
		mean.Variance += draw * s.Variance
		mean.SquaredBias += draw * s.SquaredBias
		mean.MeanCosine += draw * s.MeanCosine
		squared += draw * s.Bias * s.Bias
	}
	want := gradientStatistics(t, whole)
	near(t, "variance", mean.Variance, want.Variance, 1e-14)
	near(t, "squared bias", mean.SquaredBias, want.SquaredBias, 1e-14)
	near(t, "mean cosine", mean.MeanCosine, want.MeanCosine, 1e-14)
	near(t, "bias", squared, want.SquaredBias+want.Variance/3, 1e-14)
}

// TestGradientKeepsDigits: noise of 1 on a gradient of 1e8 and more, where the difference
// of mean square and squared mean has no digit left.
func TestGradientKeepsDigits(t *testing.T) {
	for _, large := range []float64{1e8, 1e12} {
		g := newGradient(t, []float64{large})
		for i := range 1000 {
			if err := g.Add([]float64{large + 5 + float64(i%2*2-1)}); err != nil { // one above, one below
				t.Fatal(err)
			}
		}
		s := gradientStatistics(t, g)
		near(t, "bias", s.Bias, 5, 1e-14)
		near(t, "variance", s.Variance, 1000./999, 1e-13)
	}
}

func TestGradientWithoutDirection(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		reason    string
		exact     []float64
		estimates [][]float64
		want      GradientStatistics
	}{
		{"nothing to climb", []float64{0, 0}, [][]float64{{1, 0}, {-1, 0}}, GradientStatistics{Variance: 2, SquaredBias: -1, SNR: 0, Cosine: nan, MeanCosine: nan}},
		{"estimates that cancel", []float64{1, 0}, [][]float64{{1, 0}, {-1, 0}}, GradientStatistics{Bias: 1, SquaredBias: 0, Variance: 2, SNR: 0, Cosine: nan, MeanCosine: 0}},
		{"no noise", []float64{1, 0}, [][]float64{{0, 2}, {0, 2}}, GradientStatistics{Bias: math.Sqrt(5), SquaredBias: 5, SNR: nan, Cosine: 0, MeanCosine: 0}},
		{"one that goes nowhere counts as right-angled", []float64{1, 0}, [][]float64{{0, 0}, {2, 0}}, GradientStatistics{Variance: 2, SquaredBias: -1, SNR: 0.5, Cosine: 1, MeanCosine: 0.5}},
	} {
		g := newGradient(t, test.exact)
		for _, x := range test.estimates {
			if err := g.Add(x); err != nil {
				t.Fatal(err)
			}
		}
		got := gradientStatistics(t, g)
		for _, c := range [][2]float64{{got.SNR, test.want.SNR}, {got.Cosine, test.want.Cosine}, {got.MeanCosine, test.want.MeanCosine}} {
			if math.IsNaN(c[0]) != math.IsNaN(c[1]) {
				t.Errorf("%s: got %+v, want %+v", test.reason, got, test.want)
			}
		}
		sameStatistics(t, test.reason, got, test.want, 1e-15)
	}
}

func TestImpossibleGradients(t *testing.T) {
	want := func(what, message string, err error) {
		t.Helper()
		if err == nil || err.Error() != message {
			t.Errorf("%s: error %v, want %q", what, err, message)
		}
	}
	_, err := NewGradient(nil)
	want("no parameters", "exact gradient: no entries, want one per parameter", err)
	_, err = NewGradient([]float64{0, math.Inf(-1)})
	want("infinite", "exact gradient[1]: got -Inf, want a number within 1e+150 of 0", err)

	exact := []float64{1, 2}
	g := newGradient(t, exact)
	exact[0] = 7 // it has a copy
	want("another length", "estimate: 1 entries, want 2 as in the exact gradient", g.Add([]float64{1}))
	want("not a number", "estimate[0]: got NaN, want a number within 1e+150 of 0", g.Add([]float64{math.NaN(), 0}))
	want("no probability", "probability 1.5, want a number in [0, 1]", g.AddWeighted([]float64{1, 2}, 1.5))
	want("not a probability", "probability NaN, want a number in [0, 1]", g.AddWeighted([]float64{1, 2}, math.NaN()))
	_, err = g.Statistics()
	want("nothing", "0 estimates, want at least 2 to tell bias from noise", err)
	if err := g.Add([]float64{1, 2}); err != nil {
		t.Fatal(err)
	}
	_, err = g.Statistics()
	want("one sample", "1 estimates, want at least 2 to tell bias from noise", err)
	want("both kinds", "estimates with and without a probability do not mix; want all of one kind", g.AddWeighted([]float64{1, 2}, 0.5))
	if err := g.Add([]float64{1, 2}); err != nil {
		t.Fatal(err)
	}
	if s := gradientStatistics(t, g); s.Bias != 0 {
		t.Errorf("bias %v after errors, want 0", s.Bias)
	}

	g = newGradient(t, []float64{1})
	if err := g.AddWeighted([]float64{1}, 0.5); err != nil {
		t.Fatal(err)
	}
	_, err = g.Statistics()
	want("half of the outcomes", "the probabilities of 1 estimates add up to 0.5, want 1 within 1e-09", err)
	want("the other kind", "estimates with and without a probability do not mix; want all of one kind", g.Add([]float64{1}))
}

// BenchmarkGradient measures adding one estimate of 1000 parameters.
func BenchmarkGradient(b *testing.B) {
	x := make([]float64, 1000)
	for i := range x {
		x[i] = float64(i%17) - 8
	}
	g, err := NewGradient(x)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := g.Add(x); err != nil {
			b.Fatal(err)
		}
	}
}

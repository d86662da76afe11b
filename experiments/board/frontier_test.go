package board

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestAreaIsAnIntegral holds Area against a sum over many accuracies.
func TestAreaIsAnIntegral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var trace Trace
		for range rapid.IntRange(1, 8).Draw(t, "evaluations") {
			trace = append(trace, Point{
				Accuracy:  rapid.Float64Range(-.2, 1.1).Draw(t, "accuracy"),
				Diversity: rapid.Float64Range(0, 1).Draw(t, "diversity"),
			})
		}
		const slices = 20000
		sum := 0.0
		for i := range slices {
			a, most := (float64(i)+.5)/slices, 0.0
			for _, p := range trace {
				if p.Accuracy >= a {
					most = max(most, p.Diversity)
				}
			}
			sum += most / slices
		}
		if got := trace.Area(); math.Abs(got-sum) > 10./slices {
			t.Errorf("%v: area %v, by slices %v", trace, got, sum)
		}
	})
}

// TestAreaBounds: the base policy has 0 and the exact optimum 1; an evaluation more takes
// nothing away.
func TestAreaBounds(t *testing.T) {
	base := Point{Accuracy: 0, Diversity: .9}
	for _, c := range []struct {
		reason string
		trace  Trace
		want   float64
	}{
		{"the base policy", Trace{base}, 0},
		{"the optimum", Trace{base, {Accuracy: 1, Diversity: 1}}, 1},
		{"all accuracy on one answer", Trace{base, {Accuracy: 1, Diversity: .1}}, .1},
		{"half of the way with all, then the rest with a tenth", Trace{base, {Accuracy: .5, Diversity: 1}, {Accuracy: 1, Diversity: .1}}, .55},
		{"worse than the base", Trace{base, {Accuracy: -.3, Diversity: 1}}, 0},
		{"back again", Trace{base, {Accuracy: .5, Diversity: .6}, {Accuracy: -1, Diversity: 0}}, .3},
	} {
		if got := c.trace.Area(); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		points := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Point {
			return Point{Accuracy: rapid.Float64Range(-1, 2).Draw(t, "a"), Diversity: rapid.Float64Range(0, 1).Draw(t, "d")}
		}), 2, 9).Draw(t, "points")
		if less, all := Trace(points[:len(points)-1]).Area(), Trace(points).Area(); all < less-1e-12 || all > 1+1e-12 || less < 0 {
			t.Errorf("%v: %v with all evaluations, %v without the last", points, all, less)
		}
	})
}

func TestReached(t *testing.T) {
	trace := Trace{
		{Drawn: 0, Accuracy: 0, Diversity: .8, Entropy: 2},
		{Drawn: 100, Accuracy: .4, Diversity: .7, Entropy: 1},
		{Drawn: 200, Accuracy: .8, Diversity: .5, Entropy: .1},
		{Drawn: 300, Accuracy: .6, Diversity: .4, Entropy: .3},
		{Drawn: 400, Accuracy: .7, Diversity: .2, Entropy: .2},
		{Drawn: 500, Accuracy: .7, Diversity: .2, Entropy: .1},
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 || math.IsNaN(got) != math.IsNaN(want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("diversity at .5", trace.DiversityAt(.5), .65)
	near("diversity at .75", trace.DiversityAt(.75), .525)
	near("diversity at .9", trace.DiversityAt(.9), math.NaN())
	near("diversity at an evaluation", trace.DiversityAt(.4), .7)
	near("diversity at 0", trace.DiversityAt(0), .8)
	near("tokens to .9 of .7", trace.TokensTo(.9), 100+100*(.63-.4)/.4)
	near("tokens of what got worse", Trace{trace[1], trace[0]}.TokensTo(.9), math.NaN())
	near("collapse", trace.Collapse(), 400)
	near("no collapse", trace[:4].Collapse(), math.NaN())
	near("no entropy", Trace{{Entropy: math.NaN()}, {Entropy: math.NaN()}}.Collapse(), math.NaN())
}

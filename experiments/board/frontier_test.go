package board

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"modebench/metrics"
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

func TestCrossings(t *testing.T) {
	trace := Trace{
		{Drawn: 0, Accuracy: 0, Diversity: .8, Solved: .1, Entropy: 2},
		{Drawn: 100, Accuracy: .4, Diversity: .7, Solved: .2, Entropy: 1},
		{Drawn: 200, Accuracy: .8, Diversity: .5, Solved: .6, Entropy: .1},
		{Drawn: 300, Accuracy: .6, Diversity: .4, Solved: .5, Entropy: .3},
		{Drawn: 400, Accuracy: .7, Diversity: .2, Solved: .4, Entropy: .2},
		{Drawn: 500, Accuracy: .7, Diversity: .2, Solved: .4, Entropy: .1},
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-12) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("diversity at .5", trace.AtAccuracy(.5, diversity), .65)
	near("solved at .5", trace.AtAccuracy(.5, solved), .3)
	near("diversity at .75", trace.AtAccuracy(.75, diversity), .525)
	near("diversity at .9", trace.AtAccuracy(.9, diversity), math.NaN())
	near("diversity at an evaluation", trace.AtAccuracy(.4, diversity), .7)
	near("diversity at 0", trace.AtAccuracy(0, diversity), .8)
	near("diversity below 0", trace.AtAccuracy(-1, diversity), .8)
	near("tokens to .9 of .7", trace.TokensTo(.9), 100+100*(.63-.4)/.4)
	near("tokens of what got worse", Trace{trace[1], trace[0]}.TokensTo(.9), math.NaN())
	near("collapse", trace.Collapse(), 400)
	near("no collapse", trace[:4].Collapse(), math.NaN())
	near("no entropy", Trace{{Entropy: math.NaN()}, {Entropy: math.NaN()}}.Collapse(), math.NaN())
	near("halfway, at an evaluation", trace.halfway(400), .8)
	near("halfway, between two", trace.halfway(500), .7)
	near("halfway of a run that drew less than half", trace.halfway(2000), .7)
	near("halfway, between the first two", trace.halfway(50), .1)
	near("halfway of the base policy alone", trace[:1].halfway(500), 0)
}

// straight is a run from the base policy to an end.
func straight(accuracy, from, to float64) Trace {
	return Trace{{Diversity: from, Solved: 1 - from}, {Drawn: 1, Accuracy: accuracy, Diversity: to, Solved: 1 - to}}
}

// TestAboveOfStraightLines: two straight lines from the same point that end at the accuracies A and B, with
// the slopes p and q, are (p-q) min(A, B) / 2 apart in the mean.
func TestAboveOfStraightLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(.1, 1.2).Draw(t, "end of one"), rapid.Float64Range(.1, 1.2).Draw(t, "end of the other")
		from, p, q := rapid.Float64Range(0, 1).Draw(t, "from"), rapid.Float64Range(-1, 1).Draw(t, "slope of one"), rapid.Float64Range(-1, 1).Draw(t, "slope of the other")
		one, other := straight(a, from, from+p*a), straight(b, from, from+q*b)
		want := (p - q) * min(a, b, 1) / 2
		if got := one.Above(other, diversity); math.Abs(got-want) > 1e-9 {
			t.Errorf("diversity %v above, want %v", got, want)
		}
		if got := one.Above(other, solved); math.Abs(got+want) > 1e-9 {
			t.Errorf("solved %v above, want %v", got, -want)
		}
		// Parallel ones are their distance apart.
		if got := one.Above(straight(a, from-.2, from-.2+p*a), diversity); math.Abs(got-.2) > 1e-9 {
			t.Errorf("%v above what is .2 below", got)
		}
	})
	one := straight(.5, .8, .4)
	for _, short := range []Trace{straight(.099, .8, .4), {{}}, {}, {{Accuracy: math.NaN()}}, straight(-.5, .8, .4)} {
		if got := one.Above(short, diversity); !math.IsNaN(got) {
			t.Errorf("%v above a run that shares less than a tenth of the way, want NaN", got)
		}
		if got := short.Above(one, diversity); !math.IsNaN(got) {
			t.Errorf("a run that shares less than a tenth of the way is %v above, want NaN", got)
		}
	}
	if got := one.Above(straight(.1, .7, .3), diversity); math.IsNaN(got) {
		t.Error("NaN above a run that goes a tenth of the way")
	}
}

// runs draws traces from the base policy, which go forth and back.
func runs(t *rapid.T, name string) Trace {
	trace := Trace{{Accuracy: rapid.Float64Range(-.1, .05).Draw(t, "start of "+name), Diversity: rapid.Float64Range(0, 1).Draw(t, "diversity")}}
	for i := range rapid.IntRange(1, 9).Draw(t, "evaluations of "+name) {
		trace = append(trace, Point{
			Drawn: float64(i + 1), Accuracy: rapid.Float64Range(-.2, 1.1).Draw(t, "accuracy"),
			Diversity: rapid.Float64Range(0, 1).Draw(t, "diversity"), Solved: rapid.Float64Range(0, 1).Draw(t, "solved"),
		})
	}
	return trace
}

// firstReached is the diversity at which a run first has an accuracy, by a search along its lines.
func firstReached(trace Trace, accuracy float64) float64 {
	if trace[0].Accuracy >= accuracy {
		return trace[0].Diversity
	}
	for i := range trace[1:] {
		from, to := trace[i], trace[i+1]
		if to.Accuracy < accuracy {
			continue
		}
		low, high := 0., 1.
		for range 60 {
			if middle := (low + high) / 2; from.Accuracy*(1-middle)+to.Accuracy*middle < accuracy {
				low = middle
			} else {
				high = middle
			}
		}
		return from.Diversity*(1-high) + to.Diversity*high
	}
	return math.NaN()
}

// TestAboveIsAnIntegral holds Above against a fine sum, and to its laws: it is antisymmetric, 0 against
// the run itself and against any longer run of which it is the beginning.
func TestAboveIsAnIntegral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, other := runs(t, "one"), runs(t, "the other")
		got, highest := one.Above(other, diversity), func(trace Trace) (high float64) {
			for _, p := range trace {
				high = max(high, p.Accuracy)
			}
			return min(high, 1)
		}
		end := min(highest(one), highest(other))
		if math.IsNaN(got) != (end < .1) {
			t.Fatalf("%v above where both go %v of the way", got, end)
		}
		if end < .1 {
			return
		}
		sum, fine := 0.0, 0.0
		const parts = 2000
		for i := range parts {
			difference := func(i, n int) float64 {
				a := end * (float64(i) + .5) / float64(n)
				return (firstReached(one, a) - firstReached(other, a)) / float64(n)
			}
			fine += difference(i, parts)
			if i < metrics.PathPlaces {
				sum += difference(i, metrics.PathPlaces)
			}
		}
		if math.Abs(got-sum) > 1e-9 {
			t.Errorf("%v above, by a search %v", got, sum)
		}
		// At a rise to a new height the diversity may jump, within one of the fifty parts.
		if rises := float64(len(one) + len(other)); math.Abs(got-fine) > rises/metrics.PathPlaces {
			t.Errorf("%v above, by a fine sum %v", got, fine)
		}
		if back := other.Above(one, diversity); back != -got {
			t.Errorf("%v above, and %v from the other side", got, back)
		}
		if got := one.Above(one, diversity); got != 0 {
			t.Errorf("%v above itself", got)
		}
		early := one[:rapid.IntRange(1, len(one)).Draw(t, "stopped after")]
		if got := early.Above(one, diversity); got != 0 && !(math.IsNaN(got) && highest(early) < .1) {
			t.Errorf("a run that stops early is %v above itself", got)
		}
		if got, want := early.Above(other, solved), one.Above(other, solved); highest(early) == highest(one) && got != want {
			t.Errorf("what comes after the highest accuracy changes %v to %v", want, got)
		}
	})
}

// TestAboveOfSmoothRuns: of runs that rise at every evaluation the sum of fifty terms is the integral to
// a hundredth.
func TestAboveOfSmoothRuns(t *testing.T) {
	curve := func(number func(a float64) float64, end float64) (out Trace) {
		for i := range 21 {
			a := end * float64(i) / 20
			out = append(out, Point{Drawn: float64(i), Accuracy: a, Diversity: number(a)})
		}
		return out
	}
	one := curve(func(a float64) float64 { return 1 - a*a }, .9)
	other := curve(func(a float64) float64 { return math.Exp(-2 * a) }, .6)
	want := 1 - .6*.6/3 - (1-math.Exp(-1.2))/1.2 // in closed form
	if got := one.Above(other, diversity); math.Abs(got-want) > .001 {
		t.Errorf("%v above, want %v", got, want)
	}
}

// TestAboveAtEnd: a run that stopped early lies 0 above the run that went on; else the difference at its last
// accuracy, and NaN where the other never gets there.
func TestAboveAtEnd(t *testing.T) {
	long := Trace{{Accuracy: 0, Diversity: .9}, {Accuracy: .5, Diversity: .7}, {Accuracy: .9, Diversity: .3}}
	for _, c := range []struct {
		name string
		run  Trace
		want float64
	}{
		{"a prefix", long[:2], 0},
		{"between two evaluations", Trace{{Accuracy: 0, Diversity: .9}, {Accuracy: .7, Diversity: .8}}, .8 - .5},
		{"further than the other", Trace{{Accuracy: .95, Diversity: .2}}, math.NaN()},
	} {
		f := Final{trace: c.run, reference: long}
		if got := f.aboveAtEnd(); math.Abs(got-c.want) > 1e-15 || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

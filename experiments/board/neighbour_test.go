package board

import (
	"math"
	"testing"

	"modebench/internal/lined"
)

// behaviour is an evaluated setting whose accuracy and diversity go from 0 and 1 straight to these.
func behaviour(accuracy, diversity float64, areas ...lined.Number) *Evaluated {
	return &Evaluated{
		Trace: [][4]lined.Number{{0, 0, 1, 0}, {1, lined.Number(accuracy), lined.Number(diversity), 0}},
		Seeds: map[string][]lined.Number{"area": areas},
	}
}

// TestDistance: against sums that are worked out by hand. Straight lines that end d apart differ by
// d i/10 at the i-th tenth, and the mean square of i/10 for i from 0 to 10 is 3.85/11 = 0.35.
func TestDistance(t *testing.T) {
	a := behaviour(1, 1, .5, .6)
	for _, c := range []struct {
		b    *Evaluated
		want float64
	}{
		{a, 0},
		{behaviour(.5, 1, .5, .6), math.Sqrt(.35 * .25 / 3)},
		{behaviour(1, .8, .5, .6), math.Sqrt(.35 * .04 / 3)},
		{behaviour(1, 1, .6, .5), math.Sqrt(.01 / 3)}, // seed by seed, and not in the mean
		{behaviour(.5, .8, .6, .7), math.Sqrt((.35*.25 + .35*.04 + .01) / 3)},
	} {
		if got := a.Distance(c.b); math.Abs(got-c.want) > 1e-12 || got != c.b.Distance(a) {
			t.Errorf("distance %v, want %v, the same from either end", got, c.want)
		}
	}
	// One more evaluation on the line changes nothing, and a trace that ends early stays.
	b := behaviour(.5, 1, .5, .6)
	b.Trace = append(b.Trace[:1:1], [4]lined.Number{.37, .185, 1, 0}, b.Trace[1])
	if got, want := a.Distance(b), a.Distance(behaviour(.5, 1, .5, .6)); math.Abs(got-want) > 1e-12 {
		t.Errorf("distance %v with an evaluation more, want %v", got, want)
	}
	if got := behaviour(.5, .8).point(1.5); got.Accuracy != .5 || got.Diversity != .8 {
		t.Errorf("behind the last evaluation %+v", got)
	}
}

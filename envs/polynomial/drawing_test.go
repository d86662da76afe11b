package polynomial

import (
	"math"
	"slices"
	"testing"

	"modebench/envs"
)

// TestDrawingMarksPairs: answers of a mode share a mark, which is a ring for a correct pair and a
// cross for another, and a pair outside has no mark.
func TestDrawingMarksPairs(t *testing.T) {
	e, err := Default().Build()
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Problem(envs.Train, 4)
	if err != nil {
		t.Fatal(err)
	}
	d := p.(*Problem).Drawing(
		envs.Attempt{Verdict: &envs.Verdict{Mode: "x=10, y=9", Correct: true}},
		envs.Attempt{Verdict: &envs.Verdict{Mode: "x=0, y=0"}},
		envs.Attempt{Verdict: &envs.Verdict{Mode: "x=10, y=9", Correct: true}},
		envs.Attempt{Verdict: &envs.Verdict{Mode: "x=9999, y=0"}},
		envs.Attempt{Verdict: &envs.Verdict{Mode: "no pair"}})
	marks := map[envs.ShapeKind][][]int{}
	for _, s := range d.Shapes {
		if len(s.Answers) > 0 {
			marks[s.Kind] = append(marks[s.Kind], s.Answers)
		}
	}
	for kind, want := range map[envs.ShapeKind][][]int{envs.Ring: {{0, 2}}, envs.Cross: {{1}}, envs.Count: {{0, 2}, {1}}} {
		if !slices.EqualFunc(marks[kind], want, slices.Equal[[]int]) {
			t.Errorf("marks of kind %d are of the answers %v, want %v", kind, marks[kind], want)
		}
	}
}

// TestContourLiesOnTheCurve: the ends of the contour's lines are near the curve, and each
// relation has as many lines as its curve is long.
func TestContourLiesOnTheCurve(t *testing.T) {
	for _, c := range []struct {
		reason string
		q      relation
		length float64 // in the window from -10 to 10 in x and y
	}{
		{"a circle of radius 5", relation{x: [maxDegree + 1]int64{-25, 0, 1}, yy: 1}, 10 * math.Pi},
		{"a line", relation{explicit: true, x: [maxDegree + 1]int64{0, 1}, y: -1}, 20 * 1.12 * math.Sqrt2},
		{"no curve", relation{x: [maxDegree + 1]int64{1, 0, 1}, yy: 1}, 0},
	} {
		f := newPlane([2]float64{-10, -10}, [2]float64{10, 10})
		scale := f.width / (f.high[0] - f.low[0])
		points := f.contour(&c.q)
		length := 0.0
		for i := 0; i < len(points); i += 2 {
			length += math.Hypot(points[i+1][0]-points[i][0], points[i+1][1]-points[i][1]) / scale
			x := f.low[0] + (points[i][0]-f.left)/scale
			y := f.high[1] - (points[i][1]-f.top)/scale
			if v := c.q.near([2]float64{x, y}); math.Abs(v) > 0.1 {
				t.Errorf("%s: P is %g at the end (%g, %g)", c.reason, v, x, y)
			}
		}
		if math.Abs(length-c.length) > 0.01*c.length {
			t.Errorf("%s: the contour is %g long, want %g", c.reason, length, c.length)
		}
	}
}

// TestWindowLeavesOutFarPairs: the origin is in the window, a pair far off is not.
func TestWindowLeavesOutFarPairs(t *testing.T) {
	var spots []spot
	for i := range 20 {
		spots = append(spots, spot{pos: [2]float64{float64(1 + i), float64(20 - i)}})
	}
	low, high := window(append(spots, spot{pos: [2]float64{900, 0}}))
	if low != [2]float64{} || high[0] > 60 || high[0] < 10 || high[1] > 60 || high[1] < 10 {
		t.Errorf("the window is %v to %v", low, high)
	}
}

// TestPlanesHaveUsualShapes: a circle is round, a steep curve has scales of its own, and a single
// pair has a window.
func TestPlanesHaveUsualShapes(t *testing.T) {
	stretch := func(f *plane) float64 { return f.width / (f.high[0] - f.low[0]) / (f.height / (f.high[1] - f.low[1])) }
	for _, high := range [][2]float64{{10, 10}, {10, 7}, {10, 3}, {10, 15}} {
		if s := stretch(newPlane([2]float64{-high[0], -high[1]}, high)); math.Abs(s-1) > 1e-9 {
			t.Errorf("%v: x is drawn %g times as large as y", high, s)
		}
	}
	if s := stretch(newPlane([2]float64{-5, -500}, [2]float64{5, 500})); s < 10 {
		t.Errorf("a steep curve: x is drawn %g times as large as y", s)
	}
	if f := newPlane([2]float64{}, [2]float64{}); f.high[0]-f.low[0] < leastReach || len(f.ticks(0)) < 3 {
		t.Errorf("a single pair: %+v with the ticks %v", f, f.ticks(0))
	}
}

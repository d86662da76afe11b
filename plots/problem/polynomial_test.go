package problem

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/envs/polynomial"
	"modebench/plots/draw/drawtest"
)

// smallCircle is x^2+y^2 = 25 with some of its pairs.
func smallCircle() scripted {
	return scripted{
		fields: map[string]any{"relation": "x^2+y^2 = 25", "coefficients": []curveTerm{{2, 0, 1}, {0, 2, 1}, {0, 0, -25}}},
		modes:  []envs.Mode{"x=-5, y=0", "x=-3, y=4", "x=0, y=-5", "x=1.4, y=4.8", "x=3, y=4"},
		script: []scriptedVerdict{
			{"", "x=-3, y=4", true}, {"", "x=1, y=1", false}, {"", "x=100, y=0", false}, {"", "", false},
		},
	}
}

func TestCurveShowsItsPairs(t *testing.T) {
	d := problemSVG(t, "polynomial", smallCircle())
	drawtest.WantTexts(t, d, "polynomial train/7: x^2+y^2 = 25", "5 correct pairs", "whole numbers: 4 pairs", "decimals: 1 pair", "x", "y")
	if strings.Contains(d.Joined(), "in the picture") || strings.Contains(d.Joined(), "given") {
		t.Errorf("the picture says what is not so: %s", d.Joined())
	}
	// Four dots and their entry in the legend; of the others one path and its entry.
	if n := d.Paths("fill:#0072B2"); n != 7 {
		t.Errorf("%d marks, want 7", n)
	}
	if n := d.Paths("stroke:#73B1D5"); n != 1 {
		t.Errorf("the circle consists of %d lines, want 1", n)
	}
}

func TestCurveShowsAnswers(t *testing.T) {
	p := smallCircle()
	d := problemSVG(t, "polynomial", p, scriptedAnswers(0, 1, 0, 2, 2, 3, 0)...)
	drawtest.WantTexts(t, d, "given, correct: 3 in 1 mode", "given, incorrect: 3", "2 of the 7 answers given lie outside.", "1 of the 7 answers given does not parse.")
	if !d.Has("3") {
		t.Error("the pair given three times has no count")
	}
	one := problemSVG(t, "polynomial", p, scriptedAnswers(2)...)
	drawtest.WantTexts(t, one, "The answer given lies outside.")
	p.script[0].mode = "(1, 2)"
	wantError(t, "polynomial", p, scriptedAnswers(0), `answer 1: the mode is "(1, 2)", want a pair`)
}

func TestPairOf(t *testing.T) {
	for _, c := range []struct {
		text string
		want curvePair
	}{
		{"x=1, y=11", curvePair{x: 1, y: 11}},
		{"x=-0.5, y=2.25", curvePair{x: -0.5, y: 2.25, decimals: 2}},
	} {
		if got, err := pairOf(c.text); err != nil || got != c.want {
			t.Errorf("%s: got %+v, %v", c.text, got, err)
		}
	}
	for _, text := range []string{"", "1, 2", "x=1", "x=1, y=", "x=1, y=Inf", "y=1, x=2", "x=1, y=2, z=3"} {
		if q, err := pairOf(text); err == nil {
			t.Errorf("%q gives %+v", text, q)
		}
	}
}

// What lies far off is not in the window, the origin is.
func TestCurveWindow(t *testing.T) {
	task := &curveTask{}
	for i := range 20 {
		task.pairs = append(task.pairs, curvePair{x: float64(1 + i), y: float64(20 - i)})
	}
	task.pairs = append(task.pairs, curvePair{x: 900, y: 0})
	low, high := task.window()
	if low != [2]float64{} || high[0] > 60 || high[0] < 10 || high[1] > 60 || high[1] < 10 {
		t.Errorf("the window is %v to %v", low, high)
	}
	p := newPlane(low, high)
	if !p.holds(curvePair{}) || p.holds(curvePair{x: 900}) {
		t.Error("the window holds what it should not")
	}
}

// Every pair has its dot, however near the next one is; only of hundreds are those
// left out that others cover, and the picture says so. The legend counts the pairs
// of the picture, as the caption does.
func TestCurveDots(t *testing.T) {
	line := func(n int) *curveTask {
		task := &curveTask{}
		for i := range n {
			task.pairs = append(task.pairs, curvePair{x: float64(i) / 100, y: 0.5, decimals: 2})
		}
		task.pairs = append(task.pairs, curvePair{x: 3}, curvePair{x: 900, y: 0.5, decimals: 1})
		return task
	}
	for _, c := range []struct {
		pairs   int
		thinned bool
	}{{100, false}, {thinFrom, false}, {thinFrom + 1, true}, {900, true}} {
		task := line(c.pairs)
		p := newPlane([2]float64{}, [2]float64{10, 10})
		dots, thinned := p.dots(task.pairs)
		if thinned != c.thinned || !c.thinned && len(dots) != c.pairs || c.thinned && len(dots) >= c.pairs/2 {
			t.Errorf("%d pairs: %d dots, thinned: %v", c.pairs, len(dots), thinned)
		}
	}
	const note = "Dots that would cover each other are drawn once."
	for _, n := range []int{20, 6000} {
		p := smallCircle()
		p.modes = []envs.Mode{"x=1, y=1", "x=-2000, y=1", "x=2000, y=2000"}
		for i := range n {
			p.modes = append(p.modes, envs.Mode(fmt.Sprintf("x=%d.%03d, y=2.5", i/1000, i%1000)))
		}
		d := problemSVG(t, "polynomial", p)
		var all, inside, whole, decimal int
		if _, err := fmt.Sscanf(d.Joined()[strings.Index(d.Joined(), "25 ")+3:], "%d correct pairs, %d of", &all, &inside); err != nil {
			t.Fatalf("%v: %s", err, d.Joined())
		}
		at := strings.Index(d.Joined(), "whole numbers: ")
		if _, err := fmt.Sscanf(d.Joined()[at:], "whole numbers: %d pair decimals: %d pairs", &whole, &decimal); err != nil {
			t.Fatalf("%v: %s", err, d.Joined()[at:])
		}
		if all != n+3 || inside >= all || whole+decimal != inside {
			t.Errorf("%d pairs, %d in the picture, %d and %d in the legend", all, inside, whole, decimal)
		}
		if got := strings.Contains(d.Joined(), note); got != (n > thinFrom) {
			t.Errorf("%d pairs: the picture says that dots are left out: %v", n, got)
		}
	}
}

// A circle on a map is a circle on paper; a steep curve has axes of its own.
func TestPlaneShape(t *testing.T) {
	scale := func(p plane) float64 {
		return float64(p.width) / (p.high[0] - p.low[0]) / (float64(p.height) / (p.high[1] - p.low[1]))
	}
	for _, high := range [][2]float64{{10, 10}, {10, 7}, {10, 3}, {10, 15}} {
		if s := scale(newPlane([2]float64{-high[0], -high[1]}, high)); math.Abs(s-1) > 1e-9 {
			t.Errorf("%v: x is drawn %g times as large as y", high, s)
		}
	}
	if s := scale(newPlane([2]float64{-5, -500}, [2]float64{5, 500})); s < 10 {
		t.Errorf("a steep curve: x is drawn %g times as large as y", s)
	}
	flat := newPlane([2]float64{}, [2]float64{})
	if flat.high[0]-flat.low[0] < leastReach || flat.high[1]-flat.low[1] < leastReach {
		t.Errorf("a single pair: %+v", flat)
	}
}

// fieldOf evaluates a function on a square of side 2 around the origin.
func fieldOf(n int, f func(x, y float64) float64) field {
	out := field{columns: n, rows: n}
	for j := range n + 1 {
		for i := range n + 1 {
			out.values = append(out.values, f(2*float64(i)/float64(n)-1, 2*float64(j)/float64(n)-1))
		}
	}
	return out
}

// The lines found run where the function is zero, in as few pieces as there are.
func TestZeros(t *testing.T) {
	const n = 60
	for _, c := range []struct {
		reason string
		f      func(x, y float64) float64
		lines  int
	}{
		{"a circle", func(x, y float64) float64 { return x*x + y*y - 0.5 }, 1},
		{"a line", func(x, y float64) float64 { return y - 0.3*x - 0.01 }, 1},
		{"a hyperbola", func(x, y float64) float64 { return x*y - 0.1 }, 2},
		{"a steep curve", func(x, y float64) float64 { return 1000*x*x*x - y }, 1},
		{"two circles", func(x, y float64) float64 { return math.Abs(math.Hypot(x, y)-0.6) - 0.2 }, 2},
		{"nothing", func(x, y float64) float64 { return 1 }, 0},
	} {
		lines := fieldOf(n, c.f).zeros()
		if len(lines) != c.lines {
			t.Errorf("%s: %d lines, want %d", c.reason, len(lines), c.lines)
		}
		for _, line := range lines {
			for i, p := range line {
				x, y := 2*p[0]/n-1, 2*p[1]/n-1
				// Between neighbouring corners the function changes its sign.
				var low, high bool
				for _, d := range [][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
					low = low || c.f(x+d[0]/n, y+d[1]/n) <= 0
					high = high || c.f(x+d[0]/n, y+d[1]/n) >= 0
				}
				if !low || !high {
					t.Fatalf("%s: (%g, %g) is off the curve", c.reason, x, y)
				}
				if i > 0 && math.Hypot(p[0]-line[i-1][0], p[1]-line[i-1][1]) > 1.5 {
					t.Fatalf("%s: a step from %v to %v", c.reason, line[i-1], p)
				}
			}
		}
	}
	circle := fieldOf(n, func(x, y float64) float64 { return x*x + y*y - 0.5 }).zeros()[0]
	if circle[0] != circle[len(circle)-1] {
		t.Error("a circle is not closed")
	}
}

func TestStraightened(t *testing.T) {
	var arc []vg.Point
	for i := range 200 {
		sin, cos := math.Sincos(float64(i) / 100)
		arc = append(arc, vg.Point{X: 100 * vg.Length(cos), Y: 100 * vg.Length(sin)})
	}
	few := straightened(arc, 0.03)
	if len(few) > 80 || few[0] != arc[0] || few[len(few)-1] != arc[199] {
		t.Errorf("%d points left of 200", len(few))
	}
	for i := 1; i < len(few); i++ {
		middle := few[i].Add(few[i-1]).Scale(0.5)
		if off := 100 - math.Hypot(float64(middle.X), float64(middle.Y)); off > 0.031 {
			t.Errorf("the line is %g off", off)
		}
	}
	line := []vg.Point{{X: 0}, {X: 1}, {X: 2}, {X: 5}}
	if got := straightened(line, 0.03); len(got) != 2 {
		t.Errorf("a straight line keeps %v", got)
	}
}

func TestCurveErrors(t *testing.T) {
	checkFieldErrors(t, "polynomial", smallCircle, []fieldError{
		{"no relation", "relation", nil, `the problem has no field "relation"`},
		{"another type", "coefficients", "many", `field "coefficients": json: cannot unmarshal string`},
		{"no terms", "coefficients", []curveTerm{}, `the relation has neither x nor y to draw`},
		{"constant", "coefficients", []curveTerm{{0, 0, 7}, {1, 0, 0}}, `the relation has neither x nor y to draw`},
		{"a power below 0", "coefficients", []curveTerm{{-1, 0, 7}}, `coefficients[0]: the powers of x and y are -1 and 0, want 0 to 9`},
		{"a high power", "coefficients", []curveTerm{{1, 0, 7}, {0, 99, 1}}, `coefficients[1]: the powers of x and y are 0 and 99, want 0 to 9`},
	})
	p := smallCircle()
	for want, modes := range map[string][]envs.Mode{
		"the relation has no correct pair to draw": nil,
		`the mode is "(3, 4)", want a pair`:        {"(3, 4)"},
	} {
		p.modes = modes
		wantError(t, "polynomial", p, nil, want)
	}
}

func TestCurveSketches(t *testing.T) {
	plain := polynomial.Default()
	few, wide := polynomial.Default(), polynomial.Default()
	few.Digits, few.Decimals, few.MinModes = 1, 0, 1
	wide.Digits, wide.Decimals, wide.Implicit, wide.Coefficients = 4, 1, 1, 20
	drawSketches(t, "polynomial", 80_000, []problemSketch{
		{name: "plain", config: plain, want: []string{"polynomial train/0: ", "correct pairs"}},
		{name: "many", config: plain, index: 2, answers: 40, want: []string{"given, incorrect"}},
		{name: "whole", config: plain, index: 4, want: []string{"whole numbers: "}},
		{name: "some", config: plain, index: 6, answers: 3, want: []string{"whole numbers: "}},
		{name: "pool", config: plain, index: 8, answers: 40, want: []string{"given, incorrect"}},
		{name: "ood", config: plain, split: envs.OOD, index: 8, answers: 40, want: []string{"polynomial ood/8: "}},
		{name: "few", config: few, index: 3, answers: 5, want: []string{"correct pair"}},
		{name: "wide", config: wide, index: 1, answers: 5, want: []string{"correct pair"}},
	})
}

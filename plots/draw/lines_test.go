package draw

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// One line with a huge interval does not flatten all others.
func TestReachBoundsBands(t *testing.T) {
	at := func(mean, low, high float64) Point {
		return Point{Mean: mean, Low: low, High: high}
	}
	low, high, bandLow, bandHigh := Reach([]Trace{{Points: []Point{at(1, -100, 100), at(2, 1.5, 2.5), at(1.5, math.Inf(-1), math.Inf(1))}}})
	if got, want := []float64{low, high, bandLow, bandHigh}, []float64{1, 2, 0, 3}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Nor do a few steps with huge intervals.
func TestReachIgnoresSpikes(t *testing.T) {
	var line Trace
	for i := range 20 {
		line.Points = append(line.Points, Point{Mean: float64(i), Low: float64(i) - 1, High: float64(i) + 1})
	}
	line.Points[3].High, line.Points[9].High = 35, 30
	if _, _, low, high := Reach([]Trace{line}); low != 0 || high != 20 {
		t.Errorf("bands are shown from %g to %g", low, high)
	}
}

// A band goes along the upper ends and back along the lower ones, within the panel.
func TestBandOutline(t *testing.T) {
	got := bandOutline([]Point{{X: 0, Low: -1, High: 4}, {X: 10, Low: 2, High: 3}, {X: 20, Low: 0.25, High: 8}}, 0, 5)
	want := plotter.XYs{{X: 0, Y: 4}, {X: 10, Y: 3}, {X: 20, Y: 5}, {X: 20, Y: 0.25}, {X: 10, Y: 2}, {X: 0, Y: 0}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

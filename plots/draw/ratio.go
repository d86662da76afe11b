package draw

import (
	"math"
	"slices"
)

// A Ratio is a logarithmic axis of ratios, from Low to High: half as much is as far from the same
// as twice as much.
type Ratio struct{ Low, High float64 }

// RatioTo is the shortest such axis with ends of 1, 2 or 5 times a power of ten that holds all
// values above 0, and the range from half to twice as much.
func RatioTo(values []float64) Ratio {
	low, high := 0.5, 2.0
	for _, x := range values {
		if x > 0 && !math.IsInf(x, 0) {
			low, high = min(low, x), max(high, x)
		}
	}
	r := Ratio{Low: 1, High: 1}
	for _, x := range slices.Backward(roundRatios[:ratioOne]) {
		if r.Low = x; x <= low {
			break
		}
	}
	for _, x := range roundRatios[ratioOne+1:] {
		if r.High = x; x >= high {
			break
		}
	}
	return r
}

var roundRatios = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100}

const ratioOne = 6 // the place of 1

// Share is the position of a value, from 0 at the left end to 1 at the right end.
func (r Ratio) Share(x float64) float64 {
	x = min(max(x, r.Low), r.High)
	return math.Log(x/r.Low) / math.Log(r.High/r.Low)
}

// Off is the side on which a value is off the axis: -1 left, 1 right, 0 if it is on the axis.
func (r Ratio) Off(x float64) int {
	switch {
	case x < r.Low:
		return -1
	case x > r.High:
		return 1
	}
	return 0
}

// Ticks are the values that are marked, from left to right.
func (r Ratio) Ticks() []float64 {
	var out []float64
	for _, x := range roundRatios {
		if x >= r.Low && x <= r.High {
			out = append(out, x)
		}
	}
	return out
}

// First are the ticks whose labels a reader looks for, the most important first.
func (r Ratio) First() []float64 {
	return append([]float64{1, r.Low, r.High}, r.Ticks()...)
}

// Label writes a value that is marked: "2x".
func (Ratio) Label(x float64) string { return TickLabel(x) + "x" }

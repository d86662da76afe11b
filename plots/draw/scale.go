package draw

import (
	"math"
	"slices"
	"strconv"
)

// A Scale is an axis of effects from Low to High with uneven marks. Deltas are linear around 0 and
// logarithmic beyond 1: a value x is drawn at asinh(x). Ratios are logarithmic: half as much is as
// far from the same as twice as much.
type Scale struct {
	Low, High float64
	Ratios    bool
}

// The values that may be marked.
var (
	deltaMarks = []float64{-50, -20, -10, -5, -2, -1, 0, 1, 2, 5, 10, 20, 50}
	ratioMarks = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100}
)

// DeltaScale is the shortest axis from -5, -10, -20 or -50 to as much above 0 that holds a value of
// this size. Values beyond 50 are off it.
func DeltaScale(size float64) Scale {
	end := 50.0
	for _, x := range []float64{20, 10, 5} {
		if size <= x {
			end = x
		}
	}
	return Scale{Low: -end, High: end}
}

// RatioScale is the shortest axis with ends of 1, 2 or 5 times a power of ten that holds all
// values above 0, and the range from half to twice as much, within 0.01 and 100.
func RatioScale(values []float64) Scale {
	low, high := 0.5, 2.0
	for _, x := range values {
		if x > 0 && !math.IsInf(x, 0) {
			low, high = min(low, x), max(high, x)
		}
	}
	s := Scale{Low: ratioMarks[0], High: ratioMarks[len(ratioMarks)-1], Ratios: true}
	for _, x := range ratioMarks {
		if x <= low {
			s.Low = x
		}
	}
	for _, x := range slices.Backward(ratioMarks) {
		if x >= high {
			s.High = x
		}
	}
	return s
}

// Share is the position of a value, from 0 at the left end to 1 at the right end. A value that
// is off the axis is drawn at its end.
func (s Scale) Share(x float64) float64 {
	place := math.Asinh
	if s.Ratios {
		place = math.Log
	}
	x = min(max(x, s.Low), s.High)
	return (place(x) - place(s.Low)) / (place(s.High) - place(s.Low))
}

// Off is the side on which a value is off the axis: -1 left, 1 right, 0 if it is on the axis.
func (s Scale) Off(x float64) int {
	switch {
	case x < s.Low:
		return -1
	case x > s.High:
		return 1
	}
	return 0
}

// Ticks are the values that are marked, from left to right.
func (s Scale) Ticks() []float64 {
	marks := deltaMarks
	if s.Ratios {
		marks = ratioMarks
	}
	return slices.DeleteFunc(slices.Clone(marks), func(x float64) bool { return s.Off(x) != 0 })
}

// First are the ticks whose labels a reader looks for, the most important first: no effect, of deltas
// the bounds of those too small to matter, the ends of the axis, and others as there is room.
func (s Scale) First() []float64 {
	if s.Ratios {
		return append([]float64{1, s.Low, s.High}, s.Ticks()...)
	}
	out := []float64{0, -1, 1, s.Low, s.High}
	for _, size := range []float64{10, 5, 2, 20} {
		if size < s.High {
			out = append(out, -size, size)
		}
	}
	return out
}

// Label writes a value that is marked: "-2", or of ratios "2x".
func (s Scale) Label(x float64) string {
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if s.Ratios {
		text += "x"
	}
	return text
}

package draw

import (
	"math"
	"strconv"
)

// Bent is an axis around 0 that is linear near it and logarithmic beyond 1: a value x is drawn
// at asinh(x). It reaches from -End to End.
type Bent struct{ End float64 }

var bentEnds = []float64{5, 10, 20, 50}

// BentTo is the shortest axis that holds a value of this size. The longest axis ends at 50:
// larger values are off it.
func BentTo(size float64) Bent {
	for _, end := range bentEnds {
		if size <= end {
			return Bent{end}
		}
	}
	return Bent{bentEnds[len(bentEnds)-1]}
}

// Share is the position of a value, from 0 at the left end to 1 at the right end. A value that
// is off the axis is drawn at its end.
func (b Bent) Share(x float64) float64 {
	x = min(max(x, -b.End), b.End)
	return 0.5 + 0.5*math.Asinh(x)/math.Asinh(b.End)
}

// Off is the side on which a value is off the axis: -1 left, 1 right, 0 if it is on the axis.
func (b Bent) Off(x float64) int {
	switch {
	case x < -b.End:
		return -1
	case x > b.End:
		return 1
	}
	return 0
}

// Ticks are the values that are marked, from left to right: 0, and 1, 2 and 5 times the powers
// of ten, of either sign.
func (b Bent) Ticks() []float64 {
	var out []float64
	for _, size := range []float64{50, 20, 10, 5, 2, 1} {
		if size <= b.End {
			out = append(out, -size)
		}
	}
	n := len(out)
	out = append(out, 0)
	for i := n - 1; i >= 0; i-- {
		out = append(out, -out[i])
	}
	return out
}

// First are the ticks whose labels a reader looks for, the most important first: 0, what is too
// small to matter, the ends of the axis, and others as there is room.
func (b Bent) First() []float64 {
	out := []float64{0, -1, 1, -b.End, b.End}
	for _, size := range []float64{10, 5, 2, 20} {
		if size < b.End {
			out = append(out, -size, size)
		}
	}
	return out
}

// Label writes a value that is marked.
func (Bent) Label(x float64) string { return TickLabel(x) }

// TickLabel writes a value that is marked.
func TickLabel(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

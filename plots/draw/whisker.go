package draw

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// WhiskerWidth is that of the lines of whiskers.
const WhiskerWidth = vg.Length(0.8)

// whiskerCap is half the length of the stroke across an end of a whisker.
const whiskerCap = vg.Length(2.2)

// Whisker draws the interval from low to high on an axis that shows the values from first to
// last. The part outside of the axis is left out, and an end there has no cap. place returns
// the point that shows a value, moved across the axis by aside points.
func Whisker(c draw.Canvas, style draw.LineStyle, low, high, first, last float64, place func(value float64, aside vg.Length) vg.Point) {
	stroke := func(a, b vg.Point) { c.StrokeLine2(style, a.X, a.Y, b.X, b.Y) }
	stroke(place(max(low, first), 0), place(min(high, last), 0))
	for _, end := range []float64{low, high} {
		if end >= first && end <= last {
			stroke(place(end, -whiskerCap), place(end, whiskerCap))
		}
	}
}

package sheets

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/metrics/stats"
	"modebench/plots/draw"
)

// A Point of a line: where, and the interval there.
type Point struct {
	X  float64
	At stats.Interval
}

// Apart widens an axis that has no length.
func Apart(low, high float64) (float64, float64) {
	if low == high {
		return low - 0.5, high + 0.5
	}
	return low, high
}

// PaintWhiskers draws the intervals of a mark on both axes.
func PaintWhiskers(c draw.Canvas, p *plot.Plot, atX, atY stats.Interval, style draw.LineStyle) {
	x, y := p.Transforms(&c)
	if draw.Bounded(atX.Low, atX.High) {
		draw.Whisker(c, style, atX.Low, atX.High, p.X.Min, p.X.Max, func(v float64, aside vg.Length) vg.Point {
			return vg.Point{X: x(v), Y: y(atY.Mean) + aside}
		})
	}
	if draw.Bounded(atY.Low, atY.High) {
		draw.Whisker(c, style, atY.Low, atY.High, p.Y.Min, p.Y.Max, func(v float64, aside vg.Length) vg.Point {
			return vg.Point{X: x(atX.Mean) + aside, Y: y(v)}
		})
	}
}

// InkOf is the colour of a mark as that of its name: a little darker, so that it can be read.
func InkOf(mark draw.GlyphStyle) color.NRGBA {
	return draw.Mixed(color.NRGBAModel.Convert(mark.Color).(color.NRGBA), draw.Black, 0.25)
}

// OtherLook is the look of methods that do not stand out.
var OtherLook = draw.Look{Color: draw.RGB(0xD0D0D0), Width: 0.5}

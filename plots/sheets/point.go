package sheets

import (
	"image/color"

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

// InkOf is the colour of a mark as that of its name: a little darker, so that it can be read.
func InkOf(mark color.Color) color.NRGBA {
	return draw.Mixed(mark, draw.Black, 0.25)
}

// OtherLook is the look of methods that are not highlighted.
var OtherLook = draw.Look{Color: draw.RGB(0xD0D0D0), Width: 0.5}

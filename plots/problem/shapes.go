package problem

import (
	"image/color"

	"gonum.org/v1/plot/vg"

	"modebench/plots/draw"
)

// paintCross marks where a route ends that does not reach E.
func paintCross(c draw.Canvas, ink color.Color, at vg.Point) {
	const half = vg.Length(2.2)
	for _, style := range []draw.LineStyle{{Color: draw.White, Width: 2.4}, {Color: ink, Width: 1.2}} {
		c.StrokeLine2(style, at.X-half, at.Y-half, at.X+half, at.Y+half)
		c.StrokeLine2(style, at.X-half, at.Y+half, at.X+half, at.Y-half)
	}
}

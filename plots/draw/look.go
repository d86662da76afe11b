package draw

import (
	"image/color"
	"math"

	"modebench/internal/each"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Look is how a variant is drawn.
type Look struct {
	Color  color.NRGBA
	Width  vg.Length // of the line
	Dashes []vg.Length
	Mark   draw.GlyphDrawer // nil: none
	Exact  bool             // a ceiling: no band
}

// Line is the style of the line.
func (l Look) Line() draw.LineStyle {
	return draw.LineStyle{Color: l.Color, Width: l.Width, Dashes: l.Dashes}
}

// DashPoints are the dashes in points, nil for a solid line.
func (l Look) DashPoints() []float64 {
	return each.Map(l.Dashes, func(d vg.Length) float64 { return d.Points() })
}

const (
	LineWidth    = vg.Length(1.2)
	CeilingWidth = vg.Length(0.8)
)

// Methods that do not train have no mark, and dashes of their own: StillDashes for a base
// policy, dots for an exact optimum, which is a ceiling and not a competitor. There are six
// dashes and seven marks. These have no common factor, so that 42 pairs of them all differ.
var (
	StillDashes   = [][]vg.Length{{4, 2.5}, {9, 2.5, 2.5, 2.5}, {2, 2}, {12, 3}}
	CeilingDashes = [][]vg.Length{{0.8, 1.6}, {0.8, 3.2}, {2.4, 1.6, 0.8, 1.6}}

	Dashes = [][]vg.Length{nil, {7, 2}, {1.3, 1.5}, {6, 1.8, 1.3, 1.8}, {2.5, 1.5}, {8, 1.5, 1.3, 1.5, 1.3, 1.5}}
	Marks  = []draw.GlyphDrawer{Corners{24, 0}, Corners{4, math.Pi / 4}, Corners{3, math.Pi / 2}, Corners{4, 0}, Corners{3, -math.Pi / 2}, Corners{5, math.Pi / 2}, Corners{6, 0}}
)

// Styles is how many pairs of a dash and a mark differ.
var Styles = len(Dashes) * len(Marks)

// Styled is the look of a line that trains, with one of the pairs of a dash and a mark.
func Styled(ink color.NRGBA, place int) Look {
	return Look{Color: ink, Width: LineWidth, Dashes: Dashes[place%len(Dashes)], Mark: Marks[place%len(Marks)]}
}

// translucent is the colour of a band around a line. The more lines share a
// panel, the fainter.
func (l Look) translucent(lines int) color.NRGBA {
	c := l.Color
	c.A = 0x38
	if lines > 8 {
		c.A = 0x18
	}
	return c
}

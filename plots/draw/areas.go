package draw

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// An Area is where a panel draws its data: shares of the figure's width and height,
// from its upper left corner.
type Area struct{ Left, Top, Width, Height float64 }

// Size is the figure's width and height in points.
func (f *Figure) Size() (width, height float64) { return f.Width.Points(), f.Height.Points() }

// Areas finds the panels of lines of a figure, in the order in which they are drawn: the
// rectangles between the ends of their grid lines. Rivers and heat maps have no such panels.
func (f *Figure) Areas() []Area {
	log := new(recorder.Canvas)
	f.Paint(draw.NewCanvas(log, f.Width, f.Height))
	var out []Area
	var panel gridLines
	for _, action := range log.Actions {
		switch a := action.(type) {
		case *recorder.SetColor:
			panel.faint = a.Color == color.Color(Faint)
		case *recorder.Stroke:
			if !panel.faint || len(a.Path) != 2 {
				continue
			}
			from, to := a.Path[0].Pos, a.Path[1].Pos
			upright := from.X == to.X
			if upright && panel.level { // a panel draws its upright lines first
				out = append(out, panel.area(f))
				panel = gridLines{faint: true}
			}
			if upright {
				panel.bottom, panel.top = from.Y, to.Y
			} else {
				panel.left, panel.right, panel.level = from.X, to.X, true
			}
		}
	}
	if panel.level {
		out = append(out, panel.area(f))
	}
	return out
}

// gridLines are the lines found so far of a panel's grid.
type gridLines struct {
	faint                    bool // the pen has the colour of grid lines
	level                    bool // a level line was drawn
	left, right, bottom, top vg.Length
}

func (g gridLines) area(f *Figure) Area {
	return Area{
		Left: float64(g.left / f.Width), Top: float64((f.Height - g.top) / f.Height),
		Width: float64((g.right - g.left) / f.Width), Height: float64((g.top - g.bottom) / f.Height),
	}
}

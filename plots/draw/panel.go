package draw

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// EvenColumns is the number of columns, at most most, over which n panels are divided evenly.
func EvenColumns(n, limit int) int {
	lines := (n + limit - 1) / limit
	return (n + lines - 1) / lines
}

// A Painted draws in a panel's data area.
type Painted func(c draw.Canvas, p *plot.Plot)

// Plot implements plot.Plotter.
func (f Painted) Plot(c draw.Canvas, p *plot.Plot) { f(c, p) }

// HeadLine is the height of a line of text above a panel.
const HeadLine = vg.Length(10)

const (
	markRadius = vg.Length(2.1)
	PanelGap   = vg.Length(12)
)

// Panel is an empty plot in the house style.
func Panel() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil // the page is white already
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = LabelFont
		axis.Label.Padding = 3
		axis.Tick.Label.Font = SmallFont
		axis.Tick.Length = 3
		axis.Padding = 3
		axis.LineStyle = draw.LineStyle{Color: Black, Width: 0.5}
		axis.Tick.LineStyle = axis.LineStyle
		axis.Tick.Marker = Ticks{Count: 6}
	}
	return p
}

// AddGrid draws light lines behind the data at the ticks of both axes. It comes first, after
// the axes have their ticks.
func AddGrid(p *plot.Plot) {
	grid := plotter.NewGrid()
	grid.Horizontal = draw.LineStyle{Color: Faint, Width: 0.5}
	grid.Vertical = grid.Horizontal
	p.Add(grid)
}

// SetRanges sets the ranges of the axes. Adding data widens them, so it comes last.
func SetRanges(p *plot.Plot, left, right, bottom, top float64) {
	p.X.Min, p.X.Max = left, right
	p.Y.Min, p.Y.Max = bottom, top
}

// A Span is the range of an axis. Both ends of a logarithmic one are above 0.
type Span struct {
	Low, High float64
	Log       bool
}

// logScale is a logarithmic axis. Values at or below 0 lie beyond its lower end.
type logScale struct{}

// Normalize implements plot.Normalizer.
func (logScale) Normalize(low, high, x float64) float64 {
	return math.Log(max(x, low/1000)/low) / math.Log(high/low)
}

// LogSpan is the logarithmic range of values above 0, from low to high.
func LogSpan(low, high float64) Span {
	room := math.Pow(high/low, 0.04)
	if low == high {
		room = 2
	}
	return Span{Low: low / room, High: high * room, Log: true}
}

// SetSpans is SetRanges for axes that may be logarithmic, which get the ticks for it.
func SetSpans(p *plot.Plot, x, y Span) {
	for axis, span := range map[*plot.Axis]Span{&p.X: x, &p.Y: y} {
		if axis.Min, axis.Max = span.Low, span.High; span.Log {
			axis.Scale, axis.Tick.Marker = logScale{}, LogTicks{}
		}
	}
}

// AddArea fills the inside of an outline.
func AddArea(p *plot.Plot, outline plotter.XYs, fill color.Color) error {
	area, err := plotter.NewPolygon(outline)
	if err != nil {
		return err
	}
	area.Color = fill
	area.LineStyle.Width = 0
	p.Add(area)
	return nil
}

// LabelY writes the metric's name on the vertical axis, broken so that it is no longer than
// the panel is high.
func LabelY(p *plot.Plot, m Measure, height vg.Length) {
	p.Y.Label.Text = strings.Join(m.Lines(LabelFont, height), "\n")
}

// Tile arranges panels in rows, all with data areas of the same size, each height high. Above
// every data area there is room for a head, which paintHead draws upwards from the bottom of
// the canvas it gets.
func Tile(rows [][]*plot.Plot, width, height, head vg.Length, paintHead func(c draw.Canvas, col int)) Block {
	tiles := draw.Tiles{Rows: len(rows), Cols: len(rows[0]), PadX: PanelGap, PadY: PanelGap + head, PadTop: head}
	total := head + (PanelGap+head)*vg.Length(len(rows)-1)
	for _, row := range rows {
		total += height + axisHeight(row)
	}
	return Block{Height: total, Paint: func(c draw.Canvas) {
		c.Max.X = c.Min.X + width
		for i, row := range plot.Align(rows, tiles, c) {
			for j, at := range row {
				p := rows[i][j]
				if p == nil {
					continue
				}
				p.Draw(at)
				if paintHead != nil {
					data := p.DataCanvas(at)
					data.Min.Y, data.Max.Y = data.Max.Y, data.Max.Y+head
					paintHead(data, j)
				}
			}
		}
	}}
}

func axisHeight(row []*plot.Plot) vg.Length {
	probe := draw.NewCanvas(nil, 1000, 1000)
	highest := vg.Length(0)
	for _, p := range row {
		if p != nil {
			data := p.DataCanvas(probe)
			highest = max(highest, 1000-(data.Max.Y-data.Min.Y))
		}
	}
	return highest
}

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

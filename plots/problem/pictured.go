package problem

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

// An inked is how shapes of a role are drawn: areas with a light fill and an edge in
// the ink, lines and labels in the ink.
type inked struct{ fill, ink color.NRGBA }

// inks are the colours of the roles.
var inks = map[envs.Role]inked{
	envs.Plain: {draw.RGB(0xF6F0D8), draw.Black},
	envs.Faint: {draw.RGB(0xF4F4F4), draw.Subtle},
	envs.Wall:  {draw.RGB(0x404040), draw.RGB(0x404040)},
	envs.Path:  {draw.Mixed(draw.Blue, draw.White, 0.7), draw.Blue},
	envs.Right: {draw.Mixed(draw.Green, draw.White, 0.6), draw.Green},
	envs.Wrong: {draw.Mixed(draw.Red, draw.White, 0.6), draw.Red},
}

// edge is the width of lines and of the edges of areas.
const edge = vg.Length(0.8)

// shapesFigure draws a problem that gives its picture as shapes, whatever its
// environment is.
func shapesFigure(p envs.Pictured, answers [][]envs.Token) (*draw.Figure, error) {
	d := p.Drawing(answers...)
	if err := d.Check(); err != nil {
		return nil, fmt.Errorf("its drawing: %w", err)
	}
	unparsed := 0
	for _, answer := range answers {
		if p.Judge(answer).Err != nil {
			unparsed++
		}
	}
	scale := min(1, draw.PageWidth/vg.Length(d.Width))
	width := max(draw.ColumnWidth, vg.Length(d.Width)*scale)
	blocks := append(draw.Heading(d.Title, width), shapesBlock(d, scale))
	note := draw.Sentences(d.Note, unparsedNote(unparsed, len(answers)))
	return draw.Page(width, append(blocks, draw.Paragraphs(draw.SmallFont, draw.Subtle, width, note)...)...), nil
}

// shapesBlock is the strip of a page that holds the shapes.
func shapesBlock(d envs.Drawing, scale vg.Length) draw.Block {
	return draw.Block{Height: vg.Length(d.Height) * scale, Paint: func(c draw.Canvas) {
		for _, s := range d.Shapes {
			points := make([]vg.Point, len(s.Points))
			for i, at := range s.Points {
				// The conversions keep a product from being fused with a sum.
				points[i] = vg.Point{X: c.Min.X + vg.Length(vg.Length(at[0])*scale), Y: c.Max.Y - vg.Length(vg.Length(at[1])*scale)}
			}
			paintShape(c, s, points, vg.Length(s.Size)*scale)
		}
	}}
}

// paintShape draws one shape at its places on the page.
func paintShape(c draw.Canvas, s envs.Shape, points []vg.Point, size vg.Length) {
	look := inks[s.Role]
	line := draw.LineStyle{Color: look.ink, Width: edge}
	switch s.Kind {
	case envs.Polygon:
		draw.Polygon(c, look.fill, line, points)
	case envs.Line:
		c.SetLineStyle(line)
		c.Stroke(draw.PathOf(points))
	case envs.Circle:
		draw.Polygon(c, look.fill, line, draw.Ring(points[0], size, 32, math.Pi/2))
	case envs.Label:
		font, align := draw.SmallFont, vg.Length(0)
		font.Size = max(font.Size, size) // smaller print is not to be read
		if s.Middle {
			align = 0.5
		}
		draw.Write(c, font, look.ink, points[0].X, points[0].Y-vg.Length(0.35*font.Size), align, s.Text)
	}
}

package plots

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// WriteSVG writes the figure as SVG. Equal figures give equal bytes.
func (f *Figure) WriteSVG(w io.Writer) error {
	canvas := &svgCanvas{Canvas: vgsvg.New(f.width, f.height)}
	f.paint(draw.New(canvas))
	var buf bytes.Buffer
	if _, err := canvas.WriteTo(&buf); err != nil {
		return err
	}
	_, err := io.WriteString(w, canvas.portable(buf.String()))
	return err
}

// svgCanvas remembers how wide the layout takes each text to be. The SVG holds
// text, not outlines, so that it can be searched and edited; a viewer without
// the font would put another, wider one over the neighbouring cells.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length
}

// FillString draws text.
func (c *svgCanvas) FillString(f font.Face, at vg.Point, text string) {
	c.widths = append(c.widths, f.Width(text))
	c.Canvas.FillString(f, at, text)
}

// portable tells viewers which fonts may stand in for ours (the first three have
// letters of the same widths) and to fit any other into the measured width.
func (c *svgCanvas) portable(svg string) string {
	svg = strings.ReplaceAll(svg, "font-family:Liberation Sans;",
		"font-family:'Liberation Sans',Arimo,Arial,Helvetica,sans-serif;")
	// Texts are written in the order in which they were drawn.
	parts := strings.Split(svg, "<text ")
	for i, width := range c.widths {
		if width > 0 {
			parts[i+1] = fmt.Sprintf(`textLength="%.5g" lengthAdjust="spacingAndGlyphs" `, width.Points()) + parts[i+1]
		}
	}
	return strings.Join(parts, "<text ")
}

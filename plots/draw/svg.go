package draw

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"html"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// WriteSVG writes the figure as SVG. Equal figures give equal bytes.
func (f *Figure) WriteSVG(w io.Writer) error {
	canvas := &svgCanvas{Canvas: vgsvg.New(rounded(f.Width), rounded(f.Height))}
	f.Paint(draw.New(canvas))
	var buf bytes.Buffer
	if _, err := canvas.WriteTo(&buf); err != nil {
		return err
	}
	_, err := io.WriteString(w, f.named(canvas.portable(buf.String())))
	return err
}

// named gives an SVG the figure's title and description, which a screen reader reads in place
// of the scattered letters. The ids follow from the two, so that several figures in one page
// have different ids.
func (f *Figure) named(svg string) string {
	const open = "<svg "
	start := strings.Index(svg, open)
	if f.Title == "" || start < 0 {
		return svg
	}
	sum := fnv.New32a()
	fmt.Fprintf(sum, "%s\n%s", f.Title, f.Seen)
	id := strconv.FormatUint(uint64(sum.Sum32()), 16)
	end := start + strings.Index(svg[start:], ">") + 1
	ids, parts := "title-"+id, fmt.Sprintf("\n<title id=\"title-%s\">%s</title>", id, html.EscapeString(clean(f.Title)))
	if f.Seen != "" {
		ids += " desc-" + id
		parts += fmt.Sprintf("\n<desc id=\"desc-%s\">%s</desc>", id, html.EscapeString(clean(f.Seen)))
	}
	start += len(open)
	return svg[:start] + `role="img" aria-labelledby="` + ids + `" ` + svg[start:end] + parts + svg[end:]
}

// rounded rounds a coordinate to a multiple of 2^-22 pt. A processor that fuses products with
// sums gives other last bits, and they would show when %.5g cuts a number that lies between two
// decimals: 123.455 has neighbours on both sides. Such a number is a whole number of 1/200 (of
// 1/2000 below 100), so that no two multiples of 2^-22 are equally near: its neighbours round
// to the same multiple. Other numbers move by less than is printed.
func rounded(x vg.Length) vg.Length {
	const steps = 1 << 22
	return vg.Length(math.Round(float64(x)*steps) / steps)
}

func roundedPoint(p vg.Point) vg.Point { return vg.Point{X: rounded(p.X), Y: rounded(p.Y)} }

// roundedPath is a path of straight lines, as all of ours are: the end of an arc would be
// computed by vgsvg, and printed unrounded.
func roundedPath(path vg.Path) vg.Path {
	out := slices.Clone(path)
	for i := range out {
		out[i].Pos = roundedPoint(out[i].Pos)
	}
	return out
}

// svgCanvas rounds all coordinates and remembers how wide the layout takes each
// text to be. The SVG holds text, not outlines, so that it can be searched and
// edited; a viewer without the font would draw another, wider one over the
// neighbouring cells.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length
}

// FillString draws text.
func (c *svgCanvas) FillString(f font.Face, origin vg.Point, text string) {
	c.widths = append(c.widths, f.Width(text))
	c.Canvas.FillString(f, roundedPoint(origin), text)
}

// Stroke draws along a path.
func (c *svgCanvas) Stroke(path vg.Path) { c.Canvas.Stroke(roundedPath(path)) }

// Fill fills the inside of a path.
func (c *svgCanvas) Fill(path vg.Path) { c.Canvas.Fill(roundedPath(path)) }

// Translate moves the origin.
func (c *svgCanvas) Translate(shift vg.Point) { c.Canvas.Translate(roundedPoint(shift)) }

// portable tells viewers which fonts may replace ours (the first three have letters of the same
// widths) and to fit any other into the measured width.
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

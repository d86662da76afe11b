package draw

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgtex"

	"modebench/internal/latex"
)

// pgfHead begins a file. Its command sets a text of at most so wide, on that side of a point: the
// layout is made for the letters of Liberation Sans, and those of the paper may be wider.
const pgfHead = `%% \usepackage{pgf}
%% A figure of modebench, for \input: %s wide, in the font of the text around it.
\providecommand\modebenchtext[3]{\sbox0{#3}\ifdim\wd0>#2\relax\sbox0{\resizebox{#2}{\height}{\usebox0}}\fi\makebox[0pt][#1]{\usebox0}}%%
\begin{pgfpicture}
\pgfpathrectangle{\pgfpointorigin}{\pgfpoint{%s}{%s}}
\pgfusepath{use as bounding box}
`

// writePGF writes the figure for LaTeX with the package pgf. Equal figures give equal bytes. The
// margin of the page lies outside of the picture, so that one for a column is as wide as a column.
// A length of ours is 1/72 inch and is written as TeX's pt, which is 0.4% less: it fits.
func (f *Figure) writePGF(w io.Writer) error {
	canvas := &pgfCanvas{Canvas: vgtex.New(f.Width, f.Height)}
	canvas.Translate(vg.Point{X: -pageMargin, Y: -pageMargin})
	f.Paint(draw.New(canvas))
	var buf bytes.Buffer
	if _, err := canvas.WriteTo(&buf); err != nil {
		return err
	}
	width := printed(f.Width - 2*pageMargin)
	_, err := fmt.Fprintf(w, pgfHead+"%s", width, width, printed(f.Height-2*pageMargin), canvas.picture(buf.String()))
	return err
}

// pgfCanvas works around faults of gonum's canvas for LaTeX (v0.17): it takes texts for commands and
// sets them about their middle whatever their width, leaves paths open, writes lengths that TeX
// cannot read (1e-05pt), and takes the components of a translucent colour, which are multiplied with
// alpha, for the colour itself.
type pgfCanvas struct {
	*vgtex.Canvas
	color color.Color
	texts []string
}

// fillAligned draws text as text of the paper if LaTeX knows its letters, else as outlines.
func (c *pgfCanvas) fillAligned(f font.Face, origin vg.Point, align vg.Length, text string) {
	width := f.Width(text)
	if !latex.Sets(text) {
		origin.X -= align * width
		c.Fill(outlines(f, origin, text))
		return
	}
	side := "c"
	switch align {
	case 0:
		side = "l"
	case 1:
		side = "r"
	}
	bold := ""
	if f.Font.Weight == xfont.WeightBold {
		bold = `\bfseries `
	}
	c.texts = append(c.texts, fmt.Sprintf(`%s\modebenchtext{%s}{%s}{%s}`, bold, side, printed(width), latex.Text(text)))
	// Fonts of TeX come in whole sizes.
	f.Font.Size = vg.Length(math.Floor(f.Font.Size.Points()))
	c.Canvas.FillString(f, decimalPoint(origin), "")
}

// FillString draws text that begins at a point.
func (c *pgfCanvas) FillString(f font.Face, origin vg.Point, text string) {
	c.fillAligned(f, origin, 0, text)
}

// picture is the canvas's text from the picture's begin on, with the texts in their places, in
// the order in which they were drawn. An empty line would end a paragraph of the paper.
func (c *pgfCanvas) picture(written string) string {
	_, body, _ := strings.Cut(written, `\begin{pgfpicture}`)
	parts := strings.Split(body, `\selectfont }}`)
	for i, text := range c.texts {
		parts[i] += `\selectfont ` + text + `}}`
	}
	var b strings.Builder
	for line := range strings.Lines(strings.Join(parts, "")) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n") + "%\n"
}

// SetColor sets the colour of the following drawings.
func (c *pgfCanvas) SetColor(clr color.Color) {
	c.color = clr
	if clr != nil {
		clr = straight(color.NRGBAModel.Convert(clr).(color.NRGBA))
	}
	c.Canvas.SetColor(clr)
}

// SetLineWidth sets the width of the lines that follow.
func (c *pgfCanvas) SetLineWidth(w vg.Length) { c.Canvas.SetLineWidth(decimal(w)) }

// SetLineDash sets the dashes of the lines that follow.
func (c *pgfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	pattern = slices.Clone(pattern)
	for i := range pattern {
		pattern[i] = decimal(pattern[i])
	}
	c.Canvas.SetLineDash(pattern, decimal(offset))
}

// Translate moves the origin.
func (c *pgfCanvas) Translate(shift vg.Point) { c.Canvas.Translate(decimalPoint(shift)) }

// Stroke draws along a path.
func (c *pgfCanvas) Stroke(path vg.Path) { c.Canvas.Stroke(closedPath(path)) }

// Fill fills the inside of a path. A white background is left to the paper.
func (c *pgfCanvas) Fill(path vg.Path) {
	if w, h := c.Size(); c.color == White && len(path) > 2 && path[0].Pos == (vg.Point{}) && path[2].Pos == (vg.Point{X: w, Y: h}) {
		return
	}
	c.Canvas.Fill(closedPath(path))
}

// closedPath is a path whose closing lines are drawn as lines.
func closedPath(path vg.Path) vg.Path {
	out := slices.Clone(path)
	var start vg.Point
	for i := range out {
		out[i].Pos = decimalPoint(out[i].Pos)
		out[i].Control = slices.Clone(out[i].Control)
		for j := range out[i].Control {
			out[i].Control[j] = decimalPoint(out[i].Control[j])
		}
		switch out[i].Type {
		case vg.MoveComp:
			start = out[i].Pos
		case vg.CloseComp:
			out[i] = vg.PathComp{Type: vg.LineComp, Pos: start}
		}
	}
	return out
}

// decimal rounds a length to a thousandth, and to 0 without a sign, after the rounding that makes it
// the same on every processor.
func decimal(x vg.Length) vg.Length {
	return vg.Length(math.Round(float64(rounded(x))*1000)/1000) + 0
}

func decimalPoint(p vg.Point) vg.Point { return vg.Point{X: decimal(p.X), Y: decimal(p.Y)} }

// printed is a length as TeX reads it.
func printed(x vg.Length) string { return fmt.Sprintf("%gpt", float64(decimal(x))) }

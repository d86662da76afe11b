package draw

import (
	"image/color"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"

	"modebench/internal/scratch"
)

// The PDF library stamps files with the time and lists fonts in the order of a
// Go map. Neither may show in a figure: it does not depend on when it was drawn.
func init() {
	stamp := time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	fpdf.SetDefaultCreationDate(stamp)
	fpdf.SetDefaultModificationDate(stamp)
	fpdf.SetDefaultCatalogSort(true)
}

// writePDF writes the figure as PDF with embedded fonts. Equal figures give
// equal bytes.
func (f *Figure) writePDF(w io.Writer) error {
	// The library prepares fonts in folders of os.TempDir, which remain if the process is
	// killed.
	cleanFonts()
	canvas := pdfCanvas{vgpdf.New(f.Width, f.Height)}
	f.Paint(draw.New(canvas))
	_, err := canvas.WriteTo(w)
	return err
}

// cleanFonts removes, once in a process, the fonts that killed drawings left.
var cleanFonts = sync.OnceFunc(func() { scratch.Clean(os.TempDir()) })

// pdfCanvas works around faults of gonum's PDF canvas (v0.17): it embeds one font file
// for all faces of a page, it writes text outside of ASCII as if it were Windows-1252,
// and it takes the components of a translucent colour, which are multiplied with
// alpha, for the colour itself.
type pdfCanvas struct{ *vgpdf.Canvas }

// FillString draws text: as text in the regular face, else as outlines.
func (c pdfCanvas) FillString(f font.Face, origin vg.Point, text string) {
	ascii := strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0
	if ascii && f.Font.Weight == xfont.WeightNormal {
		c.Canvas.FillString(f, origin, text)
		return
	}
	c.Fill(outlines(f, origin, text))
}

// outlines is the shape of a line of text that starts at a point.
func outlines(f font.Face, origin vg.Point, text string) vg.Path {
	var buf sfnt.Buffer
	var path vg.Path
	// At this size the font's own units are the result's.
	em := fixed.Int26_6(f.Face.UnitsPerEm())
	scale := f.Font.Size / vg.Length(em)
	for before, letter := range text {
		// A font without the letter has a box for it.
		glyph, err := f.Face.GlyphIndex(&buf, letter)
		if err != nil {
			continue
		}
		segments, err := f.Face.LoadGlyph(&buf, glyph, em, nil)
		if err != nil {
			continue
		}
		left := origin.X + f.Width(text[:before])
		to := func(p fixed.Point26_6) vg.Point {
			return vg.Point{X: left + vg.Length(p.X)*scale, Y: origin.Y - vg.Length(p.Y)*scale}
		}
		for _, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				path.Move(to(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(to(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(to(s.Args[0]), to(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(to(s.Args[0]), to(s.Args[1]), to(s.Args[2]))
			}
		}
	}
	return path
}

// SetColor sets the colour of the following drawings.
func (c pdfCanvas) SetColor(clr color.Color) {
	if clr != nil {
		clr = straight(color.NRGBAModel.Convert(clr).(color.NRGBA))
	}
	c.Canvas.SetColor(clr)
}

// straight is a colour whose components are not multiplied with alpha.
type straight color.NRGBA

// RGBA returns the components as they are.
func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R) * 0x101, uint32(s.G) * 0x101, uint32(s.B) * 0x101, uint32(s.A) * 0x101
}

package draw

import (
	"image/color"
	"strings"
	"unicode"
	"unicode/utf8"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"modebench/internal/each"
)

// CellGap is between the columns of a table.
const CellGap = vg.Length(7)

// Elided cuts a text in small print that is wider than its column.
func Elided(s string, width vg.Length) string {
	if TextWidth(SmallFont, s) <= width+0.01 {
		return s
	}
	return ElidedIn(SmallFont, s, width)
}

// ElidedIn cuts a line of text that is wider than width.
func ElidedIn(f font.Font, s string, width vg.Length) string {
	const dots = "..."
	if TextWidth(f, s) <= width {
		return s
	}
	return s[:fitting(f, s, width-TextWidth(f, dots))] + dots
}

// TextLine is the baseline of text in the middle between two heights.
func TextLine(low, high vg.Length) vg.Length { return (low+high)/2 - 0.35*SmallFont.Size }

// Widths of a column and of a page of a two-column paper.
const (
	ColumnWidth = 3.25 * vg.Inch
	PageWidth   = 6.75 * vg.Inch
)

// The fonts of all figures.
var (
	titleFont = sans(9.5, xfont.WeightBold)
	PanelFont = sans(8.5, xfont.WeightBold)
	LabelFont = sans(8.5, xfont.WeightNormal)
	SmallFont = sans(8, xfont.WeightNormal)
)

func sans(size vg.Length, weight xfont.Weight) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size, Weight: weight}
}

func face(f font.Font) font.Face { return font.DefaultCache.Lookup(f, f.Size) }

// TextWidth is the width of one line of text.
func TextWidth(f font.Font, s string) vg.Length {
	in := face(f)
	return in.Width(s)
}

// clean drops characters that no font draws and XML forbids: control characters and bytes that
// are not UTF-8. Labels come from files.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, s)
}

// Leading is the distance between the baselines of two lines.
func Leading(f font.Font) vg.Length { return 1.2 * f.Size }

// Write draws one line of text with its baseline at y; align 0 puts its left
// edge at x, 0.5 its middle, 1 its right edge.
func Write(c draw.Canvas, f font.Font, ink color.Color, x, y, align vg.Length, s string) {
	s = clean(s)
	if s == "" {
		return
	}
	c.SetColor(ink)
	if canvas, ok := c.Canvas.(alignedCanvas); ok {
		canvas.fillAligned(face(f), vg.Point{X: x, Y: y}, align, s)
		return
	}
	c.FillString(face(f), vg.Point{X: x - align*TextWidth(f, s), Y: y}, s)
}

// An alignedCanvas sets text in letters of its own. It gets the side of a point on which a text
// lies: the width in Liberation Sans does not give the start of the text in another font.
type alignedCanvas interface {
	fillAligned(f font.Face, origin vg.Point, align vg.Length, text string)
}

// Wrap breaks text at blanks into lines no wider than width; a single word that
// is wider is cut between letters.
func Wrap(f font.Font, s string, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		word = clean(word)
		if joined := strings.TrimSpace(line + " " + word); TextWidth(f, joined) <= width {
			line = joined
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for TextWidth(f, word) > width {
			n := fitting(f, word, width)
			lines = append(lines, word[:n])
			word = word[n:]
		}
		line = word
	}
	return append(lines, line)
}

// fitting is the length in bytes of the longest beginning of word that is no
// wider than width: at least one letter, so that Wrap always makes progress.
func fitting(f font.Font, word string, width vg.Length) int {
	end := 0
	for i, letter := range word {
		next := i + len(string(letter))
		if end > 0 && TextWidth(f, word[:next]) > width {
			break
		}
		end = next
	}
	return end
}

// Paragraphs is a block of text, with paragraphs between line breaks, broken to the width; none for a
// blank text.
func Paragraphs(f font.Font, ink color.Color, width vg.Length, s string) []Block {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	var lines []string
	for paragraph := range strings.SplitSeq(s, "\n") {
		lines = append(lines, Wrap(f, paragraph, width)...)
	}
	return []Block{{
		Height: vg.Length(len(lines)) * Leading(f),
		Paint: func(c draw.Canvas) {
			WriteLines(c, f, ink, c.Min.X, c.Max.Y, 0, lines)
		},
	}}
}

// WriteLines draws lines below each other, the first just under top.
func WriteLines(c draw.Canvas, f font.Font, ink color.Color, x, top, align vg.Length, lines []string) {
	for i, line := range lines {
		Write(c, f, ink, x, top-f.Size*0.9-vg.Length(i)*Leading(f), align, line)
	}
}

// Heading is the figure's title; a figure without one has no strip for it.
func Heading(title string, width vg.Length) []Block {
	return Paragraphs(titleFont, Black, width, title)
}

// Widest is the width of the widest of some texts in small print.
func Widest(texts []string) vg.Length {
	return each.Largest(texts, func(s string) vg.Length { return TextWidth(SmallFont, s) })
}

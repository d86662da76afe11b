package plots

import (
	"image/color"
	"strings"
	"unicode"
	"unicode/utf8"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Widths of a column and of a page of a two-column paper.
const (
	columnWidth = 3.25 * vg.Inch
	pageWidth   = 6.75 * vg.Inch
)

// The fonts of all figures.
var (
	titleFont = sans(9.5, xfont.WeightBold)
	panelFont = sans(8.5, xfont.WeightBold)
	labelFont = sans(8.5, xfont.WeightNormal)
	smallFont = sans(8, xfont.WeightNormal)
)

func sans(size vg.Length, weight xfont.Weight) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size, Weight: weight}
}

func face(f font.Font) font.Face { return font.DefaultCache.Lookup(f, f.Size) }

// textWidth is the width of one line of text.
func textWidth(f font.Font, s string) vg.Length {
	in := face(f)
	return in.Width(s)
}

// clean drops what no font draws and XML forbids: control characters and bytes
// that are not UTF-8. Labels come from files.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, s)
}

// leading is the distance between the baselines of two lines.
func leading(f font.Font) vg.Length { return 1.2 * f.Size }

// write draws one line of text with its baseline at y; align 0 puts its left
// edge at x, 0.5 its middle, 1 its right edge.
func write(c draw.Canvas, f font.Font, ink color.Color, x, y, align vg.Length, s string) {
	s = clean(s)
	if s == "" {
		return
	}
	c.SetColor(ink)
	c.FillString(face(f), vg.Point{X: x - align*textWidth(f, s), Y: y}, s)
}

// wrap breaks text at blanks into lines no wider than width; a single word that
// is wider is cut between letters.
func wrap(f font.Font, s string, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		word = clean(word)
		if joined := strings.TrimSpace(line + " " + word); textWidth(f, joined) <= width {
			line = joined
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for textWidth(f, word) > width {
			n := fitting(f, word, width)
			lines = append(lines, word[:n])
			word = word[n:]
		}
		line = word
	}
	return append(lines, line)
}

// fitting is the length in bytes of the longest beginning of word that is no
// wider than width: at least one letter, so that wrap always gets on.
func fitting(f font.Font, word string, width vg.Length) int {
	end := 0
	for i, letter := range word {
		next := i + len(string(letter))
		if end > 0 && textWidth(f, word[:next]) > width {
			break
		}
		end = next
	}
	return end
}

// paragraphs is a block of text, broken to the width; none for a blank text.
func paragraphs(f font.Font, ink color.Color, width vg.Length, s string) []block {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	lines := wrap(f, s, width)
	return []block{{
		height: vg.Length(len(lines)) * leading(f),
		paint: func(c draw.Canvas) {
			writeLines(c, f, ink, c.Min.X, c.Max.Y, 0, lines)
		},
	}}
}

// writeLines draws lines below each other, the first just under top.
func writeLines(c draw.Canvas, f font.Font, ink color.Color, x, top, align vg.Length, lines []string) {
	for i, line := range lines {
		write(c, f, ink, x, top-f.Size*0.9-vg.Length(i)*leading(f), align, line)
	}
}

// heading is the figure's title; a figure without one has no strip for it.
func heading(title string, width vg.Length) []block {
	return paragraphs(titleFont, black, width, title)
}

// widest is the width of the widest of some texts in small print.
func widest(texts []string) vg.Length {
	most := vg.Length(0)
	for _, s := range texts {
		most = max(most, textWidth(smallFont, s))
	}
	return most
}

package draw

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An Entry of a legend: a small picture and its meaning.
type Entry struct {
	Text  string
	Paint func(c draw.Canvas) // fills the canvas it gets
}

const (
	SampleWidth = vg.Length(24)
	sampleGap   = vg.Length(4)
	columnGap   = vg.Length(14)
	legendLine  = vg.Length(11)
)

// Legend is a legend below the data, with as many columns as fit. Its entries are read down
// the columns, so that a sweep stays together. A text that is too long even for a single
// column is broken.
func Legend(entries []Entry, width vg.Length) Block { return legendAt(entries, width, 0.5) }

// legendAt is legend with the columns at the left (align 0) or in the middle
// (align 0.5) of the width.
func legendAt(entries []Entry, width, align vg.Length) Block {
	texts := make([][]string, len(entries))
	widths := make([]vg.Length, len(entries))
	for i, e := range entries {
		texts[i] = Wrap(SmallFont, e.Text, width-SampleWidth-sampleGap)
		for _, line := range texts[i] {
			widths[i] = max(widths[i], SampleWidth+sampleGap+TextWidth(SmallFont, line))
		}
	}
	rows, columns := arrange(widths, width)
	total := columnGap * vg.Length(len(columns)-1)
	for _, w := range columns {
		total += w
	}
	tops, height := rowTops(texts, rows)
	return Block{Height: height, Paint: func(c draw.Canvas) {
		left := c.Min.X + max(0, align*(width-total))
		for i, e := range entries {
			if i > 0 && i%rows == 0 {
				left += columns[i/rows-1] + columnGap
			}
			paintEntry(c, e, texts[i], left, c.Max.Y-tops[i%rows])
		}
	}}
}

// GroupedLegend is several legends below each other, each behind its head. A group without
// entries is left out.
func GroupedLegend(heads []string, groups [][]Entry, width vg.Length) Block {
	indent := Widest(heads) + 2*sampleGap
	var out Block
	for i, entries := range groups {
		if len(entries) == 0 {
			continue
		}
		part := legendAt(entries, width-indent, 0)
		b := Block{Height: part.Height, Paint: func(c draw.Canvas) {
			WriteLines(c, SmallFont, Subtle, c.Min.X, c.Max.Y-1, 0, heads[i:i+1])
			c.Min.X += indent
			part.Paint(c)
		}}
		if out.Paint != nil {
			b = Above(Above(out, Block{Height: 3, Paint: func(draw.Canvas) {}}), b)
		}
		out = b
	}
	return out
}

// arrange finds the smallest number of rows whose columns fit into width, and
// the widths of the columns.
func arrange(widths []vg.Length, width vg.Length) (rows int, columns []vg.Length) {
	for rows = 1; rows <= len(widths); rows++ {
		columns = nil
		total := -columnGap
		for part := range slices.Chunk(widths, rows) {
			widest := slices.Max(part)
			columns = append(columns, widest)
			total += widest + columnGap
		}
		if total <= width {
			return rows, columns
		}
	}
	return len(widths), columns
}

// rowTops returns how far below the legend's top each row begins, and the
// legend's height.
func rowTops(texts [][]string, rows int) (tops []vg.Length, height vg.Length) {
	for row := range rows {
		tops = append(tops, height)
		lines := 1
		for i := row; i < len(texts); i += rows {
			lines = max(lines, len(texts[i]))
		}
		height += vg.Length(lines) * legendLine
	}
	return tops, height
}

func paintEntry(c draw.Canvas, e Entry, lines []string, left, top vg.Length) {
	e.Paint(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: left, Y: top - legendLine},
		Max: vg.Point{X: left + SampleWidth, Y: top},
	}})
	WriteLines(c, SmallFont, Black, left+SampleWidth+sampleGap, top-1, 0, lines)
}

// LineEntry shows a line with its mark, if it has one.
func LineEntry(text string, line draw.LineStyle, mark draw.GlyphDrawer) Entry {
	return Entry{Text: text, Paint: func(c draw.Canvas) {
		mid := c.Center()
		c.StrokeLine2(line, c.Min.X, mid.Y, c.Max.X, mid.Y)
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: line.Color, Radius: markRadius, Shape: mark}, mid)
	}}
}

// SwatchEntry shows colours side by side.
func SwatchEntry(text string, colors ...color.NRGBA) Entry {
	return Entry{Text: text, Paint: func(c draw.Canvas) {
		width := (c.Max.X - c.Min.X) / vg.Length(len(colors))
		for i, fill := range colors {
			left := c.Min.X + vg.Length(i)*width
			c.SetColor(fill)
			c.Fill(vg.Rectangle{Min: vg.Point{X: left, Y: c.Min.Y + 2}, Max: vg.Point{X: left + width, Y: c.Max.Y - 2}}.Path())
		}
	}}
}

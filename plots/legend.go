package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An entry of a legend: a small picture and what it stands for.
type entry struct {
	text  string
	paint func(c draw.Canvas) // fills the canvas it gets
}

const (
	sampleWidth = vg.Length(24)
	sampleGap   = vg.Length(4)
	columnGap   = vg.Length(14)
	legendLine  = vg.Length(11)
)

// legend lays the entries out below the data in as many columns as fit, read
// down the columns, so that a sweep stays together. Texts too long even for a
// single column are broken.
func legend(entries []entry, width vg.Length) block { return legendAt(entries, width, 0.5) }

// legendAt is legend with the columns at the left (align 0) or in the middle
// (align 0.5) of the width.
func legendAt(entries []entry, width, align vg.Length) block {
	texts := make([][]string, len(entries))
	widths := make([]vg.Length, len(entries))
	for i, e := range entries {
		texts[i] = wrap(smallFont, e.text, width-sampleWidth-sampleGap)
		for _, line := range texts[i] {
			widths[i] = max(widths[i], sampleWidth+sampleGap+textWidth(smallFont, line))
		}
	}
	rows, columns := arrange(widths, width)
	total := columnGap * vg.Length(len(columns)-1)
	for _, w := range columns {
		total += w
	}
	tops, height := rowTops(texts, rows)
	return block{height: height, paint: func(c draw.Canvas) {
		left := c.Min.X + max(0, align*(width-total))
		for i, e := range entries {
			if i > 0 && i%rows == 0 {
				left += columns[i/rows-1] + columnGap
			}
			paintEntry(c, e, texts[i], left, c.Max.Y-tops[i%rows])
		}
	}}
}

// groupedLegend lays out legends below each other, each behind its head. A group
// without entries is left out.
func groupedLegend(heads []string, groups [][]entry, width vg.Length) block {
	indent := widest(heads) + 2*sampleGap
	var out block
	for i, entries := range groups {
		if len(entries) == 0 {
			continue
		}
		part := legendAt(entries, width-indent, 0)
		b := block{height: part.height, paint: func(c draw.Canvas) {
			writeLines(c, smallFont, subtle, c.Min.X, c.Max.Y-1, 0, heads[i:i+1])
			c.Min.X += indent
			part.paint(c)
		}}
		if out.paint != nil {
			b = above(above(out, block{height: 3, paint: func(draw.Canvas) {}}), b)
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
		for start := 0; start < len(widths); start += rows {
			widest := vg.Length(0)
			for _, w := range widths[start:min(start+rows, len(widths))] {
				widest = max(widest, w)
			}
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

func paintEntry(c draw.Canvas, e entry, lines []string, left, top vg.Length) {
	e.paint(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: left, Y: top - legendLine},
		Max: vg.Point{X: left + sampleWidth, Y: top},
	}})
	writeLines(c, smallFont, black, left+sampleWidth+sampleGap, top-1, 0, lines)
}

// lineEntry shows a line with its mark, if it has one.
func lineEntry(text string, line draw.LineStyle, mark draw.GlyphDrawer) entry {
	return entry{text: text, paint: func(c draw.Canvas) {
		mid := c.Center()
		c.StrokeLine2(line, c.Min.X, mid.Y, c.Max.X, mid.Y)
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: line.Color, Radius: markRadius, Shape: mark}, mid)
	}}
}

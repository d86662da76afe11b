package draw

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Figure is a finished drawing. It can be written any number of times.
type Figure struct {
	Width, Height vg.Length
	Paint         func(draw.Canvas) // fills the canvas it gets
	// Title and Seen are for readers who cannot see the figure: its name, and a description in
	// sentences. An SVG has them as title and desc.
	Title, Seen string
}

// Told is the figure with a title and a description.
func (f *Figure) Told(title, description string) *Figure {
	f.Title, f.Seen = title, description
	return f
}

// A Block is a horizontal strip of a page.
type Block struct {
	Height vg.Length
	Paint  func(draw.Canvas) // from the upper left corner of its room
}

// pageMargin is the margin of a page around its blocks.
const pageMargin = vg.Length(4)

// Page stacks blocks from top to bottom on a white page.
func Page(width vg.Length, blocks ...Block) *Figure { return stacked(width, pageMargin, blocks) }

// Bare is Page without a margin.
func Bare(width vg.Length, blocks ...Block) *Figure { return stacked(width, 0, blocks) }

func stacked(width, margin vg.Length, blocks []Block) *Figure {
	const gap = vg.Length(7)
	height := 2 * margin
	for i, b := range blocks {
		if i > 0 {
			height += gap
		}
		height += b.Height
	}
	paint := func(c draw.Canvas) {
		c.SetColor(White)
		c.Fill(c.Rectangle.Path())
		top := c.Max.Y - margin
		for _, b := range blocks {
			b.Paint(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: c.Min.X + margin, Y: top - b.Height},
				Max: vg.Point{X: c.Max.X - margin, Y: top},
			}})
			top -= b.Height + gap
		}
	}
	return &Figure{Width: width + 2*margin, Height: height, Paint: paint}
}

// NotedPage is Page with a note in small print below the blocks; a blank one takes no room.
func NotedPage(width vg.Length, note string, blocks ...Block) *Figure {
	return Page(width, append(blocks, Paragraphs(SmallFont, Subtle, width, note)...)...)
}

// Above stacks one block on another without a gap.
func Above(upper, lower Block) Block {
	return Block{Height: upper.Height + lower.Height, Paint: func(c draw.Canvas) {
		top, bottom := c, c
		top.Min.Y = c.Max.Y - upper.Height
		bottom.Max.Y = top.Min.Y
		upper.Paint(top)
		lower.Paint(bottom)
	}}
}

// Stacked puts blocks below each other, one or more.
func Stacked(blocks []Block) Block {
	out := blocks[0]
	for _, block := range blocks[1:] {
		out = Above(out, block)
	}
	return out
}

package problem

import (
	"image/color"

	"gonum.org/v1/plot/vg"

	"modebench/plots/draw"
)

// A treeCard is a tree with its expression above and a line below it.
type treeCard struct {
	head, foot string
	tree       *exprTree // with its places
	fills      map[int64]color.NRGBA
	count      int  // answers given, marked where there are any
	counted    bool // a layer may write a count
}

const (
	cardPad  = vg.Length(3.5) // around what stands in a card
	cardGap  = vg.Length(3.5) // between cards
	cardRows = 4              // of a grid
)

// width is the room that the card needs.
func (d treeCard) width() vg.Length {
	wide, _ := d.tree.size()
	foot := draw.TextWidth(draw.SmallFont, d.foot)
	if d.count > 0 {
		foot += draw.CellGap + countWidth(d.count)
	}
	if d.counted {
		foot += layerCount
	}
	return max(wide, draw.TextWidth(draw.PanelFont, d.head), foot) + 2*cardPad
}

// height is the card's height with a tree so high.
func (d treeCard) height(tree vg.Length) vg.Length {
	return tree + draw.Leading(draw.PanelFont) + draw.Leading(draw.SmallFont) + 3.5*cardPad
}

// paint fills the canvas with the card.
func (d treeCard) paint(c draw.Canvas) {
	edge := draw.LineStyle{Color: draw.RGB(0xD0D0D0), Width: 0.6}
	if d.count > 0 {
		edge = draw.LineStyle{Color: draw.Black, Width: 0.9}
	}
	c.SetLineStyle(edge)
	c.Stroke(c.Rectangle.Path())
	middle := c.Center().X
	ink := draw.Black
	if d.fills == nil {
		ink = draw.Subtle
	}
	draw.WriteLines(c, draw.PanelFont, ink, middle, c.Max.Y-cardPad, 0.5, []string{d.head})
	wide, _ := d.tree.size()
	d.tree.paint(c, vg.Point{X: middle - wide/2, Y: c.Max.Y - draw.Leading(draw.PanelFont) - 1.7*cardPad}, d.fills)
	line := c.Min.Y + cardPad + 0.5
	if d.count == 0 && !d.counted {
		draw.Write(c, draw.SmallFont, draw.Subtle, middle, line, 0.5, d.foot)
		return
	}
	draw.Write(c, draw.SmallFont, draw.Subtle, c.Min.X+cardPad, line, 0, d.foot)
	if d.count == 0 {
		return
	}
	paintCount(c, c.Max.X-cardPad, line+0.35*draw.SmallFont.Size, line, d.count)
}

// fitCards finds how many cards, at most 4, fit side by side into a column of a
// paper, and the width of the grid: a single column of cards may be wider.
func fitCards(cards []treeCard) (columns int, width vg.Length) {
	widest := vg.Length(0)
	for _, d := range cards {
		widest = max(widest, d.width())
	}
	columns = 4
	for columns > 1 && vg.Length(vg.Length(columns)*(widest+cardGap))-cardGap > draw.ColumnWidth {
		columns--
	}
	return columns, max(draw.ColumnWidth, widest)
}

// cardRowsOf is how many cards a row has at most so that the rows are alike, and how wide each is:
// 2 and 2 rather than 3 and 1.
func cardRowsOf(cards []treeCard, columns int, width vg.Length) (each int, wide vg.Length) {
	rows := (len(cards) + columns - 1) / columns
	each = (len(cards) + rows - 1) / rows
	return each, (width+cardGap)/vg.Length(each) - cardGap
}

// cardHeights are the heights of the rows. A row is as high as its highest tree.
func cardHeights(cards []treeCard, each int) (heights []vg.Length, total vg.Length) {
	total = -cardGap
	for start := 0; start < len(cards); start += each {
		high := vg.Length(0)
		for _, d := range cards[start:min(start+each, len(cards))] {
			_, h := d.tree.size()
			high = max(high, d.height(h))
		}
		heights = append(heights, high)
		total += high + cardGap
	}
	return heights, total
}

// cardPlaces are where cards stand in a grid with that upper left corner.
func cardPlaces(cards []treeCard, columns int, width vg.Length, corner vg.Point) []vg.Rectangle {
	each, wide := cardRowsOf(cards, columns, width)
	heights, _ := cardHeights(cards, each)
	places := make([]vg.Rectangle, len(cards))
	top := corner.Y
	for i := range cards {
		if i > 0 && i%each == 0 {
			top -= heights[i/each-1] + cardGap
		}
		left := corner.X + vg.Length(i%each)*(wide+cardGap)
		places[i] = vg.Rectangle{
			Min: vg.Point{X: left, Y: top - heights[i/each]},
			Max: vg.Point{X: left + wide, Y: top},
		}
	}
	return places
}

// cardGrid arranges cards in rows of so many columns at most.
func cardGrid(cards []treeCard, columns int, width vg.Length) draw.Block {
	each, _ := cardRowsOf(cards, columns, width)
	_, height := cardHeights(cards, each)
	return draw.Block{Height: height, Paint: func(c draw.Canvas) {
		for i, place := range cardPlaces(cards, columns, width, vg.Point{X: c.Min.X, Y: c.Max.Y}) {
			cards[i].paint(draw.Canvas{Canvas: c.Canvas, Rectangle: place})
		}
	}}
}

package problem

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/plots/draw"
)

// The colours of a board. Items differ in shape first.
var (
	wallFill    = draw.RGB(0x595959)
	goldFill    = draw.RGB(0xF7DC4A)
	diamondFill = draw.RGB(0xB9DFF5)
	lavaFill    = draw.RGB(0xF2A277)
	lavaTile    = draw.RGB(0xFBE6DA)
	bonusInk    = draw.RGB(0x909090)
	cellRule    = draw.LineStyle{Color: draw.RGB(0xDCDCDC), Width: 0.4}
	itemEdge    = draw.LineStyle{Color: draw.RGB(0x303030), Width: 0.6}
)

// Sizes as shares of a cell.
const (
	itemRadius = 0.24
	endRadius  = 0.38
	itemText   = vg.Length(15) // the least cell whose items have room for numbers
)

// block draws the maze with the routes of the plan: the ground, then the routes,
// then what stands on the ground, so that the routes pass below the items.
func (m *mazeBoard) block(plan lanePlan, width vg.Length) draw.Block {
	rows, cols := vg.Length(len(m.grid)), vg.Length(len(m.grid[0]))
	return draw.Block{Height: plan.cell * rows, Paint: func(c draw.Canvas) {
		b := boardCanvas{Canvas: c, left: c.Min.X + (width-plan.cell*cols)/2, top: c.Max.Y, cell: plan.cell}
		m.paintGround(b)
		plan.paint(b, m)
		m.paintItems(b)
	}}
}

// paintGround draws walls, lava tiles, the lines between cells and the border.
func (m *mazeBoard) paintGround(b boardCanvas) {
	rows, cols := vg.Length(len(m.grid)), vg.Length(len(m.grid[0]))
	right, bottom := b.left+b.cell*cols, b.top-b.cell*rows
	m.each(lavaCell, func(s spot, _ int) { b.fillCell(s, lavaTile) })
	for i := 1; i < len(m.grid); i++ {
		y := b.top - b.cell*vg.Length(i)
		b.StrokeLine2(cellRule, b.left, y, right, y)
	}
	for i := 1; i < len(m.grid[0]); i++ {
		x := b.left + b.cell*vg.Length(i)
		b.StrokeLine2(cellRule, x, bottom, x, b.top)
	}
	m.each(wallCell, func(s spot, _ int) { b.fillCell(s, wallFill) })
	b.SetLineStyle(draw.LineStyle{Color: wallFill, Width: 1.2})
	b.Stroke(vg.Rectangle{Min: vg.Point{X: b.left, Y: bottom}, Max: vg.Point{X: right, Y: b.top}}.Path())
}

// each calls f with the cells of a kind, numbered from 1 in reading order, as in
// the names of modes.
func (m *mazeBoard) each(kind byte, f func(s spot, number int)) {
	n := 0
	for row, line := range m.grid {
		for col := range len(line) {
			if line[col] == kind {
				n++
				f(spot{row, col}, n)
			}
		}
	}
}

// mazeItems says how the items are drawn, in the order of the legend.
var mazeItems = []struct {
	kind byte
	name string
	fill color.NRGBA
}{
	{goldCell, "gold (G)", goldFill},
	{diamondCell, "diamond (D)", diamondFill},
	{lavaCell, "lava (L)", lavaFill},
	{bonusCell, "bonus (without effect)", draw.White},
}

// paintItems draws the items, with their numbers where there is room, and the
// two ends.
func (m *mazeBoard) paintItems(b boardCanvas) {
	for _, item := range mazeItems {
		m.each(item.kind, func(s spot, number int) {
			at := b.middle(s)
			paintItem(b.Canvas, item.kind, item.fill, at, itemRadius*b.cell)
			if item.kind != bonusCell && b.cell >= itemText {
				y := at.Y - 0.35*draw.SmallFont.Size
				if item.kind == lavaCell {
					y -= 0.04 * b.cell // a triangle is wider below
				}
				draw.Write(b.Canvas, draw.SmallFont, draw.Black, at.X, y, 0.5, strconv.Itoa(number))
			}
		})
	}
	for _, end := range []struct {
		at   spot
		name string
	}{{m.start, "S"}, {m.exit, "E"}} {
		at := b.middle(end.at)
		draw.Polygon(b.Canvas, draw.Black, draw.LineStyle{Color: draw.White, Width: 0.8}, draw.Ring(at, endRadius*b.cell, 32, 0))
		if b.cell >= itemText {
			draw.Write(b.Canvas, draw.PanelFont, draw.White, at.X, at.Y-0.35*draw.PanelFont.Size, 0.5, end.name)
		}
	}
}

// paintItem draws the symbol of an item: a coin, a rhombus, a triangle, or the
// outline of a star.
func paintItem(c draw.Canvas, kind byte, fill color.NRGBA, at vg.Point, radius vg.Length) {
	switch kind {
	case goldCell:
		draw.Polygon(c, fill, itemEdge, draw.Ring(at, radius, 24, 0))
	case diamondCell:
		draw.Polygon(c, fill, itemEdge, draw.Ring(at, 1.35*radius, 4, 0))
	case lavaCell:
		at.Y -= 0.12 * radius
		draw.Polygon(c, fill, itemEdge, draw.Ring(at, 1.5*radius, 3, math.Pi/2))
	case bonusCell:
		draw.Polygon(c, fill, draw.LineStyle{Color: bonusInk, Width: 0.8}, draw.Star(at, 1.2*radius))
	}
}

// symbols explains what stands in the maze, and the marks that its routes bear.
func (m *mazeBoard) symbols(plan lanePlan, width vg.Length) draw.Block {
	var entries []draw.Entry
	for _, item := range mazeItems {
		found := false
		m.each(item.kind, func(spot, int) { found = true })
		if found {
			entries = append(entries, draw.Entry{Text: item.name, Paint: func(c draw.Canvas) {
				paintItem(c, item.kind, item.fill, c.Center(), 3.6)
			}})
		}
	}
	bumped, lost := false, false
	for _, g := range plan.groups {
		for _, r := range g.routes {
			bumped = bumped || len(r.bumps) > 0
			lost = lost || !r.arrived
		}
	}
	if bumped {
		entries = append(entries, draw.Entry{Text: "step into a wall", Paint: func(c draw.Canvas) {
			mid := c.Center()
			paintBump(c, draw.LineStyle{Color: draw.Black, Width: 0.9}, vg.Point{X: mid.X - 3, Y: mid.Y}, vg.Point{X: mid.X + 3, Y: mid.Y})
		}})
	}
	if lost {
		entries = append(entries, draw.Entry{Text: "ends before E", Paint: func(c draw.Canvas) {
			paintCross(c, draw.Black, c.Center())
		}})
	}
	return draw.Legend(entries, width)
}

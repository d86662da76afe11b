package problem

import (
	"slices"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

// A Pool is a pool of answers to a problem, and what a drawing calls it.
type Pool struct {
	Variant string // that gave the answers, for errors
	Head    string // what stands over the picture
	Problem envs.Problem
	Answers [][]envs.Token
}

// A PoolSheet is a drawing of several pools in the making.
type PoolSheet struct {
	Title string
	Rows  [][]Pool
	Steps int    // how many evaluations of a variant are shown; above 1 a row is one variant's
	Note  string // what is to be said of the pools, below the pictures
}

// pools are those of all rows.
func (s PoolSheet) pools() []Pool { return slices.Concat(s.Rows...) }

// pictureSheet arranges pictures of problems below and, where there is room, beside each
// other, each under the name of its pool.
func pictureSheet(s PoolSheet, pictures [][]*draw.Figure) *draw.Figure {
	const head = vg.Length(14)
	width := draw.ColumnWidth
	for _, line := range pictures {
		sum := vg.Length(0)
		for _, f := range line {
			sum += f.Width
		}
		width = max(width, min(sum, draw.PageWidth))
		for _, f := range line {
			width = max(width, f.Width)
		}
	}
	blocks := draw.Heading(s.Title, width)
	add := func(pools []Pool, line []*draw.Figure) {
		height := vg.Length(0)
		for _, f := range line {
			height = max(height, f.Height)
		}
		blocks = append(blocks, draw.Block{Height: head + height, Paint: func(c draw.Canvas) {
			left := c.Min.X
			for i, f := range line {
				draw.Write(c, draw.PanelFont, draw.Black, left+4, c.Max.Y-draw.PanelFont.Size, 0, pools[i].Head)
				f.Paint(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
					Min: vg.Point{X: left, Y: c.Max.Y - head - f.Height}, Max: vg.Point{X: left + f.Width, Y: c.Max.Y - head},
				}})
				left += max(f.Width, width/vg.Length(len(line)))
			}
		}})
	}
	for i, line := range pictures {
		sum := vg.Length(0)
		for _, f := range line {
			sum += max(f.Width, width/vg.Length(len(line)))
		}
		if sum <= width+1 {
			add(s.Rows[i], line)
			continue
		}
		for j := range line {
			add(s.Rows[i][j:j+1], line[j:j+1])
		}
	}
	return draw.NotedPage(width, s.Note, blocks...)
}

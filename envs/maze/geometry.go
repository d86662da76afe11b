package maze

import (
	"slices"
	"sync"
)

// The kinds of cells, in the prompt's characters.
const (
	startCell   = 'S'
	exitCell    = 'E'
	goldCell    = 'G'
	diamondCell = 'D'
	bonusCell   = 'B'
	lavaCell    = 'L'
	wallCell    = '#'
	plainCell   = '.'
)

// A geometry is common to all mazes of one size. A cell is an index into flat arrays of
// (size+2)^2 entries whose outermost ring is a border of walls, so that no step needs a
// test for the edge of the grid.
type geometry struct {
	size     int
	stride   int      // size+2: from one row to the next
	openings [2]int   // fewest and most
	limit    int      // largest budget
	delta    [4]int16 // of UP, DOWN, LEFT, RIGHT
	inner    []int16  // the size*size cells, row by row
	corners  [4]int16 // north-west, north-east, south-west, south-east
	balls    [4][]int16
	center   int16
	lava     []int16   // where lava may lie: the strict interior, less the centre
	inside   [][2]int8 // row and column of each cell, from 0; -1 or size on the border
	place    []int16   // coordinate of each cell in embeddings
	blank    []int16   // distances before any is known
	pool     sync.Pool
}

// newGeometry lays out mazes of a size whose cells are embedded among side*side coordinates.
func newGeometry(size, side, slack int) *geometry {
	g := &geometry{size: size, stride: size + 2}
	// Twice the Manhattan distance from S to E, for the longer way over a corner.
	g.limit = 4*(size-1) + slack
	g.delta = [4]int16{int16(-g.stride), int16(g.stride), -1, 1}
	g.place = make([]int16, g.stride*g.stride)
	g.blank = slices.Repeat([]int16{unreached}, g.stride*g.stride)
	g.inside = make([][2]int8, g.stride*g.stride)
	for i := range g.inside {
		g.inside[i] = [2]int8{int8(i/g.stride - 1), int8(i%g.stride - 1)}
	}
	last := size - 1
	g.corners = [4]int16{g.cell(0, 0), g.cell(0, last), g.cell(last, 0), g.cell(last, last)}
	g.center = g.cell(size/2, size/2)
	for r := range size {
		for c := range size {
			cell := g.cell(r, c)
			g.inner = append(g.inner, cell)
			g.place[cell] = int16(r*side + c)
			for i, far := range [4]int{r + c, r + last - c, last - r + c, last - r + last - c} {
				if far <= 2 {
					g.balls[i] = append(g.balls[i], cell)
				}
			}
			if min(r, c) >= 2 && max(r, c) <= last-2 && cell != g.center {
				g.lava = append(g.lava, cell)
			}
		}
	}
	return g
}

// cell is that of a row and column, both from 0.
func (g *geometry) cell(row, col int) int16 { return int16((row+1)*g.stride + col + 1) }

// unreached is the distance of a cell that cannot be reached.
const unreached = -1

// flood fills dist with the length of the shortest way from a cell to each cell
// that does not lead over walls or cells of the kind avoid. queue is scratch; both
// slices have an entry for every cell.
func (g *geometry) flood(dist, queue []int16, cells []byte, from int16, avoid byte) {
	copy(dist, g.blank)
	dist[from] = 0
	queue[0] = from
	row := int16(g.stride)
	for head, tail := 0, 1; head < tail; head++ {
		cell := queue[head]
		farther := dist[cell] + 1
		for _, next := range [4]int16{cell - row, cell + row, cell - 1, cell + 1} {
			if kind := cells[next]; dist[next] == unreached && kind != wallCell && kind != avoid {
				dist[next] = farther
				queue[tail] = next
				tail++
			}
		}
	}
}

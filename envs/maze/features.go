package maze

import "modebench/envs"

// Features implements envs.Describer.
func (e *Env) Features() envs.Features {
	return envs.Features{
		Count:  int(e.layout.features),
		Width:  max(e.layout.side+2, 12),
		Prompt: e.layout.side,
		Tokens: len(legal),
	}
}

// AppendPromptFeatures implements envs.DescribedProblem: a position for each row, with the kind of
// the cell in each column, and the row's number. The first one also has the budget.
func (p *Problem) AppendPromptFeatures(dst [][]int32) [][]int32 {
	l, size := &p.env.layout, p.geo.size
	for r := range size {
		dst = envs.AppendPosition(dst)
		contents := dst[len(dst)-1]
		first := int(p.geo.cell(r, 0))
		for c, kind := range p.cells[first : first+size] {
			contents = append(contents, l.cell+int32(c*kinds)+kindNumber[kind])
		}
		contents = append(contents, l.row+int32(r))
		if r == 0 {
			contents = append(contents, l.budget+int32(p.budget))
		}
		dst[len(dst)-1] = contents
	}
	return dst
}

// AppendFeatures implements envs.DescribedCursor: the route's cell, the contents of that
// cell and its neighbours, the steps left, and how many items of each sort it has stepped
// on. Of items it tells those stepped on before from others.
func (c *cursor) AppendFeatures(dst []int32) []int32 {
	p := c.problem
	l, g := &p.env.layout, p.geo
	place := g.inside[c.cell]
	stand := 2 * kindNumber[p.cells[c.cell]]
	if c.fresh {
		stand++
	}
	dst = append(dst, l.standRow+int32(place[0]), l.standColumn+int32(place[1]), l.stand+stand)
	for i, d := range g.delta {
		next := c.cell + d
		kind := 2 * (int32(i*kinds) + kindNumber[p.cells[next]])
		if c.items&p.items[next] != 0 {
			kind++
		}
		dst = append(dst, l.around+kind)
	}
	if c.bumped {
		dst = append(dst, l.bumped)
	}
	golds, diamonds, lavas, _ := c.items.tally()
	return append(dst, l.left+int32(p.budget)-int32(c.steps), l.counts[0]+int32(golds), l.counts[1]+int32(diamonds), l.counts[2]+int32(lavas))
}

// A layout numbers the features of mazes up to a side.
type layout struct {
	side int // of the larger mazes

	// Of prompts, which have a position for every row.
	cell   int32 // column by kind
	row    int32
	budget int32

	// Of states.
	standRow, standColumn int32
	stand                 int32 // kind of the cell, and whether the last move was the first to step on it
	around                int32 // direction by kind, and whether it has been stepped on
	bumped                int32
	left                  int32 // steps
	counts                [3]int32
	features              int32
}

const kinds = len(kindNames)

var kindNumber = func() (numbers [256]int32) {
	for i, kind := range []byte(kindNames) {
		numbers[kind] = int32(i)
	}
	return numbers
}()

func newLayout(side, limit int) layout {
	l, number := layout{side: side}, envs.Numbering(0)
	take := number.Take
	l.cell, l.row, l.budget = take(side*kinds), take(side), take(limit+1)
	l.standRow, l.standColumn = take(side), take(side)
	l.stand, l.around = take(2*kinds), take(4*2*kinds)
	l.bumped, l.left = take(1), take(limit+1)
	l.counts = [3]int32{take(maxItems + 1), take(maxItems + 1), take(maxLava + 1)}
	l.features = int32(number)
	return l
}

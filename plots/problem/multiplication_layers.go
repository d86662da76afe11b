package problem

import (
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

// multiplicationStage has the table of families, and a layer for every family that was given:
// one with the right product, and one with wrong products.
func multiplicationStage(p envs.Problem, answers []Given) (*stage, error) {
	t, err := readProduct(p)
	if err != nil {
		return nil, err
	}
	table := t.table(true)
	example := t.example()
	width := max(draw.ColumnWidth, table.width(), example.width())
	s := &stage{width: width, blocks: []draw.Block{table.block(width), example.block(width)}}
	s.blocks = append(s.blocks, layerNote(width, t.note(), "Below a cell: answers with the right product, on the left, and with wrong ones, crossed.")...)
	familyOf := func(a Given) int {
		return slices.IndexFunc(t.families, func(f productFamily) bool { return f.Mode == a.Mode })
	}
	s.placeGiven(answers, func(a Given) string {
		if familyOf(a) < 0 {
			return ""
		}
		return a.Mode + strconv.FormatBool(a.Correct)
	}, func(a Given) layerMaker {
		f := t.families[familyOf(a)]
		return func(rects []vg.Rectangle) (func(c draw.Canvas), *vg.Point) {
			return table.mark(f, a.Correct, rects[0], width)
		}
	})
	return s, nil
}

// mark frames the family's cell on the table's block, or crosses it where the product is wrong.
func (t familyTable) mark(f productFamily, correct bool, block vg.Rectangle, width vg.Length) (func(c draw.Canvas), *vg.Point) {
	l := t.layout(width)
	corner := l.corner(block, f.cell[0], f.cell[1])
	wide := l.column - tableGap
	line := corner.Y - t.below(t.task.kinds[0][f.cell[0]]) - 1.5*draw.Leading(draw.SmallFont)
	if correct {
		box := vg.Rectangle{Min: vg.Point{X: corner.X - 1, Y: line - 0.5*draw.Leading(draw.SmallFont)}, Max: vg.Point{X: corner.X + wide + 1, Y: corner.Y + 2}}
		box.Max.X = min(box.Max.X, block.Max.X-1)
		return func(c draw.Canvas) { paintBox(c, box, true) }, &vg.Point{X: corner.X + wide/4, Y: line}
	}
	return func(c draw.Canvas) { paintCross(c, draw.Red, vg.Point{X: corner.X + 0.55*wide, Y: line}) }, &vg.Point{X: corner.X + 0.8*wide, Y: line}
}

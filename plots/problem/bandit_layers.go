package problem

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

// The room for the frame before a row, and for its number of answers behind it.
const (
	rowMargin = vg.Length(4)
	rowCount  = vg.Length(42)
)

// banditStage has a row for every arm, or every mode where arms are many, and a layer that
// frames a row.
func banditStage(p envs.Problem, answers []Given) (*stage, error) {
	var arms []banditArm
	if err := readField(p, "arms", &arms); err != nil {
		return nil, err
	}
	if len(arms) == 0 {
		return nil, errors.New("the problem has no arms to draw")
	}
	groups := byMembership(arms)
	layers := colouredModes(groups)
	shown := lumped(groups)
	byMode := len(arms) > maxBars
	table := armTable(shown, fillsOf(layers))
	if byMode {
		table = modeTable(shown, fillsOf(layers))
	}
	shape := table.shape()
	width := rowMargin + shape.width + rowCount
	head := "answers"
	if !slices.ContainsFunc(answers, func(a Given) bool { return a.Text != "" }) {
		head = "probability"
	}
	rows := draw.Block{Height: shape.headHeight() + rowsHeight(table.rows) + axisRoom, Paint: func(c draw.Canvas) {
		shape.paint(c, table.rows, c.Min.X+rowMargin)
		draw.Write(c, draw.SmallFont, draw.Subtle, c.Min.X+width-rowCount/2, c.Max.Y-draw.SmallFont.Size, 0.5, head)
	}}
	s := &stage{width: width, blocks: []draw.Block{rows, banditLegend(layers, groups, false, width)}}
	s.blocks = append(s.blocks, layerNote(width, barNote(shown, len(arms)), colourNote(layers), rewardNote(table.rows))...)
	rowsOf := rowFinder(shown, byMode)
	s.place(answers, func(a Given) string {
		from, to := rowsOf(a)
		if to == 0 {
			return ""
		}
		return fmt.Sprint(from, to)
	}, func(a Given) layerMaker {
		from, to := rowsOf(a)
		return shape.rowsLayer(table.rows, from, to, a.Correct)
	})
	return s, nil
}

// rowFinder says which rows of the table an answer is of, from one to before another: those of
// its mode where the arm is not known. None are 0 to 0.
func rowFinder(groups []armGroup, byMode bool) func(a Given) (from, to int) {
	arms, modes := map[string][2]int{}, map[draw.ModeKey][2]int{}
	row := 0
	for _, g := range groups {
		from := row
		if byMode {
			row++
		}
		for _, a := range g.arms {
			if byMode {
				arms[a.Arm] = [2]int{from, row}
				continue
			}
			arms[a.Arm] = [2]int{row, row + 1}
			row++
		}
		for _, m := range g.modes {
			modes[m] = [2]int{from, row}
		}
	}
	return func(a Given) (from, to int) {
		at, known := arms[a.Text]
		if !known && a.Text == "" {
			at = modes[draw.ModeKey{Name: a.Mode, Correct: a.Correct}]
		}
		return at[0], at[1]
	}
}

// rowsLayer frames some rows. The table is the first block of its page.
func (s barShape) rowsLayer(rows []barRow, from, to int, correct bool) layerMaker {
	return func(rects []vg.Rectangle) (func(c draw.Canvas), *vg.Point) {
		top := rects[0].Max.Y - s.headHeight() - rowsHeight(rows[:from+1]) + barLine
		bottom := rects[0].Max.Y - s.headHeight() - rowsHeight(rows[:to])
		box := vg.Rectangle{Min: vg.Point{X: rects[0].Min.X + 1, Y: bottom + 0.6}, Max: vg.Point{X: rects[0].Max.X - 1, Y: top - 0.6}}
		count := vg.Point{X: rects[0].Max.X - rowCount/2, Y: (top + bottom) / 2}
		return func(c draw.Canvas) { paintBox(c, box, correct) }, &count
	}
}

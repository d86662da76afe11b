package problem

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

// rowCount is the room for a row's number of answers.
const rowCount = vg.Length(42)

// banditStage has a row for every arm, or every mode where arms are many, and for every answer a
// bar in its rows. A line in a row is its probability under the base policy.
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
	head := "answers"
	table.shares = "share of answers"
	if !slices.ContainsFunc(answers, func(a Given) bool { return a.Text != "" }) {
		head, table.shares = "probability", "probability"
	}
	shape := table.shape()
	width := shape.width + rowCount
	rows := draw.Block{Height: shape.headHeight() + rowsHeight(table.rows) + axisRoom, Paint: func(c draw.Canvas) {
		shape.paint(c, table.rows, c.Min.X)
		draw.Write(c, draw.SmallFont, draw.Subtle, c.Min.X+width-rowCount/2, c.Max.Y-draw.SmallFont.Size, 0.5, head)
	}}
	base := draw.Entry{Text: "probability under the base policy", Paint: func(c draw.Canvas) {
		c.StrokeLine2(baseLine, c.Center().X, c.Min.Y, c.Center().X, c.Max.Y)
	}}
	s := &stage{width: width, blocks: []draw.Block{rows, banditLegend(layers, groups, width, "Line:", base)}}
	s.blocks = append(s.blocks, layerNote(width, rowsNote(shown, "summed up"), colourNote(layers), rewardNote(table.rows))...)
	s.from, _ = shape.axisAt(0)
	s.above = func(rects []vg.Rectangle, c draw.Canvas) { shape.paintBase(c, rects[0], table.rows) }
	rowsOf := rowFinder(shown, byMode)
	s.placeGiven(answers, func(a Given) string {
		from, to := rowsOf(a)
		if to == 0 {
			return ""
		}
		return fmt.Sprint(from, to)
	}, func(a Given) layerMaker {
		from, to := rowsOf(a)
		return shape.shareLayer(table.rows, from, to)
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

// baseLine is the mark of the base policy.
var baseLine = draw.LineStyle{Color: draw.Black, Width: 1}

// rowAt is where a row lies in a table that fills a rectangle.
func (s barShape) rowAt(r vg.Rectangle, rows []barRow, number int) (bottom, top vg.Length) {
	bottom = r.Max.Y - s.headHeight() - rowsHeight(rows[:number+1])
	return bottom, bottom + barLine
}

// paintBase marks the value of every row.
func (s barShape) paintBase(c draw.Canvas, r vg.Rectangle, rows []barRow) {
	from, to := s.axisAt(r.Min.X)
	for i, row := range rows {
		if row.bare {
			continue
		}
		bottom, top := s.rowAt(r, rows, i)
		x := from + s.fraction(row)*(to-from)
		c.StrokeLine2(baseLine, x, bottom+1, x, top-1)
	}
}

// shareLayer is a bar in some rows, as long as the axis. The table is the first block of its page.
func (s barShape) shareLayer(rows []barRow, from, to int) layerMaker {
	return func(rects []vg.Rectangle) (func(c draw.Canvas), *vg.Point) {
		left, right := s.axisAt(rects[0].Min.X)
		_, top := s.rowAt(rects[0], rows, from)
		bottom, _ := s.rowAt(rects[0], rows, to-1)
		pad := (barLine - barHeight) / 2
		bar := vg.Rectangle{Min: vg.Point{X: left, Y: bottom + pad}, Max: vg.Point{X: right, Y: top - pad}}
		count := vg.Point{X: rects[0].Max.X - rowCount/2, Y: (top + bottom) / 2}
		return func(c draw.Canvas) {
			c.SetColor(rows[from].fill)
			c.Fill(bar.Path())
		}, &count
	}
}

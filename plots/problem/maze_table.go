package problem

import (
	"fmt"
	"image/color"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/plots/draw"
)

// A routeTable says what the lines of a maze are.
type routeTable struct {
	caption string
	heads   []string // of the columns of text; the lines' samples have none
	numbers []bool   // by column: aligned at the right
	rows    []routeRow
}

// A routeRow explains a line.
type routeRow struct {
	look  draw.Look
	texts []string
}

// frontTable lists the vectors of the exact Pareto front.
func (m *mazeBoard) frontTable(shown []*routeGroup) routeTable {
	t := routeTable{
		caption: fmt.Sprintf("Exact Pareto front: %s", draw.Counted(len(m.front), "reward vector")),
		heads:   []string{"reward", "moves", "mode of the route"},
		numbers: []bool{false, true, false},
	}
	for _, g := range shown {
		t.rows = append(t.rows, routeRow{g.look, []string{rewardText(g.reward), g.lengths(), g.name}})
	}
	return t
}

// answerTable lists the modes of the answers. What is on the exact front is
// marked, and the caption counts how much of the front was reached.
func (m *mazeBoard) answerTable(shown []*routeGroup, answers, unparsed int) routeTable {
	t := routeTable{
		heads:   []string{"mode", "reward", "on front", "answers", "routes", "moves"},
		numbers: []bool{false, false, false, true, true, true},
	}
	modes, correct := 0, 0
	for _, g := range shown {
		on := ""
		if g.correct {
			modes += g.modes
			correct += g.answers
			if m.onFront(g.reward) {
				on = "yes"
			}
		}
		name := g.name
		if name == "" {
			name = "degenerate"
		}
		t.rows = append(t.rows, routeRow{g.look, []string{
			name, rewardText(g.reward), on, strconv.Itoa(g.answers), strconv.Itoa(len(g.routes)), g.lengths(),
		}})
	}
	t.caption = fmt.Sprintf("%s: %d correct in %s", draw.Counted(answers, "answer"), correct, draw.Counted(modes, "mode"))
	return t
}

// onFront says whether a vector is one of the exact Pareto front.
func (m *mazeBoard) onFront(reward []float64) bool {
	for _, w := range m.front {
		if rewardText(w.Reward) == rewardText(reward) {
			return true
		}
	}
	return false
}

// lengths is the range of the routes' numbers of steps: "16", "16–22".
func (g *routeGroup) lengths() string {
	low, high := len(g.routes[0].moves), 0
	for _, r := range g.routes {
		low, high = min(low, len(r.moves)), max(high, len(r.moves))
	}
	if low == high {
		return strconv.Itoa(low)
	}
	return fmt.Sprintf("%d–%d", low, high)
}

const tableRuleRoom = vg.Length(3)

// block draws the table: caption, heads and rows between rules.
func (t routeTable) block() (b draw.Block, width vg.Length) {
	columns := make([]vg.Length, len(t.heads))
	width = draw.SampleWidth
	for i, head := range t.heads {
		columns[i] = draw.TextWidth(draw.SmallFont, head)
		for _, row := range t.rows {
			columns[i] = max(columns[i], min(draw.TextWidth(draw.SmallFont, row.texts[i]), widestCell))
		}
		width += draw.CellGap + columns[i]
	}
	width = max(width, draw.TextWidth(draw.PanelFont, t.caption))
	top := draw.Leading(draw.PanelFont) + draw.Leading(draw.SmallFont) + 2*tableRuleRoom
	height := top + barLine*vg.Length(len(t.rows)) + 2*tableRuleRoom
	return draw.Block{Height: height, Paint: func(c draw.Canvas) {
		c.Min.X += max(0, (c.Max.X-c.Min.X-width)/2)
		c.Max.X = c.Min.X + width
		draw.WriteLines(c, draw.PanelFont, draw.Black, c.Min.X, c.Max.Y, 0, []string{t.caption})
		t.paintRow(c, columns, draw.Subtle, c.Max.Y-draw.Leading(draw.PanelFont)-tableRuleRoom, t.heads)
		rule := draw.LineStyle{Color: draw.Subtle, Width: 0.5}
		y := c.Max.Y - top + tableRuleRoom
		c.StrokeLine2(rule, c.Min.X, y, c.Max.X, y)
		for i, row := range t.rows {
			at := c.Max.Y - top - barLine*vg.Length(i)
			mid := at - barLine/2
			c.StrokeLine2(row.look.Line(), c.Min.X, mid, c.Min.X+draw.SampleWidth, mid)
			t.paintRow(c, columns, draw.Black, at, row.texts)
		}
		y = c.Max.Y - height + tableRuleRoom
		c.StrokeLine2(rule, c.Min.X, y, c.Max.X, y)
	}}, width
}

// paintRow writes the texts of a row below top.
func (t routeTable) paintRow(c draw.Canvas, columns []vg.Length, ink color.Color, top vg.Length, texts []string) {
	x := c.Min.X + draw.SampleWidth + draw.CellGap
	line := draw.TextLine(top-barLine, top)
	for i, w := range columns {
		text := draw.Elided(texts[i], w)
		if t.numbers[i] {
			draw.Write(c, draw.SmallFont, ink, x+w, line, 1, text)
		} else {
			draw.Write(c, draw.SmallFont, ink, x, line, 0, text)
		}
		x += w + draw.CellGap
	}
}

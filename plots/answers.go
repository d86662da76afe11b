package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"modebench/envs"
	"modebench/experiments/record"
)

// answersFigure shows a problem with the pool's answers drawn in, a picture for every
// pool. On a maze a mode looks the same in all of them, and one table names the modes.
func answersFigure(fig record.Figure, shown []*pooled) (*Figure, error) {
	rows, err := viewRows(shown, fig.Steps, spreadOver(len(shown), 2))
	if err != nil {
		return nil, err
	}
	if shown[0].cell.Env.Name == "maze" {
		return mazePools(fig, slices.Concat(rows...))
	}
	var pictures [][]*Figure
	for _, row := range rows {
		var line []*Figure
		for _, v := range row {
			p, answers, err := v.problem(fig.Problem)
			if err != nil {
				return nil, err
			}
			picture, err := DrawProblem(v.of.cell.Env.Name, p, answers)
			if err != nil {
				return nil, fmt.Errorf("variant %s: %w", v.of.variant.Label, err)
			}
			line = append(line, picture)
		}
		pictures = append(pictures, line)
	}
	return pictureSheet(fig, rows, pictures), nil
}

// problem is the problem of a pool, with its answers as tokens; of a chain, the answers
// of all its places.
func (v poolView) problem(number int) (envs.Problem, [][]envs.Token, error) {
	env, err := v.of.env()
	if err != nil {
		return nil, nil, err
	}
	split, _ := v.of.cell.Eval["split"].(string)
	p, err := env.Problem(envs.Split(split), number)
	if err != nil {
		return nil, nil, fmt.Errorf("variant %s: %w", v.of.variant.Label, err)
	}
	if p.ID() != v.pool.ID {
		return nil, nil, fmt.Errorf("variant %s: problem %d is %s, the answers kept are to %s", v.of.variant.Label, number, p.ID(), v.pool.ID)
	}
	words := map[string]envs.Token{}
	for i, word := range env.Info().Vocabulary {
		words[word] = envs.Token(i)
	}
	answers := make([][]envs.Token, len(v.pool.Answers))
	for i, a := range v.pool.Answers {
		for _, word := range a.Tokens {
			token, known := words[word]
			if !known {
				return nil, nil, fmt.Errorf("variant %s: answers[%d]: the word %q is none of %s", v.of.variant.Label, i, word, v.of.cell.Env.Name)
			}
			answers[i] = append(answers[i], token)
		}
	}
	return p, answers, nil
}

// pictureSheet puts pictures of problems below and, where there is room, beside each
// other, each under the name of its pool.
func pictureSheet(fig record.Figure, rows [][]poolView, pictures [][]*Figure) *Figure {
	const head = vg.Length(14)
	width := columnWidth
	for _, line := range pictures {
		sum := vg.Length(0)
		for _, f := range line {
			sum += f.width
		}
		width = max(width, min(sum, pageWidth))
		for _, f := range line {
			width = max(width, f.width)
		}
	}
	blocks := heading(fig.Title, width)
	add := func(views []poolView, line []*Figure) {
		height := vg.Length(0)
		for _, f := range line {
			height = max(height, f.height)
		}
		blocks = append(blocks, block{height: head + height, paint: func(c draw.Canvas) {
			left := c.Min.X
			for i, f := range line {
				write(c, panelFont, black, left+4, c.Max.Y-panelFont.Size, 0, views[i].head(fig.Steps))
				f.paint(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
					Min: vg.Point{X: left, Y: c.Max.Y - head - f.height}, Max: vg.Point{X: left + f.width, Y: c.Max.Y - head},
				}})
				left += max(f.width, width/vg.Length(len(line)))
			}
		}})
	}
	for i, line := range pictures {
		sum := vg.Length(0)
		for _, f := range line {
			sum += max(f.width, width/vg.Length(len(line)))
		}
		if sum <= width+1 {
			add(rows[i], line)
			continue
		}
		for j := range line {
			add(rows[i][j:j+1], line[j:j+1])
		}
	}
	return page(width, append(blocks, paragraphs(smallFont, subtle, width, poolNote(fig, slices.Concat(rows...)))...)...)
}

// A mazePool is the picture of one pool in a maze.
type mazePool struct {
	view     poolView
	board    *mazeBoard
	groups   []*routeGroup
	unparsed int
	plan     lanePlan
}

// mazePools draws the routes of pools in their maze, coloured by mode.
func mazePools(fig record.Figure, views []poolView) (*Figure, error) {
	pools := make([]*mazePool, len(views))
	for i, v := range views {
		p, answers, err := v.problem(fig.Problem)
		if err != nil {
			return nil, err
		}
		m := &mazePool{view: v}
		if m.board, err = readMaze(p); err == nil {
			m.groups, m.unparsed, err = m.board.given(p, answers)
		}
		if err != nil {
			return nil, fmt.Errorf("variant %s: %w", v.of.variant.Label, err)
		}
		pools[i] = m
	}
	modes := sharedModes(pools)
	columns := spreadOver(len(pools), 3)
	if len(fig.Steps) > 1 {
		columns = len(fig.Steps)
	}
	table := poolTable(fig, pools, modes)
	body, wide := table.block()
	width := max(columnWidth, wide)
	if columns > 1 {
		width = max(pageWidth, wide)
	}
	each := (width - panelGap*vg.Length(columns-1)) / vg.Length(columns)
	blocks := heading(fig.Title, width)
	for _, line := range mazeLines(pools, fig.Steps, columns) {
		blocks = append(blocks, mazeLine(fig, line, each))
	}
	all := lanePlan{}
	for _, m := range pools {
		all.groups = append(all.groups, m.plan.groups...)
	}
	blocks = append(blocks, pools[0].board.symbols(all, width), body)
	note := sentences("The wider a line, the more answers go that way; a mode has its colour in all panels.", rewardOrder(modes), poolNote(fig, views))
	return page(width, append(blocks, paragraphs(smallFont, subtle, width, note)...)...), nil
}

// mazeLines are the pools of each line of panels: of one variant where several steps are
// shown.
func mazeLines(pools []*mazePool, steps []int, columns int) [][]*mazePool {
	if len(steps) < 2 {
		return slices.Collect(slices.Chunk(pools, columns))
	}
	var out [][]*mazePool
	for i, m := range pools {
		if i == 0 || m.view.of != pools[i-1].view.of {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], m)
	}
	return out
}

// mazeLine draws a line of panels.
func mazeLine(fig record.Figure, line []*mazePool, each vg.Length) block {
	height := vg.Length(0)
	for _, m := range line {
		m.plan = sharedLanes(m.board, m.groups)
		m.plan.cell = min(m.plan.cell, each/vg.Length(len(m.board.grid[0])))
		if m.plan.lanes > 1 {
			m.plan.spacing = min(widestLane, corridor*m.plan.cell/vg.Length(m.plan.lanes-1))
		}
		height = max(height, m.plan.cell*vg.Length(len(m.board.grid)))
	}
	return block{height: height + headLine + 3, paint: func(c draw.Canvas) {
		for i, m := range line {
			left := c.Min.X + (each+panelGap)*vg.Length(i)
			write(c, panelFont, black, left, c.Max.Y-panelFont.Size, 0, elidedIn(panelFont, m.view.head(fig.Steps), each))
			at := c
			at.Min.X, at.Max.X, at.Max.Y = left, left+each, c.Max.Y-headLine-3
			m.board.block(m.plan, each).paint(at)
		}
	}}
}

// sharedLanes gives every mode a lane, as planLanes does where routes are many: a mode
// looks the same whether its pool has few routes or many.
func sharedLanes(m *mazeBoard, groups []*routeGroup) lanePlan {
	plan := planLanes(m, groups)
	ordered := slices.Clone(groups)
	slices.SortStableFunc(ordered, func(a, b *routeGroup) int {
		return cmp.Compare(plan.drift(a.routes), plan.drift(b.routes))
	})
	for lane, g := range ordered {
		for _, r := range g.routes {
			r.lane = lane
		}
	}
	plan.shared, plan.lanes = true, len(groups)
	plan.measure(m)
	return plan
}

// sharedModes gives the modes of all pools their looks: correct ones by how many answers
// they have in all; what is beyond the table's room, and what is incorrect, shares one.
// Every pool's groups are those of the table then, in its order.
func sharedModes(pools []*mazePool) []*routeGroup {
	var total []*routeGroup
	find := func(g *routeGroup) *routeGroup {
		for _, t := range total {
			if t.name == g.name && t.correct == g.correct {
				return t
			}
		}
		total = append(total, &routeGroup{name: g.name, modes: 1, reward: g.reward, correct: g.correct})
		return total[len(total)-1]
	}
	for _, m := range pools {
		for _, g := range m.groups {
			find(g).answers += g.answers
		}
	}
	slices.SortStableFunc(total, func(a, b *routeGroup) int {
		switch {
		case a.correct && !b.correct, a.correct == b.correct && a.answers > b.answers:
			return -1
		case a.correct != b.correct, a.answers < b.answers:
			return 1
		case naturally(a.name, b.name):
			return -1
		}
		return 1
	})
	own := 0
	for own < min(len(total), maxFlowModes) && total[own].correct {
		total[own].look = routeLook(own)
		own++
	}
	rows := slices.Clone(total[:own])
	rows = append(rows, restOf(total[own:], true, "and %d more modes", manyColor)...)
	rows = append(rows, restOf(total[own:], false, "%d incorrect modes", wrongColor)...)
	for _, m := range pools {
		m.groups = regrouped(m.groups, rows[:own], rows[own:])
	}
	return rows
}

// restOf lets the correct, or the incorrect, of some modes share a row.
func restOf(rest []*routeGroup, correct bool, name string, ink color.NRGBA) []*routeGroup {
	rest = slices.DeleteFunc(slices.Clone(rest), func(g *routeGroup) bool { return g.correct != correct })
	if len(rest) == 0 {
		return nil
	}
	row := merged(rest, name)
	if len(rest) == 1 {
		row.name = rest[0].name
	}
	row.look = routeLook(0)
	row.look.color = ink
	return []*routeGroup{row}
}

// regrouped puts the groups of a pool under the rows of the table that they belong to.
func regrouped(groups, own, rest []*routeGroup) []*routeGroup {
	var out []*routeGroup
	for _, row := range append(slices.Clone(own), rest...) {
		var part []*routeGroup
		for _, g := range groups {
			named := slices.ContainsFunc(own, func(o *routeGroup) bool { return o.name == g.name && o.correct == g.correct })
			if named && g.name == row.name && g.correct == row.correct || !named && slices.Contains(rest, row) && g.correct == row.correct {
				part = append(part, g)
			}
		}
		if len(part) > 0 {
			g := merged(part, row.name+"%.0d")
			g.name, g.look = row.name, row.look
			out = append(out, g)
		}
	}
	return out
}

// poolTable names the modes and counts each pool's answers.
func poolTable(fig record.Figure, pools []*mazePool, modes []*routeGroup) routeTable {
	t := routeTable{caption: "Answers by mode", heads: []string{"mode", "reward"}, numbers: []bool{false, false}}
	for _, m := range pools {
		t.heads, t.numbers = append(t.heads, elided(m.view.head(fig.Steps), 70)), append(t.numbers, true)
	}
	for _, row := range modes {
		name := row.name
		if name == "" {
			name = "degenerate"
		}
		texts := []string{name, rewardText(row.reward)}
		for _, m := range pools {
			n := 0
			for _, g := range m.groups {
				if g.name == row.name && g.correct == row.correct {
					n = g.answers
				}
			}
			texts = append(texts, strconv.Itoa(n))
		}
		t.rows = append(t.rows, routeRow{row.look, texts})
	}
	return t
}

package problem

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/plots/draw"
)

// A mazePool is the picture of one pool in a maze.
type mazePool struct {
	head   string
	board  *mazeBoard
	groups []*routeGroup
	plan   lanePlan
}

// mazePools draws the routes of pools in their maze, coloured by mode.
func mazePools(s PoolSheet) (*draw.Figure, error) {
	var pools []*mazePool
	for _, pool := range s.pools() {
		m := &mazePool{head: pool.Head}
		var err error
		if m.board, err = readMaze(pool.Problem); err == nil {
			m.groups, _, err = m.board.given(pool.Problem, pool.Answers)
		}
		if err != nil {
			return nil, fmt.Errorf("variant %s: %w", pool.Variant, err)
		}
		pools = append(pools, m)
	}
	modes := sharedModes(pools)
	columns := draw.EvenColumns(len(pools), 3)
	if s.Steps > 1 {
		columns = s.Steps
	}
	table := poolTable(pools, modes)
	body, wide := table.block()
	width := max(draw.ColumnWidth, wide)
	if columns > 1 {
		width = max(draw.PageWidth, wide)
	}
	each := (width - draw.PanelGap*vg.Length(columns-1)) / vg.Length(columns)
	blocks := draw.Heading(s.Title, width)
	for _, line := range mazeLines(s, pools, columns) {
		blocks = append(blocks, mazeLine(line, each))
	}
	all := lanePlan{}
	for _, m := range pools {
		all.groups = append(all.groups, m.plan.groups...)
	}
	blocks = append(blocks, pools[0].board.symbols(all, width), body)
	note := draw.Sentences("The wider a line, the more answers go that way; a mode has its colour in all panels.", rewardOrder(modes), s.Note)
	return draw.NotedPage(width, note, blocks...), nil
}

// mazeLines are the pools of each line of panels: of one variant where several steps are
// shown.
func mazeLines(s PoolSheet, pools []*mazePool, columns int) [][]*mazePool {
	if s.Steps < 2 {
		return slices.Collect(slices.Chunk(pools, columns))
	}
	var out [][]*mazePool
	for _, row := range s.Rows {
		out = append(out, pools[:len(row)])
		pools = pools[len(row):]
	}
	return out
}

// mazeLine draws a line of panels.
func mazeLine(line []*mazePool, each vg.Length) draw.Block {
	height := vg.Length(0)
	for _, m := range line {
		m.plan = sharedLanes(m.board, m.groups)
		m.plan.cell = min(m.plan.cell, each/vg.Length(len(m.board.grid[0])))
		if m.plan.lanes > 1 {
			m.plan.spacing = min(widestLane, corridor*m.plan.cell/vg.Length(m.plan.lanes-1))
		}
		height = max(height, m.plan.cell*vg.Length(len(m.board.grid)))
	}
	return draw.Block{Height: height + draw.HeadLine + 3, Paint: func(c draw.Canvas) {
		for i, m := range line {
			left := c.Min.X + (each+draw.PanelGap)*vg.Length(i)
			draw.Write(c, draw.PanelFont, draw.Black, left, c.Max.Y-draw.PanelFont.Size, 0, draw.ElidedIn(draw.PanelFont, m.head, each))
			at := c
			at.Min.X, at.Max.X, at.Max.Y = left, left+each, c.Max.Y-draw.HeadLine-3
			m.board.block(m.plan, each).Paint(at)
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
// they have in all; those that the table has no room for share one, and so do the incorrect ones.
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
		case draw.Before(a.name, b.name):
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
	row.look.Color = ink
	return []*routeGroup{row}
}

// regrouped sorts the groups of a pool under the rows of the table that they belong to.
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
func poolTable(pools []*mazePool, modes []*routeGroup) routeTable {
	t := routeTable{caption: "Answers by mode", heads: []string{"mode", "reward"}, numbers: []bool{false, false}}
	for _, m := range pools {
		t.heads, t.numbers = append(t.heads, draw.Elided(m.head, 70)), append(t.numbers, true)
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

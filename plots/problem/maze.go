package problem

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"modebench/envs"
	"modebench/plots/draw"
)

// A mazeBoard is what a maze's own fields say of it.
type mazeBoard struct {
	grid             []string // rows, one character a cell
	start, exit      spot
	budget, shortest int // steps
	front            []mazeWitness
}

// A mazeWitness is an entry of the field "routes": a route for a reward vector of
// the exact Pareto front.
type mazeWitness struct {
	Reward []float64 `json:"reward"`
	Answer string    `json:"answer"`
}

// The characters of a grid.
const (
	startCell   = 'S'
	exitCell    = 'E'
	goldCell    = 'G'
	diamondCell = 'D'
	lavaCell    = 'L'
	bonusCell   = 'B'
	wallCell    = '#'
	plainCell   = '.'
)

// mazeFigure draws a maze with the routes of the answers in it, coloured by mode,
// above a table of the modes. Without answers the routes are one for each vector
// of the exact Pareto front.
func mazeFigure(p envs.Problem, answers [][]envs.Token) (*draw.Figure, error) {
	m, err := readMaze(p)
	if err != nil {
		return nil, err
	}
	var groups []*routeGroup
	unparsed := 0
	if len(answers) > 0 {
		groups, unparsed, err = m.given(p, answers)
	} else {
		groups, err = m.ofFront(p)
	}
	if err != nil {
		return nil, err
	}
	shown := shownGroups(groups)
	plan := planLanes(m, shown)
	table := m.frontTable(shown)
	if len(answers) > 0 {
		table = m.answerTable(shown, len(answers), unparsed)
	}
	body, width := table.block()
	width = max(width, draw.ColumnWidth, plan.width(m))
	title := fmt.Sprintf("maze %s: %d × %d, budget %d, shortest way out %d", p.ID(), len(m.grid), len(m.grid[0]), m.budget, m.shortest)
	blocks := append(draw.Heading(title, width), m.block(plan, width), m.symbols(plan, width))
	if len(table.rows) > 0 {
		blocks = append(blocks, body)
	}
	note := draw.Sentences(plan.note(len(answers) > 0), rewardOrder(shown), unparsedNote(unparsed, len(answers)))
	return draw.Page(width, append(blocks, draw.Paragraphs(draw.SmallFont, draw.Subtle, width, note)...)...), nil
}

// readMaze reads and checks the problem's fields.
func readMaze(p envs.Problem) (*mazeBoard, error) {
	m := &mazeBoard{start: spot{-1, -1}, exit: spot{-1, -1}}
	for _, field := range []struct {
		name string
		out  any
	}{{"grid", &m.grid}, {"budget", &m.budget}, {"shortest", &m.shortest}, {"routes", &m.front}} {
		if err := readField(p, field.name, field.out); err != nil {
			return nil, err
		}
	}
	if len(m.grid) == 0 || m.grid[0] == "" {
		return nil, errors.New("the grid has no cells to draw")
	}
	for row, line := range m.grid {
		if len(line) != len(m.grid[0]) {
			return nil, fmt.Errorf("row %d of the grid has %d cells, want %d as in row 1", row+1, len(line), len(m.grid[0]))
		}
		for col := range len(line) {
			if err := m.place(spot{row, col}, line[col]); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case m.start.row < 0 || m.exit.row < 0:
		return nil, errors.New("the grid lacks its start S or its exit E")
	case m.budget < 1:
		return nil, fmt.Errorf("the budget is %d steps, want at least 1", m.budget)
	}
	return m, nil
}

// place notes where the grid has its ends, and refuses what cannot be drawn.
func (m *mazeBoard) place(at spot, cell byte) error {
	end := &m.start
	switch cell {
	case startCell:
	case exitCell:
		end = &m.exit
	case goldCell, diamondCell, lavaCell, bonusCell, wallCell, plainCell:
		return nil
	default:
		return fmt.Errorf("row %d, column %d of the grid holds %q; cells are S, E, G, D, L, B, # and .", at.row+1, at.col+1, cell)
	}
	if end.row >= 0 {
		return fmt.Errorf("row %d, column %d of the grid holds a second %c", at.row+1, at.col+1, cell)
	}
	*end = at
	return nil
}

// A routeGroup is what has a line of the table: the routes of one mode, of one
// vector of the front, or of several modes that share a line.
type routeGroup struct {
	name    string // the mode
	modes   int    // how many share the line
	reward  []float64
	correct bool
	answers int
	routes  []*mazeRoute // the different ones, in the order of the answers
	look    draw.Look
}

// given groups the answers by mode, correct modes first, then by how many answers
// they have, and counts the answers that do not parse.
func (m *mazeBoard) given(p envs.Problem, answers [][]envs.Token) (groups []*routeGroup, unparsed int, err error) {
	at := map[draw.ModeKey]*routeGroup{}
	for i, answer := range answers {
		v := p.Judge(answer)
		if v.Err != nil {
			unparsed++
			continue
		}
		route, err := m.walk(p.AnswerText(answer))
		if err != nil {
			return nil, 0, fmt.Errorf("answer %d: %w", i+1, err)
		}
		key := draw.ModeKey{Name: string(v.Mode), Correct: v.Correct}
		g := at[key]
		if g == nil {
			g = &routeGroup{name: key.Name, modes: 1, reward: v.Reward, correct: v.Correct}
			at[key] = g
			groups = append(groups, g)
		}
		g.add(route)
	}
	slices.SortStableFunc(groups, func(a, b *routeGroup) int {
		switch {
		case a.correct != b.correct && a.correct, a.correct == b.correct && a.answers > b.answers:
			return -1
		case a.correct != b.correct, a.answers < b.answers:
			return 1
		case draw.Before(a.name, b.name):
			return -1
		case draw.Before(b.name, a.name):
			return 1
		}
		return 0
	})
	return groups, unparsed, nil
}

// add counts an answer, whose route may have been seen before.
func (g *routeGroup) add(route *mazeRoute) {
	g.answers++
	for _, other := range g.routes {
		if slices.Equal(other.moves, route.moves) {
			other.times++
			return
		}
	}
	route.times = 1
	g.routes = append(g.routes, route)
}

// ofFront has a group for each vector of the exact Pareto front, in its order.
func (m *mazeBoard) ofFront(p envs.Problem) ([]*routeGroup, error) {
	var groups []*routeGroup
	for i, w := range m.front {
		route, err := m.walk(w.Answer)
		if err != nil {
			return nil, fmt.Errorf("routes[%d]: %w", i, err)
		}
		if !route.arrived {
			return nil, fmt.Errorf("routes[%d]: %q does not reach E within %s", i, w.Answer, draw.Counted(m.budget, "step"))
		}
		mode := p.JudgeText(w.Answer).Mode
		g := &routeGroup{name: string(mode), modes: 1, reward: w.Reward, correct: true}
		g.add(route)
		groups = append(groups, g)
	}
	return groups, nil
}

// What a picture of a maze can show apart.
const (
	maxOwnLanes   = 10 // different routes that have a lane each, and modes that then have a line
	maxFlowModes  = 7  // correct modes that have a lane each where there are more routes
	maxWrongModes = 3  // incorrect modes with a line of their own
)

// shownGroups keeps the first of the correct modes and lets the rest share a
// line of the table; so do the incorrect ones where they are many. Every group gets
// its look.
func shownGroups(groups []*routeGroup) []*routeGroup {
	var correct, wrong []*routeGroup
	for _, g := range groups {
		if g.correct {
			correct = append(correct, g)
		} else {
			wrong = append(wrong, g)
		}
	}
	most := maxOwnLanes
	if routesOf(groups) > maxOwnLanes {
		most = maxFlowModes
	}
	if len(correct) > most+1 { // a line for one mode takes no more room
		correct = append(correct[:most:most], merged(correct[most:], "and %d more modes"))
	}
	if len(wrong) > maxWrongModes {
		wrong = []*routeGroup{merged(wrong, "%d incorrect modes")}
	}
	for i, g := range correct {
		g.look = routeLook(i)
		if i >= most {
			g.look.Color = manyColor
		}
	}
	for i, g := range wrong {
		g.look = routeLook(i + 1)
		g.look.Color = wrongColor
	}
	return append(correct, wrong...)
}

// routesOf counts the different routes.
func routesOf(groups []*routeGroup) int {
	n := 0
	for _, g := range groups {
		n += len(g.routes)
	}
	return n
}

// merged lets groups share a line; it has a reward where they all have the same.
func merged(groups []*routeGroup, name string) *routeGroup {
	out := &routeGroup{name: fmt.Sprintf(name, len(groups)), modes: len(groups), correct: groups[0].correct, reward: groups[0].reward}
	for _, g := range groups {
		out.answers += g.answers
		out.routes = append(out.routes, g.routes...)
		if !slices.Equal(g.reward, out.reward) {
			out.reward = nil
		}
	}
	return out
}

// rewardOrder says what the components of the vectors are.
func rewardOrder(shown []*routeGroup) string {
	const components = 4
	for _, g := range shown {
		if len(g.reward) == components {
			return "Rewards: (completion, gold, diamond, lava avoided). Modes: numbers of the items stepped on."
		}
	}
	return ""
}

// rewardText writes a reward vector with at most two decimals: "(1, 0.33, 0, 1)".
func rewardText(r []float64) string {
	if r == nil {
		return ""
	}
	words := make([]string, len(r))
	for i, x := range r {
		text := strconv.FormatFloat(x, 'f', 2, 64)
		words[i] = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return "(" + strings.Join(words, ", ") + ")"
}

package problem

import (
	"fmt"
	"slices"

	"modebench/envs"
	"modebench/plots/draw"
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
	return draw.NotedPage(width, note, blocks...), nil
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

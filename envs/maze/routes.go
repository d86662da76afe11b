package maze

import (
	"fmt"
	"slices"

	"modebench/envs"
)

// A drawnRoute is where an answer leads.
type drawnRoute struct {
	cells   []int16 // S, then where each step that moved led
	bumps   []bump  // the different ones
	steps   int
	arrived bool
	lane    int
	answers []int
}

// A bump is a step into a wall or the border.
type bump struct {
	cell int16
	move envs.Token
}

// route follows an answer.
func (p *Problem) route(moves []envs.Token) *drawnRoute {
	r := &drawnRoute{cells: []int16{p.start}}
	c := cursor{problem: p, cell: p.start}
	for _, t := range moves {
		if c.Done() {
			break
		}
		c.move(t)
		if b := (bump{c.cell, t}); !c.bumped {
			r.cells = append(r.cells, c.cell)
		} else if !slices.Contains(r.bumps, b) {
			r.bumps = append(r.bumps, b)
		}
	}
	r.steps, r.arrived = int(c.steps), c.cell == p.exit
	return r
}

// A routeGroup has a line of the table: the routes of a mode, of a vector of the front, or of
// several modes.
type routeGroup struct {
	name    string
	modes   int
	reward  []float64
	correct bool
	hue     int
	routes  []*drawnRoute
	answers []int
}

// Limits of a drawing.
const (
	maxLanes      = 10 // different routes that have a lane each, and modes that then have a line
	maxLaneModes  = 7  // correct modes that have a lane each if there are more routes
	maxWrongModes = 3  // incorrect modes with a line of their own
)

// routesOfFront has a group for each vector of the exact Pareto front.
func (p *Problem) routesOfFront() []*routeGroup {
	var out []*routeGroup
	for _, witness := range p.routes {
		moves, _ := p.AnswerTokens(witness.Answer) // the truth's own routes parse
		out = append(out, &routeGroup{
			name: string(p.Judge(moves).Mode), modes: 1, reward: witness.Reward, correct: true, routes: []*drawnRoute{p.route(moves)},
		})
	}
	return out
}

// routesOf groups the answers by mode, those with more answers first. An
// answer whose mode alone is known has the route of a vector on the front, if its mode has one.
func (p *Problem) routesOf(answers []envs.Attempt) []*routeGroup {
	var out []*routeGroup
	for i, a := range answers {
		text := a.Text
		if text == "" {
			for _, witness := range p.routes {
				if p.JudgeText(witness.Answer).Mode == a.Mode {
					text = witness.Answer
				}
			}
		}
		moves, err := p.AnswerTokens(text)
		if err != nil || len(moves) == 0 {
			continue
		}
		pos := slices.IndexFunc(out, func(g *routeGroup) bool { return g.name == string(a.Mode) && g.correct == a.Correct })
		if pos < 0 {
			pos = len(out)
			out = append(out, &routeGroup{name: string(a.Mode), modes: 1, reward: a.Reward, correct: a.Correct})
		}
		out[pos].add(p.route(moves), i)
	}
	slices.SortStableFunc(out, func(a, b *routeGroup) int { return len(b.answers) - len(a.answers) })
	return out
}

// add gives an answer to its route, which may be known.
func (g *routeGroup) add(route *drawnRoute, answer int) {
	g.answers = append(g.answers, answer)
	pos := slices.IndexFunc(g.routes, func(r *drawnRoute) bool {
		return r.steps == route.steps && slices.Equal(r.cells, route.cells) && slices.Equal(r.bumps, route.bumps)
	})
	if pos < 0 {
		pos = len(g.routes)
		g.routes = append(g.routes, route)
	}
	g.routes[pos].answers = append(g.routes[pos].answers, answer)
}

// shownGroups keeps the first of the correct modes and lets the rest share a line; so do the
// incorrect ones if they are many.
func shownGroups(groups []*routeGroup) []*routeGroup {
	var correct, wrong []*routeGroup
	routes := 0
	for _, g := range groups {
		routes += len(g.routes)
		if g.hue = len(correct); g.correct {
			correct = append(correct, g)
		} else {
			g.hue = envs.WrongModes
			wrong = append(wrong, g)
		}
	}
	limit := maxLanes
	if routes > maxLanes {
		limit = maxLaneModes
	}
	if len(correct) > limit+1 { // a line for a single mode takes no more room
		correct = append(correct[:limit:limit], merged(correct[limit:], "and %d more modes", envs.OtherModes))
	} else if len(correct) > limit {
		correct[limit].hue = envs.OtherModes
	}
	if len(wrong) > maxWrongModes {
		wrong = []*routeGroup{merged(wrong, "%d incorrect modes", envs.WrongModes)}
	}
	return append(correct, wrong...)
}

// merged lets groups share a line; it has a reward if they all have the same.
func merged(groups []*routeGroup, name string, hue int) *routeGroup {
	out := &routeGroup{name: fmt.Sprintf(name, len(groups)), modes: len(groups), correct: groups[0].correct, reward: groups[0].reward, hue: hue}
	for _, g := range groups {
		out.answers = append(out.answers, g.answers...)
		out.routes = append(out.routes, g.routes...)
		if !slices.Equal(g.reward, out.reward) {
			out.reward = nil
		}
	}
	return out
}

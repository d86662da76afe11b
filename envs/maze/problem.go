package maze

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"modebench/envs"
)

// An itemSet holds what a route has stepped on: bit i is gold cell i, bit 6+i
// diamond i, bit 12+i lava i, numbered from 0 in reading order. Bit 20 is the bonus tile,
// if that has an effect.
type itemSet uint32

const (
	diamondShift = maxItems
	lavaShift    = 2 * maxItems

	goldBits    itemSet = 1<<maxItems - 1
	diamondBits         = goldBits << diamondShift
	lavaBits    itemSet = (1<<maxLava - 1) << lavaShift

	bonusShift         = lavaShift + maxLava
	bonusBit   itemSet = 1 << bonusShift
)

// A Problem is one maze.
type Problem struct {
	env         *Env
	geo         *geometry
	id          string
	cells       []byte    // kind of each cell
	items       []itemSet // added by stepping on a cell
	start, exit int16
	corners     [2]int16                               // gold, diamond
	budget      int                                    // steps
	shortest    int                                    // steps from S to E
	count       [3]int                                 // gold, diamond and lava cells
	judged      [cachedVerdicts]atomic.Pointer[judged] // see verdict

	findTruth sync.Once
	truth     envs.Truth
	routes    []route // one for each vector of the front
	findWays  sync.Once
	ways      [3][]int16 // distance to the gold corner, the diamond corner and E
}

// ID implements envs.Problem.
func (p *Problem) ID() string { return p.id }

// Prompt implements envs.Problem: the cells row by row, then the decimal digits of the budget.
func (p *Problem) Prompt() []envs.Token {
	out := make([]envs.Token, 0, len(p.geo.inner)+3)
	for _, cell := range p.geo.inner {
		out = append(out, firstKind+envs.Token(kindNumber[p.cells[cell]]))
	}
	for _, digit := range strconv.Itoa(p.budget) {
		out = append(out, firstDigit+envs.Token(digit-'0'))
	}
	return out
}

// PromptText implements envs.Problem. It repeats the prompt of VPO app. E.3, the bonus
// tile's empty promise included.
func (p *Problem) PromptText() string {
	return p.preamble("You have %d steps.") +
		"Give the moves inside <answer>...</answer> tags, for example <answer>UP UP RIGHT</answer>."
}

// MultiPromptText implements envs.MultiPrompter: the prompt for m routes. Each has the whole budget
// (the "14-step budget" printed in VPO app. E.3 is that of no maze).
func (p *Problem) MultiPromptText(m int) string {
	var b strings.Builder
	b.WriteString(p.preamble("You have %d steps per route."))
	fmt.Fprintf(&b, "Think about the maze briefly, then give %d truly different routes from S to E.\n", m)
	b.WriteString("A route is a list of the moves UP, DOWN, LEFT, RIGHT with blanks between them. ")
	fmt.Fprintf(&b, "Put each route into its own numbered tags: %s. ", envs.Tags("route", m))
	b.WriteString("Only moves may stand inside the tags, no arrows, coordinates or words; reasoning goes outside.\n")
	fmt.Fprintf(&b, "Every route has a budget of %d steps of its own and must reach E, or it scores zero.\n", p.budget)
	fmt.Fprintf(&b, "The format, for %d routes:\n", m)
	examples := [...]string{"RIGHT RIGHT DOWN DOWN", "DOWN DOWN RIGHT RIGHT", "RIGHT DOWN RIGHT DOWN"}
	for i := range m {
		fmt.Fprintf(&b, "<route_%d>%s</route_%d>\n", i+1, examples[i%len(examples)], i+1)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (p *Problem) preamble(budget string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Find a way through this %dx%d maze from S to E. Pick up gold and diamonds, keep off the lava.\n\nGrid:\n", p.geo.size, p.geo.size)
	for _, row := range p.grid() {
		b.WriteString(strings.Join(strings.Split(row, ""), " ") + "\n")
	}
	b.WriteString("\n- Moves: UP, DOWN, LEFT, RIGHT. You cannot enter a wall (#).\n" +
		"- Stay inside the grid.\n" +
		"- Step on G (gold), D (diamond) and B (bonus) cells to collect them.\n" +
		"- L is lava: every lava cell you step on costs you.\n" +
		"- A B cell multiplies your other scores, so look around!\n" +
		"- Reaching E is a MUST: without it everything scores zero.\n" +
		"- The route ends at E: only what you collected BEFORE it counts.\n")
	fmt.Fprintf(&b, "- "+budget+"\n\n", p.budget)
	fmt.Fprintf(&b, "In this maze there are %d gold, %d diamond, %d lava and 1 bonus cells.\n", p.count[0], p.count[1], p.count[2])
	return b.String()
}

func (p *Problem) grid() []string {
	rows := make([]string, p.geo.size)
	for r := range rows {
		first := int(p.geo.cell(r, 0))
		rows[r] = string(p.cells[first : first+p.geo.size])
	}
	return rows
}

// A route is a route of some reward, in the JSON form of Fields.
type route struct {
	Reward []float64 `json:"reward"`
	Answer string    `json:"answer"`
}

// Fields implements envs.Problem: "grid" (rows in the prompt's characters), "budget" and "shortest"
// (steps; the latter of the shortest route from S to E), and "routes", a shortest route for each
// vector of the Pareto front, in the front's order.
func (p *Problem) Fields() map[string]any {
	p.Truth()
	return map[string]any{"grid": p.grid(), "budget": p.budget, "shortest": p.shortest, "routes": p.routes}
}

// A judged route is a verdict that a problem keeps, and the places that it judges.
type judged struct {
	places placeSet
	reward [components]float64
	envs.Verdict
}

var moveNames = [4]string{"UP", "DOWN", "LEFT", "RIGHT"}

const kindNames = "SEGDBL#."

// vocabulary has four moves, eight kinds of cells and ten digits.
var vocabulary = slices.Concat(moveNames[:], strings.Split(kindNames, ""), strings.Split("0123456789", ""))

const (
	up envs.Token = iota
	down
	left
	right
	firstKind  // S E G D B L # .
	firstDigit = firstKind + 8
)

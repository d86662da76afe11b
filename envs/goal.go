package envs

import (
	"fmt"
	"strings"
)

// A Goal is a task that names the weights under which its answers will be scored (goal
// conditioning, VPO sec. 4.2 and app. E.5). A tabular policy sees the number of the goal in
// its cursor's context; the prompt's tokens are the task's.
type Goal struct {
	task    Task
	id      string
	number  int
	weights []float64
}

// GoalWeights lists the weights that a goal can state, in reward space of d
// components: the d vertices of the simplex, then its centroid. A policy that knows only
// these goals is given the nearest of them.
func GoalWeights(d int) [][]float64 {
	if d == 1 {
		return [][]float64{{1}}
	}
	var out [][]float64
	for j := range d {
		w := make([]float64, d)
		w[j] = 1
		out = append(out, w)
	}
	return append(out, UniformWeights(d))
}

// NearestGoal returns the number of the goal whose weights lie nearest to w in
// Euclidean distance, the lowest of equals.
func NearestGoal(goals [][]float64, w []float64) int {
	best, least := 0, 0.0
	for i, g := range goals {
		square := 0.0
		for j := range w {
			d := g[j] - w[j]
			square += float64(d * d)
		}
		if i == 0 || square < least {
			best, least = i, square
		}
	}
	return best
}

// NewGoal returns the task under goal number i of goals.
func NewGoal(t Task, goals [][]float64, i int) *Goal {
	return &Goal{task: t, id: fmt.Sprintf("%s@%d", t.ID(), i), number: i, weights: goals[i]}
}

// ID implements Task: "train/0@4".
func (g *Goal) ID() string { return g.id }

// Prompt implements Task.
func (g *Goal) Prompt() []Token { return g.task.Prompt() }

// Unwrap implements Wrapper.
func (g *Goal) Unwrap() Task { return g.task }

// Weights is the scalarisation that the goal asks for; not to be written to.
func (g *Goal) Weights() []float64 { return g.weights }

// Start implements Task.
func (g *Goal) Start() Cursor { return goalCursor{g.task.Start(), g} }

type goalCursor struct {
	Cursor
	goal *Goal
}

func (c goalCursor) AppendState(dst []byte) []byte {
	return c.Cursor.AppendState(append(dst, byte(c.goal.number)))
}

// Unwrap implements WrapperCursor.
func (c goalCursor) Unwrap() (Cursor, int) { return c.Cursor, 0 }

func (c goalCursor) AppendContext(dst []byte) []byte {
	return append(dst, 'g', byte(c.goal.number))
}

// GoalPrompt is the text that a goal adds to the prompt of a task (VPO app. E.5), given the
// names of the reward components.
func GoalPrompt(components []string, w []float64) string {
	var b strings.Builder
	b.WriteString("What your answer is worth, by component (a larger weight counts for more):\n")
	for j, name := range components {
		fmt.Fprintf(&b, "- %s: %.2f\n", name, w[j])
	}
	b.WriteString("Make the weighted sum as large as you can.")
	return b.String()
}

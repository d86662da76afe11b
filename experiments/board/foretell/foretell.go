// Package foretell compares two boards: does a short one foretell a long one?
//
// Compare measures how alike they order methods, column by column and task by task, and finds the methods
// that are better than the reference on one and worse on the other (foretell.go). Hold compares both with
// the signs that papers published (published.go). Write writes the Comparison (write.go).
package foretell

import (
	"maps"
	"math"
	"slices"

	"modebench/experiments/board"
	"modebench/experiments/board/ledger"
	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/internal/plural"
	"modebench/metrics/stats"
)

// A Comparison measures how well a short board foretells a long one. "Short" and "long" only name the two
// sides: any two boards can be compared.
type Comparison struct {
	Short, Long *board.Table
	// Methods fit all tasks of both boards, in the order of the short one. Methods with the same records on
	// all tasks of both are one.
	Methods []Method
	Over    []Agreement // columns over all tasks
	Tasks   []Task      // that both boards have, by name
	// Published compares each board with a ledger (Hold); nil: without a ledger.
	Published []Published
}

// A Method is a method on two boards.
type Method struct {
	Name        string
	Short, Long board.Line
}

// Published compares a board with the signs that papers published of language models.
type Published struct {
	Board  string // as Comparison.Names calls it
	Scored *ledger.Scored
	// Separations are how well columns separate the methods that are published as keeping diversity.
	Separations []Separation
}

// A Separation is the ledger's Separation by one column.
type Separation struct {
	Column string
	ledger.Separation
}

// A Task is a task that both boards have, perhaps under another policy.
type Task struct {
	Name    string
	Columns []Agreement // over the methods that fit it on both
}

// An Agreement is how alike two boards order methods by a column.
type Agreement struct {
	Column string
	// Tau is Kendall's tau-b with its 95% interval over methods (stats.KendallTau). N is how many methods
	// have a number on both boards, three or more.
	Tau stats.Interval
}

// fewest is how few methods can be compared.
const fewest = 3

// scoreColumn is the score that ranks, over all tasks.
const scoreColumn = "score"

// Compare compares two boards. Each is results of one policy, of one task each, as in board.NewTable.
// Boards that share fewer than three methods on all of their tasks are an error.
func Compare(short, long []*board.Result) (*Comparison, error) {
	c := &Comparison{}
	var err error
	if c.Short, err = board.NewTable(short); err != nil {
		return nil, err
	}
	if c.Long, err = board.NewTable(long); err != nil {
		return nil, err
	}
	c.share()
	if len(c.Methods) < fewest {
		return nil, input.Errorf("the boards share %s that fit all of their tasks: want %d or more, by name", plural.Count(len(c.Methods), "method"), fewest)
	}
	c.Over = agreements(c.Methods, append([]string{scoreColumn}, board.Names(board.Compared|board.ComparedByTask)...),
		func(m Method, column string) (x, y float64) { return over(m.Short, column), over(m.Long, column) })
	for _, r := range c.Short.Results {
		if pair := board.OfTask(c.Long.Results, r.Task); pair != nil {
			c.Tasks = append(c.Tasks, onTask(r, pair))
		}
	}
	return c, nil
}

// share finds the methods that fit all tasks of both boards.
func (c *Comparison) share() {
	lines := func(t *board.Table) map[string]board.Line {
		out := map[string]board.Line{}
		for _, l := range t.Rows {
			for _, name := range l.Methods() {
				if len(l.Areas) == len(t.Tasks) {
					out[name] = l
				}
			}
		}
		return out
	}
	short, long := lines(c.Short), lines(c.Long)
	maps.DeleteFunc(short, func(name string, _ board.Line) bool { _, shared := long[name]; return !shared })
	all := slices.Concat(c.Short.Results, c.Long.Results)
	names, _ := board.Distinct(slices.Sorted(maps.Keys(short)), func(name string) string { return board.Evaluations(all, name) })
	for _, l := range c.Short.Rows {
		for _, name := range l.Methods() {
			if slices.Contains(names, name) {
				c.Methods = append(c.Methods, Method{name, short[name], long[name]})
			}
		}
	}
}

// over is a column of a line, in the mean over tasks.
func over(l board.Line, column string) float64 {
	if column == scoreColumn {
		return l.Score.Mean
	}
	if i, ok := l.Paired[column]; ok {
		return i.Mean
	}
	return l.Means.Mean(column)
}

// onTask compares the results of a task, method by method.
func onTask(short, long *board.Result) Task {
	var methods []string
	for _, s := range short.Standings {
		if short.Tuned(s.Method) != nil && long.Tuned(s.Method) != nil {
			methods = append(methods, s.Method)
		}
	}
	pair := []*board.Result{short, long}
	methods, _ = board.Distinct(methods, func(name string) string { return board.Evaluations(pair, name) })
	return Task{short.Task, agreements(methods, append([]string{"area"}, board.Names(board.ComparedByTask)...),
		func(name, column string) (x, y float64) {
			return short.Tuned(name).Mean(column), long.Tuned(name).Mean(column)
		})}
}

// agreements compares columns over methods. It leaves out those that fewer than three methods have.
func agreements[M any](methods []M, columns []string, values func(m M, column string) (x, y float64)) (out []Agreement) {
	for _, column := range columns {
		var xs, ys []float64
		for _, m := range methods {
			if x, y := values(m, column); !math.IsNaN(x) && !math.IsNaN(y) {
				xs, ys = append(xs, x), append(ys, y)
			}
		}
		if len(xs) < fewest {
			continue
		}
		if tau, err := stats.KendallTau(xs, ys); err == nil { // an error is only of lists of different lengths
			out = append(out, Agreement{column, tau})
		}
	}
	return out
}

// Names are the boards' names in texts: their policies, or short and long if these are the same.
func (c *Comparison) Names() [2]string {
	if c.Short.Policy == c.Long.Policy {
		return [2]string{"short", "long"}
	}
	return [2]string{c.Short.Policy, c.Long.Policy}
}

// answers are the answers beside the reference in the order of tables.
var answers = []stats.Standing{stats.Better, stats.Equal, stats.Unsettled, stats.Worse}

// Answers counts the methods by their answers on [the short board][the long board], each better, equal,
// undecided or worse.
func (c *Comparison) Answers() (out [4][4]int) {
	for _, m := range c.Methods {
		if m.Name != board.Reference {
			out[slices.Index(answers, m.Short.Decision.Standing)][slices.Index(answers, m.Long.Decision.Standing)]++
		}
	}
	return out
}

// Opposed are the methods that are better than the reference on one board and worse on the other.
func (c *Comparison) Opposed() []Method {
	return each.Where(c.Methods, Method.Opposed)
}

// Opposed reports whether a method is better than the reference on one board and worse on the other.
func (m Method) Opposed() bool {
	a, b := m.Short.Decision.Standing, m.Long.Decision.Standing
	return a == stats.Better && b == stats.Worse || a == stats.Worse && b == stats.Better
}

package foretell

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/board"
	"modebench/internal/lined"
	"modebench/internal/plural"
	"modebench/internal/table"
	"modebench/metrics/stats"
)

// Formats are the formats of a comparison of two boards.
func Formats() []string { return []string{"text", "markdown", "json"} }

// Write writes the comparison in one of Formats.
func (c *Comparison) Write(format string) ([]byte, error) {
	switch format {
	case "text":
		return c.write(table.Grid.Text), nil
	case "markdown":
		return c.write(table.Grid.Markdown), nil
	case "json":
		return lined.Text(c.json()), nil
	}
	return nil, fmt.Errorf("format %q: want one of %q", format, Formats())
}

// A passage is a text, with a table below it if it has rows.
type passage struct {
	text string
	head []string
	rows [][]string
}

func (c *Comparison) write(grid func(table.Grid) string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Does the %s board foretell the %s one? modebench board %d.\n", c.Names()[0], c.Names()[1], board.Version)
	for _, p := range []passage{c.opening(), c.overTasks(), c.taskByTask(), c.answers(), c.opposed(), c.agreement(), c.separation()} {
		if p.text != "" {
			fmt.Fprintf(&b, "\n%s\n", p.text)
		}
		if p.rows != nil {
			fmt.Fprintf(&b, "\n%s", grid(append(table.Grid{p.head}, p.rows...)))
		}
	}
	return b.Bytes()
}

// opening names the boards, and explains taus.
func (c *Comparison) opening() passage {
	side := func(i int, t *board.Table) string {
		return fmt.Sprintf("%s: %s (%s), up to %s each, %d methods", c.Names()[i], plural.Count(len(t.Tasks), "task"), strings.Join(t.Tasks, ", "), plural.Count(t.Seeds, "seed"), len(t.Rows))
	}
	return passage{text: fmt.Sprintf(`%s.
%s.
%d methods fit all tasks of both. Numbers are Kendall's tau-b: 1 is the same order of methods, 0 none, -1 the
reverse. [Intervals] are of 95%% over methods.`, side(0, c.Short), side(1, c.Long), len(c.Methods))}
}

func (c *Comparison) overTasks() passage {
	p := passage{text: "Over all tasks, each method after its own tuning:", head: []string{"column", "methods", "tau"}}
	for _, a := range c.Over {
		p.rows = append(p.rows, []string{a.Column, fmt.Sprint(a.Tau.N), tau(a.Tau)})
	}
	return p
}

// taskByTask has a row for each task that both boards have.
func (c *Comparison) taskByTask() passage {
	if len(c.Tasks) == 0 {
		return passage{}
	}
	columns := append([]string{"area"}, board.Names(board.ComparedByTask)...)
	p := passage{text: "On each task that both have, over the methods that fit it:", head: append([]string{"task", "methods"}, columns...)}
	for _, t := range c.Tasks {
		row := []string{t.Name, "-"}
		for _, name := range columns {
			cell := "-"
			if a := board.First(t.Columns, func(a *Agreement) bool { return a.Column == name }); a != nil {
				if cell = tau(a.Tau); name == "area" {
					row[1] = fmt.Sprint(a.Tau.N)
				}
			}
			row = append(row, cell)
		}
		p.rows = append(p.rows, row)
	}
	return p
}

// answers has how many methods have which answers.
func (c *Comparison) answers() passage {
	p := passage{
		text: fmt.Sprintf("The answers beside %s: how many methods have that of the row on %s and that of the column on %s.", board.Reference, c.Names()[0], c.Names()[1]),
		head: []string{c.Names()[0]},
	}
	for _, answer := range answers {
		p.head = append(p.head, string(answer))
	}
	for i, counts := range c.Answers() {
		row := []string{string(answers[i])}
		for _, n := range counts {
			row = append(row, fmt.Sprint(n))
		}
		p.rows = append(p.rows, row)
	}
	return p
}

// opposed names the methods on which the boards oppose each other.
func (c *Comparison) opposed() passage {
	text := fmt.Sprintf("Better than %s on one board and worse on the other: ", board.Reference)
	opposed := c.Opposed()
	if len(opposed) == 0 {
		return passage{text: text + "none."}
	}
	p := passage{text: text + plural.Count(len(opposed), "method") + ".", head: []string{"method", "score " + c.Names()[0], "score " + c.Names()[1]}}
	for _, m := range opposed {
		p.rows = append(p.rows, []string{m.Name, board.Interval(m.Short.Score).Text, board.Interval(m.Long.Score).Text})
	}
	return p
}

// two is two decimals, and a dash for a missing number.
var two = table.Digits{Decimals: 2, Missing: "-"}

// tau writes a tau with its bounds.
func tau(x stats.Interval) string { return two.Interval(x.Mean, x.Low, x.High) }

// json is the comparison for lined.Text. In answers[i][j] is how many methods have the i-th of
// better, equal, undecided and worse on the short board and the j-th on the long one.
func (c *Comparison) json() table.Object {
	taus := func(list []Agreement) (out []table.Object) {
		for _, a := range list {
			out = append(out, table.Object{{"column", a.Column}, {"tau", four(a.Tau)}, {"methods", a.Tau.N}})
		}
		return out
	}
	side := func(t *board.Table) table.Object {
		return table.Object{{"policy", t.Policy}, {"tasks", t.Tasks}, {"seeds", t.Seeds}, {"methods", len(t.Rows)}}
	}
	var tasks, methods []table.Object
	for _, t := range c.Tasks {
		tasks = append(tasks, table.Object{{"task", t.Name}, {"columns", taus(t.Columns)}})
	}
	for _, m := range slices.SortedFunc(slices.Values(c.Methods), func(a, b Method) int { return cmp.Compare(a.Name, b.Name) }) {
		sides := func(value func(l board.Line) any) [2]any { return [2]any{value(m.Short), value(m.Long)} }
		methods = append(methods, table.Object{
			{"method", m.Name},
			{"score", sides(func(l board.Line) any { return four(l.Score) })},
			{"beside_grpo", sides(func(l board.Line) any { return l.Decision.Standing })},
			{"rank", sides(func(l board.Line) any { return [2]int{l.Rank.Low, l.Rank.High} })},
		})
	}
	return table.Object{
		{"board", board.Version}, {"short", side(c.Short)}, {"long", side(c.Long)}, {"over_tasks", taus(c.Over)}, {"task_by_task", tasks},
		{"answers", c.Answers()}, {"published", c.publishedJSON()}, {"methods", methods},
	}
}

// four is a mean with the ends of its interval, of four digits each.
func four(i stats.Interval) [3]lined.Number {
	return [3]lined.Number{board.Four(i.Mean), board.Four(i.Low), board.Four(i.High)}
}

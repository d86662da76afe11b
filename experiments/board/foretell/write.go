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

// answers has the table of Answers.
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

// agreement counts the published signs that each board has.
func (c *Comparison) agreement() passage {
	if c.Published == nil {
		return passage{}
	}
	p := passage{
		text: fmt.Sprintf(`Signs that papers published of language models (results/foretell/ledger.toml). A sign agrees if the board's difference has
it, and up to %v where the sign is "no difference". Right, wrong and undecided are by the interval of the difference.`, board.Margin),
		head: []string{"board", "signs", "published", "answered", "share that agrees", "right", "wrong", "undecided"},
	}
	for _, board := range c.Published {
		for _, n := range board.Scored.Counts {
			p.rows = append(p.rows, []string{board.Board, n.Part, fmt.Sprint(n.Rows), fmt.Sprint(n.Answered), tau(n.Share), fmt.Sprint(n.Right), fmt.Sprint(n.Wrong), fmt.Sprint(n.Undecided)})
		}
	}
	return p
}

// separation has the areas under the ROC curve, by column and board.
func (c *Comparison) separation() passage {
	if c.Published == nil {
		return passage{}
	}
	p := passage{
		text: `The area under the curve of "published as keeping diversity" by a column: the chance that a method published as
keeping it has more than one published as losing it; 0.5 is no relation:`,
		head: []string{"column"},
	}
	for _, board := range c.Published {
		p.head = append(p.head, fmt.Sprintf("%s: keep, lose", board.Board), board.Board)
	}
	for i, column := range separating {
		row := []string{column}
		for _, board := range c.Published {
			s := board.Separations[i]
			row = append(row, fmt.Sprintf("%d, %d", s.Keeps, s.Loses), tau(s.AUC))
		}
		p.rows = append(p.rows, row)
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

// publishedJSON has each board's answers to the ledger.
func (c *Comparison) publishedJSON() (out []table.Object) {
	for _, p := range c.Published {
		var counts, separations []table.Object
		for _, n := range p.Scored.Counts {
			counts = append(counts, table.Object{{"signs", n.Part}, {"published", n.Rows}, {"answered", n.Answered}, {"agree", n.Agree}, {"share", four(n.Share)}, {"right", n.Right}, {"wrong", n.Wrong}, {"undecided", n.Undecided}})
		}
		for _, s := range p.Separations {
			separations = append(separations, table.Object{{"column", s.Column}, {"keep", s.Keeps}, {"lose", s.Loses}, {"auc", four(s.AUC)}})
		}
		out = append(out, table.Object{{"board", p.Board}, {"agreement", counts}, {"keeps_diversity", separations}})
	}
	return out
}

// four is a mean with the ends of its interval, of four digits each.
func four(i stats.Interval) [3]lined.Number {
	return [3]lined.Number{lined.Four(i.Mean), lined.Four(i.Low), lined.Four(i.High)}
}

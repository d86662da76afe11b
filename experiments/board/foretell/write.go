package foretell

import (
	"bytes"
	"fmt"
	"math"
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
func (f *Comparison) Write(format string) ([]byte, error) {
	switch format {
	case "text":
		return f.write(table.Grid.Text), nil
	case "markdown":
		return f.write(table.Grid.Markdown), nil
	case "json":
		return lined.Text(f.json()), nil
	}
	return nil, fmt.Errorf("format %q: want one of %q", format, Formats())
}

// A passage is a text, with a table below it if it has rows.
type passage struct {
	text string
	head []string
	rows [][]string
}

func (f *Comparison) write(grid func(table.Grid) string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Does the %s board foretell the %s one? modebench board %d.\n", f.Names()[0], f.Names()[1], board.Version)
	passages := append([]passage{f.opening()}, f.overTasks()...)
	passages = append(passages, f.taskByTask(), f.repeated(), f.within())
	if f.Steps != nil {
		passages = append(passages, f.steps(true), f.steps(false))
	}
	for _, p := range append(passages, f.methods()...) {
		if p.text != "" {
			fmt.Fprintf(&b, "\n%s\n", p.text)
		}
		if p.rows != nil {
			fmt.Fprintf(&b, "\n%s", grid(append(table.Grid{p.head}, p.rows...)))
		}
	}
	return b.Bytes()
}

// opening names the boards compared, and explains how to read taus.
func (f *Comparison) opening() passage {
	side := func(i int, t *board.Table) string {
		return fmt.Sprintf("%s: %s (%s), %s each, %d methods", f.Names()[i], plural.Count(len(t.Tasks), "task"), strings.Join(t.Tasks, ", "), plural.Count(t.Seeds, "seed"), len(t.Rows))
	}
	return passage{text: fmt.Sprintf(`%s.
%s.
%d methods are on both, and %d of them fit all tasks. Numbers are Kendall's tau-b: 1 is the same order of
methods, 0 none, -1 the reverse. [Intervals] are of 95%% over methods.`, side(0, f.Short), side(1, f.Long), len(f.Shared), len(f.Everywhere))}
}

// overTasks are the tables of means over tasks.
func (f *Comparison) overTasks() (out []passage) {
	for i, s := range f.Over {
		text := `Over all tasks. "Halves" is the tau of each board with itself, between halves of its seeds. "Ceiling" is the
tau to expect, from these, if the boards differed in their seeds alone. Means are of what every method has
after its own tuning.`
		if i > 0 {
			text = fmt.Sprintf("Over the tasks that both have: %s.", strings.Join(s.Short, ", "))
		}
		p := passage{text: text, head: []string{"column", "methods", "tau", "halves: " + f.Names()[0], "halves: " + f.Names()[1], "ceiling"}}
		for _, c := range s.Columns {
			p.rows = append(p.rows, []string{c.Column, fmt.Sprint(c.Tau.N), tau(c.Tau), two.Text(c.Halves[0]), two.Text(c.Halves[1]), two.Text(c.Ceiling)})
		}
		out = append(out, p)
	}
	return out
}

// taskByTask has a row for each pair of tasks.
func (f *Comparison) taskByTask() passage {
	if len(f.Tasks) == 0 {
		return passage{}
	}
	columns := append([]string{"area"}, board.Names(board.ComparedByTask)...)
	p := passage{
		text: fmt.Sprintf("Task by task, %s against %s. Behind a tau and its interval is the ceiling, where seeds are kept.", f.Names()[0], f.Names()[1]),
		head: append([]string{"task", "methods"}, columns...),
	}
	for _, s := range f.Tasks {
		row := []string{s.Title(), ""}
		for _, name := range columns {
			cell := "-"
			if i := slices.IndexFunc(s.Columns, func(a Agreement) bool { return a.Column == name }); i >= 0 {
				c := s.Columns[i]
				cell = under(c.Tau, c.Ceiling)
				if name == "area" {
					row[1] = fmt.Sprint(c.Tau.N)
				}
			}
			row = append(row, cell)
		}
		p.rows = append(p.rows, row)
	}
	return p
}

// Title names a pair of tasks: once if both have the same name.
func (s Scope) Title() string {
	if s.Short[0] == s.Long[0] {
		return s.Short[0]
	}
	return s.Short[0] + " - " + s.Long[0]
}

// repeated has the agreement of each board with itself.
func (f *Comparison) repeated() passage {
	if len(f.Seeds) == 0 {
		return passage{}
	}
	p := passage{
		text: `Each board against itself, over the methods that fit all of its tasks. No seed is on both sides. Of splits of
seeds and of pairs of tasks the mean tau is given, then the lowest and the highest of all. Tuning seeds are
those that chose the setting which is compared; there the score is a plain mean on both sides. Behind taus of
tasks is the mean of their ceilings.`,
		head: []string{"board", "between", "score", "accuracy", "diversity", "pairs"},
	}
	for _, r := range f.Seeds {
		i := slices.IndexFunc(p.rows, func(row []string) bool { return row[0] == r.Board && row[1] == r.Occasions })
		if i < 0 {
			i = len(p.rows)
			p.rows = append(p.rows, []string{r.Board, r.Occasions, "-", "-", "-", fmt.Sprint(r.Pairs)})
		}
		p.rows[i][2+slices.Index(splitColumns, r.Column)] = under(r.Tau, r.Ceiling)
	}
	return p
}

// within compares the scores with their components.
func (f *Comparison) within() passage {
	p := passage{
		text: "What the score of a board is made of: tau of it and of two columns of the same board, on the same seeds.",
		head: []string{"board", "score and accuracy", "score and diversity"},
	}
	for _, w := range f.Within {
		p.rows = append(p.rows, []string{w.Board, tau(w.Accuracy), tau(w.Diversity)})
	}
	return p
}

// steps compares the audit with both boards, tuned or not.
func (f *Comparison) steps(tuned bool) passage {
	p := passage{
		text: fmt.Sprintf(`The audit against the boards, tuned, over the methods that fit all tasks of a board. The cosine is that of a
method's mean step with the gradient of pass@k, on bandits, in groups of %d. snr is the squared length of the mean
step over its variance.`, Rollouts),
		head: []string{"audit"},
	}
	if !tuned {
		p.text = `The same where nothing is tuned: the board's rows have the fields that the audit has, and one rate. The score is
a plain mean over tasks of areas in units of the tuned ` + board.Reference + `'s, and no interquartile one.`
	}
	for _, name := range f.Names() {
		for _, c := range splitColumns {
			p.head = append(p.head, name+": "+c)
		}
	}
	for _, s := range f.Steps {
		row := []string{s.Column}
		taus := s.Taus
		if tuned {
			taus = s.Tuned
		}
		for _, x := range taus {
			row = append(row, tau(x))
		}
		p.rows = append(p.rows, row)
	}
	return p
}

// methods name the methods about which the short board misleads.
func (f *Comparison) methods() (out []passage) {
	v := f.Verdicts()
	sure := passage{
		text: fmt.Sprintf(`Beside %s, which each board compares with all others by an exact test (ranks): how many methods are where.%s`, board.Reference, f.power()),
		head: []string{f.Names()[0], f.Names()[1] + ": surely below", "not told apart", "surely above"},
	}
	for i, name := range []string{"surely below", "not told apart", "surely above"} {
		sure.rows = append(sure.rows, []string{name, fmt.Sprint(v[i][0]), fmt.Sprint(v[i][1]), fmt.Sprint(v[i][2])})
	}
	out = append(out, sure)
	for _, list := range []struct {
		text    string
		methods []SharedMethod
	}{
		{"Surely above " + board.Reference + " on " + f.Names()[0], f.Foretold(1)},
		{"Surely below " + board.Reference + " on " + f.Names()[0], f.Foretold(-1)},
		{"Surely apart from " + board.Reference + " on " + f.Names()[1] + ", and not on " + f.Names()[0], f.Hidden()},
		{"On opposite sides of " + board.Reference + " by the interval of each method alone", f.Opposed()},
		{"Ranks that are open on one board and on the other do not meet, as shares of all methods", f.Moved()},
	} {
		p := passage{text: list.text + ": none."}
		if n := len(list.methods); n > 0 {
			same := 0
			p = passage{head: []string{"method", "score " + f.Names()[0], "score " + f.Names()[1], "> grpo " + f.Names()[0], "> grpo " + f.Names()[1], "ranks " + f.Names()[0], "ranks " + f.Names()[1]}}
			for _, b := range list.methods {
				if (b.Short.Beats.Mean > 0.5) == (b.Long.Beats.Mean > 0.5) {
					same++
				}
				p.rows = append(p.rows, b.cells())
			}
			p.text = fmt.Sprintf("%s: %s. The boards agree on which side of %s most runs of %d of them are.", list.text, plural.Count(n, "method"), board.Reference, same)
		}
		out = append(out, p)
	}
	return out
}

// power names the boards with too few runs to tell any two methods apart.
func (f *Comparison) power() (out string) {
	for i, t := range []*board.Table{f.Short, f.Long} {
		runs, m := len(t.Tasks)*t.Seeds, len(t.Rows)
		if need := stats.SureWins(runs, m*(m-1)/2); need > runs {
			out += fmt.Sprintf("\nThe %d runs of %s are too few to tell any two methods surely apart.", runs, f.Names()[i])
		} else {
			out += fmt.Sprintf("\nOn %s it takes %d of %d runs.", f.Names()[i], need, runs)
		}
	}
	return out
}

// cells are the columns of a method.
func (b SharedMethod) cells() []string {
	a, c := b.Short, b.Long
	return []string{
		b.Method, board.Interval(a.Rank.IQM).Text, board.Interval(c.Rank.IQM).Text, board.Interval(a.Beats).Text, board.Interval(c.Beats).Text,
		board.Span(a.Rank), board.Span(c.Rank),
	}
}

// two is two decimals, and a dash for a missing number.
var two = table.Digits{Decimals: 2, Missing: "-"}

// tau writes a tau with its bounds.
func tau(x stats.Interval) string { return two.Interval(x.Mean, x.Low, x.High) }

// under writes a tau and, if it has a ceiling, the ceiling behind it.
func under(x stats.Interval, top float64) string {
	if math.IsNaN(top) || math.IsNaN(x.Mean) {
		return tau(x)
	}
	return tau(x) + " of " + two.Text(top)
}

// json is the comparison for lined.Text. Of each row of the audit the taus are those with score,
// accuracy and diversity of the short board, then of the long one. In verdicts[i][j] is how many
// methods are surely below (0), not told apart from (1) or surely above (2) the reference on the
// short board (i) and on the long one (j).
func (f *Comparison) json() table.Object {
	var repeats, within, steps, methods []table.Object
	for _, r := range f.Seeds {
		repeats = append(repeats, append(append(table.Object{{"board", r.Board}, {"between", r.Occasions}, {"column", r.Column}}, tauJSON(r.Tau)...),
			table.Object{{"pairs", r.Pairs}, {"ceiling", board.Four(r.Ceiling)}}...))
	}
	for _, w := range f.Within {
		within = append(within, table.Object{{"board", w.Board}, {"score_and_accuracy", tauJSON(w.Accuracy)}, {"score_and_diversity", tauJSON(w.Diversity)}})
	}
	for _, s := range f.Steps {
		var untuned, tuned []table.Object
		for i := range s.Taus {
			untuned, tuned = append(untuned, tauJSON(s.Taus[i])), append(tuned, tauJSON(s.Tuned[i]))
		}
		steps = append(steps, table.Object{{"column", s.Column}, {"untuned", untuned}, {"tuned", tuned}})
	}
	for _, b := range f.Shared {
		sides := func(value func(l board.Line) any) [2]any { return [2]any{value(b.Short), value(b.Long)} }
		methods = append(methods, table.Object{
			{"method", b.Method},
			{"score", sides(func(l board.Line) any { return four(l.Rank.IQM) })},
			{"above_grpo", sides(func(l board.Line) any { return four(l.Beats) })},
			{"surely_above_grpo", sides(func(l board.Line) any { return l.Sure })},
			{"rank", sides(func(l board.Line) any { return [2]int{l.Rank.Low, l.Rank.High} })},
			{"tasks", sides(func(l board.Line) any { return len(l.Areas) })},
		})
	}
	return table.Object{
		{"board", board.Version}, {"short", side(f.Short)}, {"long", side(f.Long)}, {"over_tasks", scopesJSON(f.Over)}, {"task_by_task", scopesJSON(f.Tasks)},
		{"against_itself", repeats}, {"within", within}, {"audit", steps}, {"verdicts", f.Verdicts()}, {"methods", methods},
	}
}

// four is a mean with the ends of its interval, of four digits each.
func four(i stats.Interval) [3]lined.Number {
	return [3]lined.Number{board.Four(i.Mean), board.Four(i.Low), board.Four(i.High)}
}

// tauJSON is a tau with its bounds, and the number of methods.
func tauJSON(i stats.Interval) table.Object { return table.Object{{"tau", four(i)}, {"methods", i.N}} }

func side(t *board.Table) table.Object {
	return table.Object{{"policy", t.Policy}, {"tasks", t.Tasks}, {"seeds", t.Seeds}, {"methods", len(t.Rows)}}
}

func scopesJSON(scopes []Scope) (out []table.Object) {
	for _, s := range scopes {
		var columns []table.Object
		for _, c := range s.Columns {
			columns = append(columns, append(append(table.Object{{"column", c.Column}}, tauJSON(c.Tau)...),
				table.Object{{"halves", [2]lined.Number{board.Four(c.Halves[0]), board.Four(c.Halves[1])}}, {"ceiling", board.Four(c.Ceiling)}}...))
		}
		out = append(out, table.Object{{"short", s.Short}, {"long", s.Long}, {"columns", columns}})
	}
	return out
}

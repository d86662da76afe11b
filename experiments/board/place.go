package board

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/internal/lined"
	"modebench/internal/plural"
	"modebench/internal/table"
	"modebench/internal/visible"
)

// A Place is the rank of a user's method among those of the board.
type Place struct {
	Method string
	Table  *Table            // with the method in it
	Line   Line              // of the method; Method and Same name those with the same records
	Same   []string          // methods with its records on every task
	Near   []Neighbour       // the nearest three
	Tasks  []TaskPlace       // each task that it fits, in the order of tables
	Unfit  map[string]string // tasks that it does not fit, and why
	Cost   *Cost             // nil: not known
	Audit  *record.Audit     // of the method and the reference; nil: not made
}

// near is how many neighbours are named.
const near = 3

// A TaskPlace is the place of a method on a task, beside its neighbours and the reference.
type TaskPlace struct {
	Task string
	Same []string  // methods with its records here
	Rows []TaskRow // the method first, then its neighbours and the reference
}

// TaskRow are the figures of a method on a task, in the mean over seeds.
type TaskRow struct {
	Method, Setting                 string
	Area, Accuracy, Diversity, Gain float64
}

// Joined are results of the board with those of a method added, which changes neither. unfit has the
// tasks that the method does not fit, and why.
func Joined(published, added []*Result, method string, unfit map[string]string) (results []*Result, err error) {
	for _, r := range published {
		all := *r
		all.Standings, all.Unfit = slices.Clone(r.Standings), slices.Clone(r.Unfit)
		if more := OfTask(added, r.Task); more != nil {
			if err := all.Add(more); err != nil {
				return nil, input.Errorf("the results to place %s among: %w", method, err)
			}
		} else {
			all.Unfit = append(all.Unfit, Unfit{method, unfit[r.Task]})
		}
		results = append(results, &all)
	}
	return results, nil
}

// NewPlace puts the results of a method into those of the board, which it does not change.
func NewPlace(published, added []*Result, method string, unfit map[string]string) (*Place, error) {
	results, err := Joined(published, added, method, unfit)
	if err != nil {
		return nil, err
	}
	table, err := NewTable(results)
	if err != nil {
		return nil, err
	}
	p := &Place{Method: method, Table: table, Unfit: unfit}
	for _, line := range table.Rows {
		if line.is(method) {
			p.Line, p.Same = line, slices.DeleteFunc(line.Methods(), func(n string) bool { return n == method })
		}
	}
	p.Near = table.neighbours(method)
	p.Near = p.Near[:min(near, len(p.Near))]
	for _, r := range results {
		if row := r.Tuned(method); row != nil {
			p.Tasks = append(p.Tasks, p.onTask(r, row))
		}
	}
	return p, nil
}

// compared are the method, its neighbours and the reference, each once.
func (p *Place) compared() []string {
	names := append([]string{p.Method}, each.Map(p.Near, func(n Neighbour) string { return n.Method })...)
	if !slices.Contains(names, Reference) {
		names = append(names, Reference)
	}
	return names
}

// onTask compares the method with its neighbours on a task.
func (p *Place) onTask(r *Result, tuned *Evaluated) TaskPlace {
	out := TaskPlace{Task: r.Task}
	for _, s := range r.Standings {
		if row := s.Row(Tuned); s.Method != p.Method && row != nil && row.Same == tuned.Same {
			out.Same = append(out.Same, s.Method)
		}
	}
	for _, name := range p.compared() {
		if row := r.Tuned(name); row != nil {
			out.Rows = append(out.Rows, TaskRow{name, row.Setting, row.Mean("area"), row.Mean("accuracy"), row.Mean("diversity"), row.Mean("gain")})
		}
	}
	return out
}

// Rows lists the rows of the table around the method's, in the table's order: those of the
// neighbours and of the reference.
func (p *Place) Rows() []Line {
	return each.Where(p.Table.Rows, func(line Line) bool { return slices.ContainsFunc(p.compared(), line.is) })
}

// PlaceFormats are the formats of a place.
func PlaceFormats() []string { return []string{"text", "json"} }

// Write writes the place in one of PlaceFormats.
func (p *Place) Write(format string) ([]byte, error) {
	switch format {
	case "text":
		return p.text(), nil
	case "json":
		return p.json()
	}
	return nil, fmt.Errorf("format %q: want one of %q", format, PlaceFormats())
}

// text has the place, but for the audit, which has a table of its own.
func (p *Place) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s on modebench board %d, policy %s: %d of %s, %d seeds each, beside %s\n\n",
		p.Method, Version, p.Table.Policy, len(p.Tasks), plural.Count(len(p.Table.Tasks), "task"), p.Line.Seeds, plural.Count(len(p.Table.Rows)-1, "other"))
	l := p.Line
	fmt.Fprintf(&b, "rank   %s of %d\n", Span(l.Rank), len(p.Table.Rows))
	fmt.Fprintf(&b, "score  %s, the area in units of GRPO's: %s\n", Interval(l.Score).Text, l.Decision.Standing)
	for _, side := range []struct {
		word    string
		methods []string
	}{{"above ", l.Below}, {"below ", l.Above}} {
		if len(side.methods) > 0 {
			fmt.Fprintf(&b, "%s surely %s%s\n", side.word, side.word, named(side.methods))
		}
	}
	if len(p.Same) > 0 {
		fmt.Fprintf(&b, "same   the same records as %s on every task\n", strings.Join(p.Same, ", "))
	}
	if c := p.Cost; c != nil {
		fmt.Fprintf(&b, "cost   a step takes %.2f times as long as GRPO's in this run (%.0f and %.0f microseconds); %.0f%% of it is the estimator's\n",
			c.Seconds/c.Reference, 1e6*c.Seconds, 1e6*c.Reference, 100*c.Estimate/c.Seconds)
	}
	for _, task := range slices.Sorted(maps.Keys(p.Unfit)) {
		fmt.Fprintf(&b, "unfit  %s: %s\n", task, visible.Text(p.Unfit[task]))
	}
	fmt.Fprintf(&b, "\nOn the board, beside its nearest neighbours and %s:\n\n", Reference)
	lines := p.Rows()
	for i := range lines {
		if lines[i].Method == p.Line.Method {
			lines[i].Method = p.Method
		}
	}
	b.WriteString(table.Rows(p.Table.columns(InTable), lines).Text())
	b.WriteString("\nThe methods that behave most like it (0: as it does; 1: the whole scale of accuracy and diversity):\n\n")
	rows := table.Grid{{"method", "distance", "tasks"}}
	for _, n := range p.Near {
		rows = append(rows, []string{strings.Join(append([]string{n.Method}, n.Same...), ", "), table.Three.Text(n.Distance), fmt.Sprint(n.Tasks)})
	}
	b.WriteString(rows.Text())
	b.WriteString(p.tasksText())
	return b.Bytes()
}

// tasksText has the rows of each task, and the methods with the same records there.
func (p *Place) tasksText() string {
	rows := table.Grid{{"task", "method", "area", "accuracy", "diversity", "gain", "tuned"}}
	same := ""
	for _, s := range p.Tasks {
		task := s.Task
		for _, h := range s.Rows {
			row := []string{task, h.Method}
			for _, x := range []float64{h.Area, h.Accuracy, h.Diversity, h.Gain} {
				row = append(row, table.Three.Text(x))
			}
			rows, task = append(rows, append(row, h.Setting)), ""
		}
		if len(s.Same) > 0 {
			same += fmt.Sprintf("%s: the same records as %s\n", s.Task, strings.Join(s.Same, ", "))
		}
	}
	if same != "" {
		same = "\n" + same
	}
	return "\nOn each task, in the mean over seeds:\n\n" + rows.Text() + same
}

// named lists methods, the first eight by name.
func named(methods []string) string {
	const shown = 8
	if n := len(methods) - shown; n > 0 {
		return fmt.Sprintf("%s and %s", strings.Join(methods[:shown], ", "), plural.Count(n, "other"))
	}
	return strings.Join(methods, ", ")
}

func (p *Place) json() ([]byte, error) {
	var near, tasks []table.Object
	for _, n := range p.Near {
		near = append(near, table.Object{{"method", n.Method}, {"same", n.Same}, {"distance", lined.Number(n.Distance)}, {"tasks", n.Tasks}})
	}
	for _, s := range p.Tasks {
		var rows []table.Object
		for _, h := range s.Rows {
			rows = append(rows, table.Object{
				{"method", h.Method}, {"setting", h.Setting}, {"area", lined.Number(h.Area)},
				{"accuracy", lined.Number(h.Accuracy)}, {"diversity", lined.Number(h.Diversity)}, {"gain", lined.Number(h.Gain)},
			})
		}
		tasks = append(tasks, table.Object{{"task", s.Task}, {"same", s.Same}, {"rows", rows}})
	}
	var cost any
	if c := p.Cost; c != nil {
		cost = table.Object{{"seconds_per_step", lined.Number(c.Seconds)}, {"seconds_per_step_of_grpo", lined.Number(c.Reference)}, {"estimator_seconds", lined.Number(c.Estimate)}}
	}
	rank := p.Line.Rank
	text, err := json.Marshal(table.Object{
		{"board", Version}, {"policy", p.Table.Policy}, {"tasks", p.Table.Tasks}, {"seeds", p.Table.Seeds}, {"method", p.Method},
		{"rank", [2]int{rank.Low, rank.High}}, {"of", len(p.Table.Rows)}, {"surely_above", p.Line.Above}, {"surely_below", p.Line.Below},
		{"score", Bounds(p.Line.Score)}, {"beside_grpo", p.Line.Decision.Standing}, {"area", lined.Number(p.Line.Means.Mean("area"))}, {"same", p.Same}, {"neighbours", near}, {"on", tasks}, {"unfit", p.Unfit},
		{"cost", cost}, {"audit", p.Audit},
	})
	return append(text, '\n'), err
}

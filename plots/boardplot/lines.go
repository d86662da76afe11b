package boardplot

import (
	"math"
	"slices"

	"modebench/experiments/board"
	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/lined"
	"modebench/plots/draw"
	"modebench/plots/sheets"
)

// A boardLines is a figure with a panel for each task: the lines of the methods that are highlighted
// above those of all others.
type boardLines struct {
	title, note string
	x           string
	y           draw.Measure
	answers     bool // x is a number of answers, else a share
	alike       bool // all tasks have the same horizontal axis
	line        func(r *board.Result, e *board.Evaluated) (x, y []float64)
}

// boardTraces is the course of a run: to the right as it gets more accurate, downwards as it
// loses diversity.
var boardTraces = boardLines{
	title: "How much diversity is left at which accuracy, task by task",
	note:  "A line is training in the mean over seeds, from the base policy at the left to the end of the budget. Accuracy is of the way from the base policy (0) to the optimum (1). Vertical axes differ between tasks. What lies left of a panel is cut.",
	x:     "accuracy", y: draw.Measure{Label: "diversity"}, alike: true,
	line: func(_ *board.Result, e *board.Evaluated) (x, y []float64) { return traced(e, 1), traced(e, 2) },
}

// boardEntropy is the entropy over modes while the budget is spent.
var boardEntropy = boardLines{
	title: "Entropy over modes during training",
	note:  "Means over seeds.",
	x:     "share of the budget", y: draw.Measure{Label: "entropy", Unit: "nats", AtZero: true},
	line: func(_ *board.Result, e *board.Evaluated) (x, y []float64) { return traced(e, 0), traced(e, 3) },
}

// boardSolved and boardFound are the problems and strategies of k answers after training.
var (
	boardSolved = boardLines{
		title: "How many problems k answers solve",
		note:  "After training, means over seeds. On the maze it is best@k, in units of the reward. Axes differ between tasks.",
		x:     "answers k", y: draw.Measure{Label: "pass@k"}, answers: true,
		line: func(r *board.Result, e *board.Evaluated) (x, y []float64) {
			return each.Map(r.K, draw.Log2), lined.Floats(e.Solved)
		},
	}
	boardFound = boardLines{
		title: "How many right strategies k answers find, of as many as k could",
		note:  "After training, means over seeds. It may fall as k grows, since more could be found. With tables it is the share of the Pareto front on the maze.",
		x:     "answers k", y: draw.Measure{Label: "coverage@k", Share: true}, answers: true,
		line: func(r *board.Result, e *board.Evaluated) (x, y []float64) {
			return each.Map(r.K, draw.Log2), lined.Floats(e.Found)
		},
	}
)

func traced(e *board.Evaluated, column int) []float64 {
	return each.Map(e.Trace, func(p [4]lined.Number) float64 { return float64(p[column]) })
}

// figure draws the panels of the tasks that have such lines; nil if no task has any.
func (k *boardLines) figure(b *Board) (*draw.Figure, error) {
	s := sheets.New(record.Figure{Title: k.title}, b.shown, len(b.results))
	s.Looks = b.looks
	var tasks []*board.Result
	var lines [][]draw.Trace
	for _, r := range b.results {
		if traces := k.traces(b, r, s.Drawn); len(traces) > 0 {
			tasks, lines = append(tasks, r), append(lines, traces)
		}
	}
	if len(tasks) == 0 {
		return nil, nil
	}
	s.Width, s.Columns, s.Height = draw.PageWidth, draw.EvenColumns(len(tasks), 4), 92
	if s.Columns < 3 {
		s.Height = 150
	}
	var shared [2]float64
	if k.alike {
		shared[0], shared[1] = k.axis(slices.Concat(lines...))
		low := -leftOfBase * shared[1]
		if shared[0] = max(shared[0], low); shared[0] < 0 {
			cut(lines, shared[0])
		}
	}
	for i, r := range tasks {
		low, high := k.axis(lines[i])
		if k.alike {
			low, high = shared[0], shared[1]
		}
		p, err := draw.Lines(k.y, lines[i], low, high)
		if err != nil {
			return nil, err
		}
		p.Y.Tick.Marker = draw.Ticks{Count: 4}
		p.X.Tick.Marker = draw.Ticks{Count: s.XTicks() + 1}
		if k.answers {
			p.X.Tick.Marker = draw.KTicks(r.K, s.PanelWidth())
		}
		p.Title.Text, p.Title.Padding, p.Title.TextStyle.Font = r.Task, 3, draw.PanelFont
		p.X.Label.Text = k.x
		if s.Add(p, k.y); i%s.Columns > 0 {
			p.Y.Label.Text = ""
		}
	}
	note := k.note
	if len(b.shown) < len(b.table.Rows) {
		note = draw.Sentences(note, "Grey: all other methods.")
	}
	return s.Page(note), nil
}

// leftOfBase is how far, as a share of its part above 0, an axis of accuracy reaches below 0. A method
// that unlearns goes on far to the left.
const leftOfBase = 0.1

// cut leaves out the points of lines that lie below the beginning of an axis.
func cut(lines [][]draw.Trace, low float64) {
	for _, traces := range lines {
		for i, t := range traces {
			traces[i].Points = slices.DeleteFunc(slices.Clone(t.Points), func(p draw.Point) bool { return p.X < low })
		}
	}
}

// traces are the lines of the methods on a task, those that are highlighted last, and marks them in
// drawn.
func (k *boardLines) traces(b *Board, r *board.Result, drawn []bool) (out []draw.Trace) {
	var standing []draw.Trace
	for _, l := range b.table.Rows {
		points := k.points(r, l.Method)
		if points == nil {
			continue
		}
		i := b.shownAt(l.Method)
		if i < 0 {
			out = append(out, draw.Trace{Points: points, Look: sheets.OtherLook})
			continue
		}
		line := b.looks[i]
		line.Mark = nil // but at its end
		standing = append(standing, draw.Trace{Points: points, Look: line}, draw.Trace{Points: points[len(points)-1:], Look: b.looks[i]})
		drawn[i] = true
	}
	return append(out, standing...)
}

// points are a method's line on a task; nil if it lacks such numbers.
func (k *boardLines) points(r *board.Result, method string) (out []draw.Point) {
	e := r.Tuned(method)
	if e == nil {
		return nil
	}
	x, y := k.line(r, e)
	for i := range x {
		if !math.IsNaN(x[i]) && !math.IsNaN(y[i]) {
			out = append(out, draw.Point{X: x[i], Mean: y[i], Low: math.NaN(), High: math.NaN()})
		}
	}
	return out
}

// axis is the horizontal axis of a task: from the least value, or 0, to a tick above the largest.
func (k *boardLines) axis(traces []draw.Trace) (low, high float64) {
	for _, t := range traces {
		for _, p := range t.Points {
			low, high = min(low, p.X), max(high, p.X)
		}
	}
	if step := draw.NiceStep((high - low) / 4); !k.answers && step > 0 {
		high = step * math.Ceil(high/step-1e-9)
	}
	return sheets.Apart(low, high)
}

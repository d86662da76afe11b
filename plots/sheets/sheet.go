// Package sheets is the kit of figures that compare methods: the look of each method, panels of lines
// under one legend, the sentences below them, and the text for readers who do not see a figure.
package sheets

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/plots/draw"
	"modebench/plots/numbers"
)

// A Sheet is a figure in the making: line panels with one legend.
type Sheet struct {
	Fig     record.Figure
	Shown   []numbers.Variant
	Looks   []draw.Look
	Columns int
	Width   vg.Length // of the figure
	Height  vg.Length // of a panel's data area
	Panels  []*plot.Plot
	Drawn   []bool   // by variant: it has a line
	absent  []string // by metric that some variants lack: "regret (base, grpo)"
}

// drawnPoints are the points as panels draw them.
func drawnPoints(line []Point) []draw.Point {
	return each.Map(line, func(p Point) draw.Point { return draw.Point{X: p.X, Mean: p.At.Mean, Low: p.At.Low, High: p.At.High} })
}

// New chooses the layout: one panel fills a column of a paper, several or
// a long legend take the whole width.
func New(fig record.Figure, shown []numbers.Variant, panels int) *Sheet {
	s := &Sheet{Fig: fig, Shown: shown, Looks: Looks(shown), Columns: panels, Width: draw.PageWidth, Height: 120, Drawn: make([]bool, len(shown))}
	const fewEntries = 10
	switch {
	case panels == 1 && len(shown) <= fewEntries:
		s.Width, s.Height = draw.ColumnWidth, 135
	case panels == 1:
		s.Height = 190
	case panels == 2 || panels == 4:
		s.Columns, s.Height = 2, 130
	default:
		s.Columns = 3
	}
	s.Fit(panels, s.Columns)
	return s
}

// Fit arranges panels in at most that number of columns. A width of the figure replaces the usual one.
func (s *Sheet) Fit(panels, columns int) {
	s.Columns = columns
	if s.Fig.Width > 0 {
		s.Width = Width(s.Fig, s.Width)
		s.Columns = draw.EvenColumns(panels, min(columns, Fitting(s.Fig, leastPanel)))
		s.Height = min(s.Height, max(s.PanelWidth(), leastHeight))
	}
}

const (
	leastPanel  = 1.6 * vg.Inch // with its axis
	leastHeight = vg.Length(90) // of a panel whose figure has a width of its own
)

// Width is the width of a figure: its own, or the usual one.
func Width(fig record.Figure, usual vg.Length) vg.Length {
	if fig.Width > 0 {
		return vg.Length(fig.Width) * vg.Inch
	}
	return usual
}

// Fitting is how many panels of a least width fit beside each other into a figure of its own width, and
// many into others.
func Fitting(fig record.Figure, least vg.Length) int {
	if fig.Width > 0 {
		return max(1, int(vg.Length(fig.Width)*vg.Inch/least))
	}
	return math.MaxInt
}

// Page stacks the blocks of a figure between its title and its legend, with a note in small print at the
// foot. It leaves out the parts in fig.Without, and a legend that paints nothing.
func Page(fig record.Figure, width vg.Length, note string, legend draw.Block, blocks ...draw.Block) *draw.Figure {
	if fig.Has("title") {
		blocks = append(draw.Heading(fig.Title, width), blocks...)
	}
	if fig.Has("legend") && legend.Paint != nil {
		blocks = append(blocks, legend)
	}
	if !fig.Has("footer") {
		note = ""
	}
	return draw.NotedPage(width, note, blocks...)
}

// Traces makes the lines of a panel. A variant without points has no line: a
// metric may be undefined for it, as the diversity of an exact optimum is.
func (s *Sheet) Traces(m draw.Measure, points func(numbers.Variant) []Point) []draw.Trace {
	var out []draw.Trace
	var without []string
	for i, v := range s.Shown {
		line := points(v)
		if len(line) == 0 {
			without = append(without, v.Called)
			continue
		}
		s.Drawn[i] = true
		out = append(out, draw.Trace{Points: drawnPoints(line), Look: s.Looks[i]})
	}
	if len(out) > 0 && len(without) > 0 {
		s.absent = append(s.absent, m.Label+" ("+strings.Join(without, ", ")+")")
	}
	return out
}

// Lines is a panel of lines within the vertical limits of the figure. The horizontal axis is given.
func (s *Sheet) Lines(m draw.Measure, traces []draw.Trace, x draw.Span) (*plot.Plot, error) {
	y, err := Upright(s.Fig, m, traces)
	if err != nil {
		return nil, err
	}
	return draw.LinesWithin(m, traces, x, y)
}

// Upright is the vertical axis of lines, within the limits of their figure.
func Upright(fig record.Figure, m draw.Measure, traces []draw.Trace) (y draw.Span, err error) {
	y.Low, y.High = m.Axis(draw.Reach(traces))
	return Limited(fig, "y", y, func() (draw.Span, error) { return logSpan(m, traces) })
}

// logSpan is the logarithmic axis of the means above 0, and of their bands as far as the means are apart.
func logSpan(m draw.Measure, traces []draw.Trace) (draw.Span, error) {
	var list []float64
	for _, t := range traces {
		for _, p := range t.Points {
			list = append(list, p.Mean)
		}
	}
	low, high, err := positive(m, list)
	if err != nil {
		return draw.Span{}, err
	}
	if _, _, bandLow, bandHigh := draw.Reach(traces); high > low {
		if bandLow > 0 {
			low = min(low, max(bandLow, low*low/high))
		}
		if high = max(high, bandHigh); m.InUnit(low, high) {
			high = min(high, 1)
		}
	}
	return draw.LogSpan(low, high), nil
}

// Absences names the metrics that some variants lack.
func (s *Sheet) Absences() string {
	if len(s.absent) == 0 {
		return ""
	}
	return "Not measured: " + strings.Join(s.absent, "; ") + "."
}

// PanelWidth is roughly the width of the data area of a panel.
func (s *Sheet) PanelWidth() vg.Length {
	const axis = 40 // its name, ticks and labels
	return s.Width/vg.Length(s.Columns) - axis
}

// XTicks is how many ticks fit below a panel.
func (s *Sheet) XTicks() int {
	return int(s.Width / vg.Length(s.Columns) / tickRoom)
}

func (s *Sheet) Add(p *plot.Plot, m draw.Measure) {
	draw.LabelY(p, m, s.Height)
	s.Panels = append(s.Panels, p)
}

func (s *Sheet) Page(note string) *draw.Figure {
	var rows [][]*plot.Plot
	for start := 0; start < len(s.Panels); start += s.Columns {
		row := make([]*plot.Plot, s.Columns)
		copy(row, s.Panels[start:])
		rows = append(rows, row)
	}
	var entries []draw.Entry
	for i, v := range s.Shown {
		if s.Drawn[i] {
			entries = append(entries, draw.LineEntry(v.Called, s.Looks[i].Line(), s.Looks[i].Mark))
		}
	}
	return Page(s.Fig, s.Width, note, draw.Legend(entries, s.Width), draw.Tile(rows, s.Width, s.Height, 0, nil))
}

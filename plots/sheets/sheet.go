// Package sheets is the kit of figures that compare methods: the look of each method, panels of lines
// under one legend, the sentences below them, and the text for readers who do not see a figure.
package sheets

import (
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
	return s
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
	return int(s.Width / vg.Length(s.Columns) / 42)
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
	blocks := draw.Heading(s.Fig.Title, s.Width)
	blocks = append(blocks, draw.Tile(rows, s.Width, s.Height, 0, nil), draw.Legend(entries, s.Width))
	return draw.NotedPage(s.Width, note, blocks...)
}

package plots

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/numbers"
)

// A sheet is a figure in the making: line panels with one legend.
type sheet struct {
	fig     record.Figure
	shown   []numbers.Variant
	looks   []draw.Look
	columns int
	width   vg.Length // of the figure
	height  vg.Length // of a panel's data area
	panels  []*plot.Plot
	drawn   []bool   // by variant: it has a line
	absent  []string // by metric that some variants lack: "regret (base, grpo)"
}

// drawnPoints are the points as panels draw them.
func drawnPoints(line []point) []draw.Point {
	out := make([]draw.Point, len(line))
	for i, p := range line {
		out[i] = draw.Point{X: p.x, Mean: p.at.Mean, Low: p.at.Low, High: p.at.High}
	}
	return out
}

// newSheet chooses the layout: one panel fills a column of a paper, several or
// a long legend take the whole width.
func newSheet(fig record.Figure, shown []numbers.Variant, panels int) *sheet {
	s := &sheet{fig: fig, shown: shown, looks: looks(shown), columns: panels, width: draw.PageWidth, height: 120, drawn: make([]bool, len(shown))}
	const fewEntries = 10
	switch {
	case panels == 1 && len(shown) <= fewEntries:
		s.width, s.height = draw.ColumnWidth, 135
	case panels == 1:
		s.height = 190
	case panels == 2 || panels == 4:
		s.columns, s.height = 2, 130
	default:
		s.columns = 3
	}
	return s
}

// traces makes the lines of a panel. A variant without points has none there: a
// metric may be undefined for it, as the diversity of an exact optimum is.
func (s *sheet) traces(m draw.Measure, points func(numbers.Variant) []point) []draw.Trace {
	var out []draw.Trace
	var without []string
	for i, v := range s.shown {
		line := points(v)
		if len(line) == 0 {
			without = append(without, v.Called)
			continue
		}
		s.drawn[i] = true
		out = append(out, draw.Trace{Points: drawnPoints(line), Look: s.looks[i]})
	}
	if len(out) > 0 && len(without) > 0 {
		s.absent = append(s.absent, m.Label+" ("+strings.Join(without, ", ")+")")
	}
	return out
}

// absences says which metrics some variants lack.
func (s *sheet) absences() string {
	if len(s.absent) == 0 {
		return ""
	}
	return "Not measured: " + strings.Join(s.absent, "; ") + "."
}

// panelWidth is roughly the width of the data area of a panel.
func (s *sheet) panelWidth() vg.Length {
	const axis = 40 // its name, ticks and labels
	return s.width/vg.Length(s.columns) - axis
}

// xTicks is how many ticks fit below a panel.
func (s *sheet) xTicks() int {
	return int(s.width / vg.Length(s.columns) / 42)
}

func (s *sheet) add(p *plot.Plot, m draw.Measure) {
	draw.LabelY(p, m, s.height)
	s.panels = append(s.panels, p)
}

func (s *sheet) figure(note string) *draw.Figure {
	var rows [][]*plot.Plot
	for start := 0; start < len(s.panels); start += s.columns {
		row := make([]*plot.Plot, s.columns)
		copy(row, s.panels[start:])
		rows = append(rows, row)
	}
	var entries []draw.Entry
	for i, v := range s.shown {
		if s.drawn[i] {
			entries = append(entries, draw.LineEntry(v.Called, s.looks[i].Line(), s.looks[i].Mark))
		}
	}
	blocks := draw.Heading(s.fig.Title, s.width)
	blocks = append(blocks, draw.Tile(rows, s.width, s.height, 0, nil), draw.Legend(entries, s.width))
	return draw.NotedPage(s.width, note, blocks...)
}

package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/plots/draw"
)

// curveFigure shows each metric by training step, a line for every variant that
// has it.
func curveFigure(fig record.Figure, shown []sample) (*draw.Figure, error) {
	if len(fig.Metrics) == 0 {
		return nil, errors.New("a curve needs at least one metric; metrics is empty")
	}
	shown, common := shorten(shown)
	first, last := stepRange(shown)
	low, high := apart(float64(first), float64(last))
	sheet := newSheet(fig, shown, len(fig.Metrics))
	for _, metric := range fig.Metrics {
		m := describe(metric)
		traces := sheet.traces(m, func(s sample) []point {
			points := s.history(metric)
			if s.variant.Trains {
				return points
			}
			return across(points, low, high)
		})
		if len(traces) == 0 {
			return nil, unknown("metric", metric, shown)
		}
		p, err := draw.Lines(m, traces, low, high)
		if err != nil {
			return nil, err
		}
		p.X.Label.Text = "training step"
		p.X.Tick.Marker = draw.Ticks{Count: sheet.xTicks(), Whole: true}
		sheet.add(p, m)
	}
	return sheet.figure(draw.Sentences(common, sheet.absences(), seedNote(shown, true))), nil
}

// across draws what was measured once, because it does not train, over the whole
// axis.
func across(points []point, low, high float64) []point {
	if len(points) != 1 {
		return points
	}
	from, to := points[0], points[0]
	from.x, to.x = low, high
	return []point{from, to}
}

// apart widens an axis that has no length.
func apart(low, high float64) (float64, float64) {
	if low == high {
		return low - 0.5, high + 0.5
	}
	return low, high
}

// kCurveFigure shows each family of metrics, such as pass@k, by k at the last
// evaluated step.
func kCurveFigure(fig record.Figure, shown []sample) (*draw.Figure, error) {
	if len(fig.Metrics) == 0 {
		return nil, errors.New(`a k-curve needs at least one family of metrics, such as "pass"; metrics is empty`)
	}
	shown, common := shorten(shown)
	sheet := newSheet(fig, shown, len(fig.Metrics))
	for _, family := range fig.Metrics {
		ks := measuredKs(family, shown)
		if len(ks) == 0 {
			return nil, unknown("metric of the family", family, shown)
		}
		m := describeFamily(family)
		low, high := apart(draw.Log2(ks[0]), draw.Log2(ks[len(ks)-1]))
		traces := sheet.traces(m, func(s sample) []point {
			points := s.byK(family, ks)
			if isCeiling(s.variant) {
				return across(points, low, high)
			}
			return points
		})
		p, err := draw.Lines(m, traces, low, high)
		if err != nil {
			return nil, err
		}
		p.X.Label.Text = "k (answers per problem)"
		p.X.Tick.Marker = draw.KTicks(ks, sheet.panelWidth())
		sheet.add(p, m)
	}
	return sheet.figure(draw.Sentences(common, kNote(shown, fig.Metrics), sheet.absences(), seedNote(shown, true))), nil
}

// kNote is what is to be said of curves by k: why one may fall while k grows, too.
func kNote(shown []sample, families []string) string {
	note := lastStepNote(shown)
	if slices.Contains(families, "coverage") {
		note = draw.Sentences(note, "coverage@k: share of the min(k, existing) modes that k answers could find.")
	}
	return note
}

// measuredKs lists the k at which some variant has the family at its last step.
func measuredKs(family string, shown []sample) []int {
	present := map[int]bool{}
	for _, s := range shown {
		for name := range s.metrics {
			if of, k, ok := splitK(name); ok && of == family && s.interval(name, s.last()).N > 0 {
				present[k] = true
			}
		}
	}
	return sorted(present)
}

// byK is a family of metrics by k, at the variant's last step; x is log2(k).
func (s sample) byK(family string, ks []int) []point {
	var line []point
	for _, k := range ks {
		if at := s.interval(fmt.Sprintf("%s@%d", family, k), s.last()); at.N > 0 {
			line = append(line, point{x: draw.Log2(k), at: at})
		}
	}
	return line
}

func sorted(set map[int]bool) []int {
	out := make([]int, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	sort.Ints(out)
	return out
}

// lastStepNote says at which step a figure looks at its variants.
func lastStepNote(shown []sample) string {
	low, high := math.MaxInt, 0
	for _, s := range shown {
		if s.variant.Trains {
			low, high = min(low, s.last()), max(high, s.last())
		}
	}
	switch {
	case low > high:
		return "Before training."
	case low == high:
		return fmt.Sprintf("After %d training steps.", high)
	}
	return fmt.Sprintf("At the last evaluated step (%d to %d).", low, high)
}

// A sheet is a figure of line panels with one legend in the making.
type sheet struct {
	fig     record.Figure
	shown   []sample
	looks   []draw.Look
	columns int
	width   vg.Length // of the figure
	height  vg.Length // of a panel's data area
	panels  []*plot.Plot
	drawn   []bool   // by variant: it has a line
	absent  []string // by metric that some variants lack: "regret (base, grpo)"
}

// newSheet chooses the layout: one panel fills a column of a paper, several or
// a long legend take the whole width.
func newSheet(fig record.Figure, shown []sample, panels int) *sheet {
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
func (s *sheet) traces(m draw.Measure, points func(sample) []point) []draw.Trace {
	var out []draw.Trace
	var without []string
	for i, v := range s.shown {
		line := points(v)
		if len(line) == 0 {
			without = append(without, v.label)
			continue
		}
		s.drawn[i] = true
		out = append(out, draw.Trace{Dots: dotsOf(line), Look: s.looks[i]})
	}
	if len(out) > 0 && len(without) > 0 {
		s.absent = append(s.absent, m.Label+" ("+strings.Join(without, ", ")+")")
	}
	return out
}

// dotsOf are points as panels draw them.
func dotsOf(line []point) []draw.Point {
	out := make([]draw.Point, len(line))
	for i, p := range line {
		out[i] = draw.Point{X: p.x, Mean: p.at.Mean, Low: p.at.Low, High: p.at.High}
	}
	return out
}

// absences says what a reader would look for in vain.
func (s *sheet) absences() string {
	if len(s.absent) == 0 {
		return ""
	}
	return "Not measured: " + strings.Join(s.absent, "; ") + "."
}

// panelWidth is about what the data area of a panel is wide.
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
			entries = append(entries, draw.LineEntry(v.label, s.looks[i].Line(), s.looks[i].Mark))
		}
	}
	blocks := draw.Heading(s.fig.Title, s.width)
	blocks = append(blocks, draw.Tile(rows, s.width, s.height, 0, nil), draw.Legend(entries, s.width))
	return draw.Page(s.width, append(blocks, draw.Paragraphs(draw.SmallFont, draw.Subtle, s.width, note)...)...)
}

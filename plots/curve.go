package plots

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
)

// curveFigure shows each metric by training step, a line for every variant.
func curveFigure(fig record.Figure, shown []sample) (*Figure, error) {
	if len(fig.Metrics) == 0 {
		return nil, errors.New("a curve needs at least one metric; metrics is empty")
	}
	shown, common := shorten(shown)
	first, last := stepRange(shown)
	sheet := newSheet(fig, shown, len(fig.Metrics))
	for _, metric := range fig.Metrics {
		traces := make([]trace, len(shown))
		for i, s := range shown {
			points, err := s.history(metric)
			if err != nil {
				return nil, err
			}
			traces[i] = trace{points: across(s, points, first, last), look: sheet.looks[i]}
		}
		p, err := lines(describe(metric), traces, float64(first), float64(last))
		if err != nil {
			return nil, err
		}
		p.X.Label.Text = "training step"
		p.X.Tick.Marker = niceTicks{count: sheet.xTicks(), whole: true}
		sheet.add(p, describe(metric))
	}
	return sheet.figure(sentences(common, seedNote(shown, true))), nil
}

// across draws the base policy, which is evaluated once because it does not
// train, over the whole range of steps.
func across(s sample, points []point, first, last int) []point {
	if !isBase(s.variant) || len(points) != 1 {
		return points
	}
	from, to := points[0], points[0]
	from.x, to.x = float64(first), float64(last)
	return []point{from, to}
}

// kCurveFigure shows each family of metrics, such as pass@k, by k at the last
// evaluated step.
func kCurveFigure(fig record.Figure, shown []sample) (*Figure, error) {
	if len(fig.Metrics) == 0 {
		return nil, errors.New(`a k-curve needs at least one family of metrics, such as "pass"; metrics is empty`)
	}
	shown, common := shorten(shown)
	sheet := newSheet(fig, shown, len(fig.Metrics))
	for _, family := range fig.Metrics {
		traces := make([]trace, len(shown))
		occurring := map[int]bool{}
		for i, s := range shown {
			points, ks, err := s.byK(family)
			if err != nil {
				return nil, err
			}
			traces[i] = trace{points: points, look: sheet.looks[i]}
			for _, k := range ks {
				occurring[k] = true
			}
		}
		ks := sorted(occurring)
		p, err := lines(describeFamily(family), traces, log2(ks[0]), log2(ks[len(ks)-1]))
		if err != nil {
			return nil, err
		}
		p.X.Label.Text = "k (answers per problem)"
		p.X.Tick.Marker = kTicks(ks)
		sheet.add(p, describeFamily(family))
	}
	return sheet.figure(sentences(common, lastStepNote(shown), seedNote(shown, true))), nil
}

// byK is a family of metrics by k, at the variant's last step; x is log2(k).
func (s sample) byK(family string) ([]point, []int, error) {
	names := s.metrics()
	present := map[int]bool{}
	for _, name := range names {
		if of, k, ok := splitK(name); ok && of == family {
			present[k] = true
		}
	}
	var line []point
	ks := sorted(present)
	for _, k := range ks {
		if at := s.interval(fmt.Sprintf("%s@%d", family, k), s.last()); at.N > 0 {
			line = append(line, point{x: log2(k), at: at})
		}
	}
	if len(line) == 0 {
		return nil, nil, s.unknown("metric of the family", family, names)
	}
	return line, ks, nil
}

func log2(k int) float64 { return math.Log2(float64(k)) }

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
		if !isBase(s.variant) {
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
	looks   []look
	columns int
	width   vg.Length // of the figure
	height  vg.Length // of a panel's data area
	panels  []*plot.Plot
}

// newSheet chooses the layout: one panel fills a column of a paper, several or
// a long legend take the whole width.
func newSheet(fig record.Figure, shown []sample, panels int) *sheet {
	s := &sheet{fig: fig, shown: shown, looks: looks(shown), columns: panels, width: pageWidth, height: 120}
	const fewEntries = 10
	switch {
	case panels == 1 && len(shown) <= fewEntries:
		s.width, s.height = columnWidth, 135
	case panels == 1:
		s.height = 190
	case panels == 2 || panels == 4:
		s.columns, s.height = 2, 130
	default:
		s.columns = 3
	}
	return s
}

// xTicks is how many ticks fit below a panel.
func (s *sheet) xTicks() int {
	return int(s.width / vg.Length(s.columns) / 42)
}

func (s *sheet) add(p *plot.Plot, m measure) {
	labelY(p, m, s.height)
	s.panels = append(s.panels, p)
}

func (s *sheet) figure(note string) *Figure {
	var rows [][]*plot.Plot
	for start := 0; start < len(s.panels); start += s.columns {
		row := make([]*plot.Plot, s.columns)
		copy(row, s.panels[start:])
		rows = append(rows, row)
	}
	entries := make([]entry, len(s.shown))
	for i, v := range s.shown {
		entries[i] = lineEntry(v.label, s.looks[i].line(), s.looks[i].mark)
	}
	blocks := heading(s.fig.Title, s.width)
	blocks = append(blocks, tile(rows, s.width, s.height, 0, nil), legend(entries, s.width))
	return page(s.width, append(blocks, paragraphs(smallFont, subtle, s.width, note)...)...)
}

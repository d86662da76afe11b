package plots

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

// A sidePage is a page in the making: the same line panels of several parts.
type sidePage struct {
	parts   []*part
	methods []numbers.Variant // of all parts, in the order of the legend
	looks   []draw.Look       // by method
	layout  layout
}

// A layout says where the panels stand. The panels of a single metric fill rows, one panel
// for each side. With several metrics every side has a row of its own. Where a row would be
// too wide a side has a column, and where there would be too many columns it has several
// rows.
type layout struct {
	columns  int
	height   vg.Length // of a data area
	byColumn bool      // one metric's panels of all sides are next to each other
	perSide  int       // the rows of a side
}

func layoutOf(sides, metrics int) layout {
	const fit = 3 // panels that fit next to each other
	switch {
	case metrics == 1 && sides == 4:
		return layout{columns: 2, height: 130, byColumn: true}
	case metrics == 1:
		return layout{columns: min(sides, fit), height: 140, byColumn: true}
	case metrics > fit && sides <= fit:
		return layout{columns: sides, height: 110, byColumn: true}
	case metrics == 2 || metrics == 4:
		return layout{columns: 2, height: 120, perSide: metrics / 2}
	}
	return layout{columns: fit, height: 115, perSide: (metrics + fit - 1) / fit}
}

// newSidePage chooses the layout of the page and gives every method its look.
func newSidePage(parts []*part, metrics int) *sidePage {
	s := &sidePage{parts: parts, methods: joint(parts), layout: layoutOf(len(parts), metrics)}
	s.looks = sheets.Looks(s.methods)
	for _, side := range parts {
		side.sheet = &sheets.Sheet{Fig: side.Data.Figure, Shown: side.shown, Columns: s.layout.columns, Width: draw.PageWidth, Height: s.layout.height, Drawn: make([]bool, len(side.shown))}
		for _, v := range side.shown {
			side.sheet.Looks = append(side.sheet.Looks, s.looks[s.method(v.Called)])
		}
	}
	return s
}

// method is the position of a label among the methods.
func (s *sidePage) method(label string) int {
	for i, m := range s.methods {
		if m.Called == label {
			return i
		}
	}
	return -1
}

// addMetric makes the metric's panel of every side.
func (s *sidePage) addMetric(kind *lineKind, metric string, freeY bool) error {
	m := kind.describe(metric)
	var all []numbers.Variant
	for _, side := range s.parts {
		all = append(all, side.shown...)
	}
	axes, traces := make([]horizontal, len(s.parts)), make([][]draw.Trace, len(s.parts))
	var together []draw.Trace
	for i, side := range s.parts {
		axes[i] = kind.axis(metric, side.sheet, all)
		traces[i] = side.sheet.Traces(m, func(v numbers.Variant) []sheets.Point { return kind.points(v, metric, axes[i]) })
		together = append(together, traces[i]...)
	}
	if len(together) == 0 {
		return numbers.UnknownMetric(kind.metric, metric, all)
	}
	for i, side := range s.parts {
		reaching := together
		if freeY && len(traces[i]) > 0 {
			reaching = traces[i]
		}
		bottom, top := m.Axis(draw.Reach(reaching))
		p, err := draw.LinesWithin(m, traces[i], axes[i].low, axes[i].high, bottom, top)
		if err != nil {
			return err
		}
		p.Add(draw.MarksRoom{})
		if len(traces[i]) == 0 {
			if err := draw.WriteInside(p, "not measured"); err != nil {
				return err
			}
		}
		p.X.Label.Text, p.X.Tick.Marker = axes[i].label, axes[i].ticks
		side.sheet.Add(p, m)
	}
	return nil
}

// figure builds the page.
func (s *sidePage) figure(kind *lineKind, freeY bool) *draw.Figure {
	title, heads := s.heads()
	blocks := append(draw.Heading(title, draw.PageWidth), s.panels(heads), draw.Legend(s.entries(), draw.PageWidth))
	var parts, titles []string
	for _, side := range s.parts {
		if own := side.Data.Figure.Title; own != "" && !slices.Contains(titles, own) {
			titles = append(titles, own)
		}
		if values, err := kinds[side.Data.Figure.Kind].values(side.Data); err == nil {
			parts = append(parts, strings.TrimPrefix(side.Heading+": ", ": ")+seen(side.Data.Figure.Kind, values))
		}
	}
	return draw.Page(draw.PageWidth, append(blocks, draw.Notes(besideNotes(s.parts, kind, freeY)))...).
		Told(cmp.Or(title, strings.Join(titles, "; "), kind.describe(s.parts[0].Data.Figure.Metrics[0]).Title()), strings.Join(parts, " "))
}

// entries are those of the legend of all panels: the methods that have a line in one of them.
func (s *sidePage) entries() []draw.Entry {
	drawn := make([]bool, len(s.methods))
	for _, side := range s.parts {
		for i, v := range side.shown {
			if side.sheet.Drawn[i] {
				drawn[s.method(v.Called)] = true
			}
		}
	}
	var out []draw.Entry
	for i, m := range s.methods {
		if drawn[i] {
			out = append(out, draw.LineEntry(m.Called, s.looks[i].Line(), s.looks[i].Mark))
		}
	}
	return out
}

// A head is what stands over the panels of a side, in lines.
type head struct {
	name, title []string
}

// headGap is between a head and the panels.
const headGap = vg.Length(8)

func (h head) height() vg.Length { return draw.HeadLine * vg.Length(len(h.name)+len(h.title)) }

// heads writes the sides' headings. A title that all figures have is the page's; else
// each stands below its side's heading.
func (s *sidePage) heads() (title string, heads []head) {
	title = s.parts[0].Data.Figure.Title
	same := true
	for _, side := range s.parts {
		same = same && side.Data.Figure.Title == title
	}
	for _, side := range s.parts {
		width := vg.Length(draw.PageWidth)
		if s.layout.byColumn {
			width = side.sheet.PanelWidth()
		}
		h := head{name: draw.Wrap(draw.PanelFont, side.Heading, width)}
		if !same && side.Data.Figure.Title != "" {
			h.title = draw.Wrap(draw.SmallFont, side.Data.Figure.Title, width)
		}
		heads = append(heads, h)
	}
	if !same {
		title = ""
	}
	return title, heads
}

// place is the row and the column of a panel, from the numbers of its side and its metric.
func (l layout) place(side, metric int) (row, col int) {
	if l.byColumn {
		return metric + side/l.columns, side % l.columns
	}
	return side*l.perSide + metric/l.columns, metric % l.columns
}

// panels is the block of all panels under the heads of their sides.
func (s *sidePage) panels(heads []head) draw.Block {
	metrics := len(s.parts[0].sheet.Panels)
	last, _ := s.layout.place(len(s.parts)-1, metrics-1)
	rows := make([][]*plot.Plot, last+1)
	for i := range rows {
		rows[i] = make([]*plot.Plot, s.layout.columns)
	}
	for i, side := range s.parts {
		for j, p := range side.sheet.Panels {
			row, col := s.layout.place(i, j)
			rows[row][col] = p
			if s.layout.byColumn && col > 0 {
				p.Y.Label.Text = "" // as in the panel beside it
			}
			if s.layout.byColumn && j < metrics-1 {
				p.X.Label.Text = "" // as in the panel at the foot
			}
		}
	}
	room := vg.Length(0)
	for _, h := range heads {
		room = max(room, headGap+h.height())
	}
	if s.layout.byColumn && metrics > 1 {
		return withHeads(rows, s.layout, heads, room, 0)
	}
	return withHeads(rows, s.layout, heads, 0, room)
}

// withHeads arranges the panels with room for heads above all of them and above each row.
func withHeads(rows [][]*plot.Plot, l layout, heads []head, above, each vg.Length) draw.Block {
	total := draw.Tile(rows, draw.PageWidth, l.height, each, nil).Height
	return draw.Block{Height: total + above, Paint: func(page draw.Canvas) {
		c := page
		c.Max.Y -= above
		draw.Tile(rows, draw.PageWidth, l.height, each, func(at draw.Canvas, col int) {
			row := int(math.Round(float64((c.Max.Y - at.Max.Y) / total * vg.Length(len(rows)))))
			for i, h := range heads {
				if r, k := l.place(i, 0); r != row || k != col {
					continue
				}
				if !l.byColumn {
					at.Min.X = page.Min.X
				}
				h.paint(at)
			}
		}).Paint(c)
	}}
}

// paint writes the head upwards from the bottom of the canvas.
func (h head) paint(c draw.Canvas) {
	below := headGap + h.height()
	for _, line := range h.name {
		below -= draw.HeadLine
		draw.Write(c, draw.PanelFont, draw.Black, c.Min.X, c.Min.Y+below, 0, line)
	}
	for _, line := range h.title {
		below -= draw.HeadLine
		draw.Write(c, draw.SmallFont, draw.Black, c.Min.X, c.Min.Y+below, 0, line)
	}
}

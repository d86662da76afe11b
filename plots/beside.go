package plots

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

// A Side is one of the experiments that a drawing shows beside each other.
type Side struct {
	Data    *Data  // of its figure
	From    string // its folder or file, for errors
	Heading string // above its panels
}

// Beside draws the same figure of several experiments on one page, under one legend:
// a method, known by its label, looks the same in all panels. A label leaves out the
// fields that vary within no experiment. The panels are those of every metric that a
// side's figure has, and those of one metric share their vertical axis unless the figure
// has FreeY. Width, limits, logarithms and parts are those of the first side's figure.
// The figures are all of the kind curve or all of the kind k-curve; other kinds are an
// error, as are the errors of Draw.
func Beside(sides []Side) (*draw.Figure, error) {
	kind, err := besideKind(sides)
	if err != nil {
		return nil, err
	}
	fig := sides[0].Data.Figure
	if err := fig.Shape(); err != nil {
		return nil, err
	}
	p := &sidePage{kind: kind, fig: fig, width: sheets.Width(fig, draw.PageWidth)}
	var metrics []string
	for _, s := range sides {
		p.parts = append(p.parts, &part{Side: s, shown: s.Data.Variants})
		metrics = append(metrics, s.Data.Figure.Metrics...)
	}
	metrics = each.Distinct(metrics)
	if len(metrics) == 0 {
		return nil, fmt.Errorf("figure %q: a %s needs at least one metric; metrics is empty", fig.Name, fig.Kind)
	}
	shortenTogether(p.parts)
	p.layOut(len(metrics))
	for _, metric := range metrics {
		if err := p.addMetric(metric); err != nil {
			return nil, fmt.Errorf("figure %q: %w", fig.Name, err)
		}
	}
	return p.figure(), nil
}

func besideKind(sides []Side) (*lineKind, error) {
	if len(sides) == 0 {
		return nil, errors.New("no experiments to draw beside each other")
	}
	first := sides[0]
	for _, s := range sides[1:] {
		if s.Data.Figure.Kind != first.Data.Figure.Kind {
			return nil, fmt.Errorf("figure %q is a %s in %s and a %s in %s: figures beside each other are of one kind",
				s.Data.Figure.Name, first.Data.Figure.Kind, first.From, s.Data.Figure.Kind, s.From)
		}
	}
	lines := kinds[first.Data.Figure.Kind].lines
	if lines == nil {
		return nil, fmt.Errorf("figure %q is of the kind %s; only a curve or a k-curve can be drawn beside others", first.Data.Figure.Name, first.Data.Figure.Kind)
	}
	return lines, nil
}

type part struct {
	Side
	shown  []numbers.Variant
	common string // the fields that the labels leave out, as a sentence
	sheet  *sheets.Sheet
}

// shortenTogether is numbers.Shorten for several sides. A field that varies in one of them
// stays in the labels of all: otherwise a variant would have a label on each side.
func shortenTogether(parts []*part) {
	var all []numbers.Variant
	var varying []string
	for _, p := range parts {
		all = append(all, p.shown...)
		common := numbers.Shared(p.shown)
		for _, field := range numbers.FieldsOf(p.shown)[1:] {
			if !slices.ContainsFunc(common, func(a record.Axis) bool { return a.Field == field }) {
				varying = append(varying, field)
			}
		}
	}
	short := make([]part, len(parts))
	for i, p := range parts {
		common := slices.DeleteFunc(numbers.Shared(p.shown), func(a record.Axis) bool { return slices.Contains(varying, a.Field) })
		short[i] = part{shown: slices.Clone(p.shown), common: numbers.SharedNote(common, all)}
		labels := map[string]bool{}
		for j, v := range p.shown {
			short[i].shown[j].Called = numbers.ShortLabel(v, common, all)
			labels[short[i].shown[j].Called] = true
		}
		if len(labels) < len(p.shown) {
			return
		}
	}
	for i, p := range parts {
		p.shown, p.common = short[i].shown, short[i].common
	}
}

// joint lists the variants of all parts by label, each once. A variant that earlier sides
// lack comes before the next variant of its side that they have, so that a sweep stays
// together, or else at the end. Exact optima come last.
func joint(parts []*part) []numbers.Variant {
	var out []numbers.Variant
	for _, p := range parts {
		for i, v := range p.shown {
			if method(out, v.Called) >= 0 {
				continue
			}
			place := len(out)
			for _, next := range p.shown[i+1:] {
				if known := method(out, next.Called); known >= 0 {
					place = known
					break
				}
			}
			out = slices.Insert(out, place, v)
		}
	}
	return numbers.CeilingsLast(out)
}

// method is the index of a label among the methods; -1 if it is not there.
func method(methods []numbers.Variant, label string) int {
	return slices.IndexFunc(methods, func(m numbers.Variant) bool { return m.Called == label })
}

// A sidePage is a page in the making: the same line panels of several parts.
type sidePage struct {
	kind    *lineKind
	fig     record.Figure // of the first side
	width   vg.Length
	parts   []*part
	methods []numbers.Variant // of all parts, in the order of the legend
	looks   []draw.Look       // by method
	layout  layout
}

// leastSide is the least width of a panel of a drawing of its own width.
const leastSide = 1.6 * vg.Inch

// A layout arranges the panels. The panels of a single metric fill rows, one panel
// for each side. With several metrics every side has a row of its own. If a row would be
// too wide, a side has a column, and if there would be too many columns, it has several
// rows.
type layout struct {
	columns  int
	height   vg.Length // of a data area
	byColumn bool      // one metric's panels of all sides are next to each other
	perSide  int       // the rows of a side
}

func layoutOf(sides, metrics, fit int) layout {
	switch {
	case fit < 3: // of a narrow page
		return layout{columns: fit, height: 115, perSide: (metrics + fit - 1) / fit, byColumn: metrics == 1}
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

// place is the row and the column of a panel, from the numbers of its side and its metric.
func (l layout) place(side, metric int) (row, col int) {
	if l.byColumn {
		return metric + side/l.columns, side % l.columns
	}
	return side*l.perSide + metric/l.columns, metric % l.columns
}

func (s *sidePage) layOut(metrics int) {
	s.methods, s.layout = joint(s.parts), layoutOf(len(s.parts), metrics, min(3, sheets.Fitting(s.fig, leastSide)))
	s.looks = sheets.Looks(s.methods)
	for _, side := range s.parts {
		side.sheet = &sheets.Sheet{Fig: side.Data.Figure, Shown: side.shown, Columns: s.layout.columns, Width: s.width, Height: s.layout.height, Drawn: make([]bool, len(side.shown))}
		for _, v := range side.shown {
			side.sheet.Looks = append(side.sheet.Looks, s.looks[method(s.methods, v.Called)])
		}
	}
}

func (s *sidePage) addMetric(metric string) error {
	m := s.kind.describe(metric)
	var all []numbers.Variant
	for _, side := range s.parts {
		all = append(all, side.shown...)
	}
	axes, traces := make([]horizontal, len(s.parts)), make([][]draw.Trace, len(s.parts))
	for i, side := range s.parts {
		shown := side.shown
		if s.kind.shared {
			shown = all
		}
		var err error
		if axes[i], err = s.kind.within(s.fig, s.kind.axis(metric, shown)); err != nil {
			return err
		}
		traces[i] = s.kind.traces(metric, axes[i], side.sheet)
	}
	together := slices.Concat(traces...)
	if len(together) == 0 {
		return numbers.UnknownMetric(s.kind.noun, metric, all)
	}
	for i, side := range s.parts {
		reaching := together
		if s.fig.FreeY && len(traces[i]) > 0 {
			reaching = traces[i]
		}
		y, err := sheets.Upright(s.fig, m, reaching)
		if err != nil {
			return err
		}
		p, err := draw.LinesWithin(m, traces[i], axes[i].Span, y)
		if err == nil && len(traces[i]) == 0 {
			err = draw.WriteInside(p, "not measured")
		}
		if err != nil {
			return err
		}
		p.Add(draw.MarksRoom{})
		s.kind.mark(p, axes[i], side.sheet)
		side.sheet.Add(p, m)
	}
	return nil
}

func (s *sidePage) figure() *draw.Figure {
	title, heads := s.heads()
	var texts, titles []string
	for _, side := range s.parts {
		fig := side.Data.Figure
		if fig.Title != "" && !slices.Contains(titles, fig.Title) {
			titles = append(titles, fig.Title)
		}
		shown, _ := numbers.Shorten(side.Data.Variants)
		texts = append(texts, strings.TrimPrefix(side.Heading+": ", ": ")+altText(fig.Kind, s.kind.values(fig.Metrics, shown)))
	}
	fig := s.fig
	fig.Title = title
	return sheets.Page(fig, s.width, s.notes(), draw.Legend(s.entries(), s.width), s.panels(heads)).
		Told(cmp.Or(title, strings.Join(titles, "; "), s.kind.describe(s.parts[0].Data.Figure.Metrics[0]).Title()), strings.Join(texts, " "))
}

// entries are those of the legend of all panels: the methods that have a line in one of them.
func (s *sidePage) entries() (out []draw.Entry) {
	for i, m := range s.methods {
		if slices.ContainsFunc(s.parts, func(side *part) bool {
			j := method(side.shown, m.Called)
			return j >= 0 && side.sheet.Drawn[j]
		}) {
			out = append(out, draw.LineEntry(m.Called, s.looks[i].Line(), s.looks[i].Mark))
		}
	}
	return out
}

// notes are the paragraphs of a page: one for each side with the sentences of that side alone,
// and one with those that hold for all.
func (s *sidePage) notes() string {
	sentences := make([][]string, len(s.parts))
	banded := false
	for i, p := range s.parts {
		sentences[i] = []string{p.common, s.kind.note(p.shown, p.Data.Figure.Metrics), p.sheet.Absences(), sheets.SeedNote(p.shown, false)}
		banded = banded || sheets.SeedNote(p.shown, true) != sentences[i][3]
	}
	var paragraphs, all []string
	for j, sentence := range slices.Clone(sentences[0]) {
		if !slices.ContainsFunc(sentences, func(list []string) bool { return list[j] != sentence }) {
			all = append(all, sentence)
			for i := range sentences {
				sentences[i][j] = ""
			}
		}
	}
	for i, p := range s.parts {
		if text := strings.TrimPrefix(draw.Sentences(sentences[i]...), "All: "); text != "" {
			paragraphs = append(paragraphs, p.Heading+": "+text)
		}
	}
	if banded {
		all = append(all, "Bands: 95% confidence intervals over seeds.")
	}
	if s.fig.FreeY {
		all = append(all, "Vertical axes differ between the panels.")
	}
	return strings.Join(append(paragraphs, draw.Sentences(all...)), "\n")
}

// A head is the text above the panels of a side, in lines.
type head struct {
	name, title []string
}

const headGap = vg.Length(8)

func (h head) height() vg.Length { return headGap + draw.HeadLine*vg.Length(len(h.name)+len(h.title)) }

// heads writes the sides' headings. A title that all figures have is the page's; else
// each is below its side's heading.
func (s *sidePage) heads() (title string, heads []head) {
	title = s.parts[0].Data.Figure.Title
	same := !slices.ContainsFunc(s.parts, func(side *part) bool { return side.Data.Figure.Title != title })
	for _, side := range s.parts {
		width := s.width
		if s.layout.byColumn {
			width = side.sheet.PanelWidth()
		}
		h := head{name: draw.Wrap(draw.PanelFont, side.Heading, width)}
		if !same && side.Data.Figure.Title != "" && s.fig.Has("title") {
			h.title = draw.Wrap(draw.SmallFont, side.Data.Figure.Title, width)
		}
		heads = append(heads, h)
	}
	if !same {
		title = ""
	}
	return title, heads
}

// panels is the block of all panels under the heads of their sides: above all of them, or above
// each row.
func (s *sidePage) panels(heads []head) draw.Block {
	l, metrics := s.layout, len(s.parts[0].sheet.Panels)
	last, _ := l.place(len(s.parts)-1, metrics-1)
	rows := make([][]*plot.Plot, last+1)
	for i := range rows {
		rows[i] = make([]*plot.Plot, l.columns)
	}
	for i, side := range s.parts {
		for j, p := range side.sheet.Panels {
			row, col := l.place(i, j)
			rows[row][col] = p
			if l.byColumn && col > 0 {
				p.Y.Label.Text = "" // as in the panel beside it
			}
			if l.byColumn && j < metrics-1 {
				p.X.Label.Text = "" // as in the panel at the foot
			}
		}
	}
	above, each := vg.Length(0), vg.Length(0)
	for _, h := range heads {
		each = max(each, h.height())
	}
	if l.byColumn && metrics > 1 {
		above, each = each, 0
	}
	total := draw.Tile(rows, s.width, l.height, each, nil).Height
	return draw.Block{Height: total + above, Paint: func(page draw.Canvas) {
		c := page
		c.Max.Y -= above
		draw.Tile(rows, s.width, l.height, each, func(cell draw.Canvas, col int) {
			row := int(math.Round(float64((c.Max.Y - cell.Max.Y) / total * vg.Length(len(rows)))))
			for i, h := range heads {
				if r, k := l.place(i, 0); r != row || k != col {
					continue
				}
				if !l.byColumn {
					cell.Min.X = page.Min.X
				}
				h.paint(cell)
			}
		}).Paint(c)
	}}
}

func (h head) paint(c draw.Canvas) {
	base := c.Min.Y + h.height()
	for i, line := range slices.Concat(h.name, h.title) {
		font := draw.PanelFont
		if i >= len(h.name) {
			font = draw.SmallFont
		}
		base -= draw.HeadLine
		draw.Write(c, font, draw.Black, c.Min.X, base, 0, line)
	}
}

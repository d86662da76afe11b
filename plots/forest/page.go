package forest

import (
	"errors"
	"math"
	"slices"
	"sort"
	"strings"

	"gonum.org/v1/plot/vg"

	"modebench/internal/each"
	"modebench/plots/draw"
	"modebench/plots/sheets"
)

// Measures of the page of a figure of claims.
const (
	claimTall  = vg.Length(1100) // of claims, above which there are columns beside each other
	claimLeft  = 3               // fewer claims of a paper than this do not stay behind at the foot of a column
	claimAway  = vg.Length(18)   // between columns
	claimApart = vg.Length(7)    // between the sections of a column
)

type claimAxes struct{ deltas, ratios draw.Scale }

func (a claimAxes) axis(r Row) draw.Scale {
	if r.ratio() {
		return a.ratios
	}
	return a.deltas
}

// Draw shows claims paper by paper. Below the text of a claim and the answer to it, each
// setting has a line: the effect with its 95% interval in units of delta. A claim of many
// settings has one line: a bar from the lower to the upper quartile, a thin line from the least
// to the largest, the mark at the median, and at the right how many settings have each answer.
// All of them share one axis, but for those about a ratio, which come last of a paper and share a
// logarithmic one. Where the page would be too tall there are columns.
func (d *Claims) Draw() (*draw.Figure, error) {
	if len(d.Rows) == 0 {
		return nil, errors.New("there are no claims to show")
	}
	p := claimsPage{data: d, axes: d.claimAxes(), columns: d.claimColumns(draw.PageWidth)}
	body := p.columnsOf(p.sections())
	width := draw.PageWidth*vg.Length(len(body)) + claimAway*vg.Length(len(body)-1)
	blocks := draw.Heading(d.Title, width)
	if d.Rows[0].Paper != d.Rows[len(d.Rows)-1].Paper {
		blocks = append(blocks, draw.Paragraphs(draw.SmallFont, draw.Subtle, width, claimsTally(d.Rows)+".")...)
	}
	blocks = append(blocks, claimsLegend(width), besideEachOther(body))
	note := draw.Paragraphs(draw.SmallFont, draw.Subtle, min(width, 2*draw.PageWidth), d.claimsNote(p.axes))
	return draw.Page(width, append(blocks, note...)...), nil
}

// claimAxes are the shortest axes that hold what is drawn. Intervals count but for lines that show
// settings together.
func (d *Claims) claimAxes() claimAxes {
	deltas := 0.0
	var ratios []float64
	for _, r := range d.Rows {
		if r.ratio() {
			ratios = append(ratios, r.Times)
		}
		for i := range r.Settings {
			at := r.drawn().At(i, AnySeeds)
			for _, x := range []float64{at.Mean, at.Low, at.High} {
				switch {
				case at.N == 0 || math.IsInf(x, 0) || d.Collapsed(r) && x != at.Mean:
				case r.ratio():
					ratios = append(ratios, x)
				default:
					deltas = max(deltas, math.Abs(x))
				}
			}
		}
	}
	return claimAxes{draw.DeltaScale(deltas), draw.RatioScale(ratios)}
}

func (d *Claims) claimsNote(axes claimAxes) string {
	note := ""
	if !slices.ContainsFunc(d.Rows, func(r Row) bool { return !r.ratio() }) {
		note = "Ratios with the 95% interval over seeds."
	} else {
		note = "Effects in units of delta, the smallest difference that matters, with the 95% interval over seeds: right of 0 where the claim is right; 0 is its bound where it names one. The shaded band, from -1 to 1, is too small to matter. The axis is linear near 0 and logarithmic beyond. At the right are the effects in the unit of the metric."
	}
	if slices.ContainsFunc(d.Rows, Row.ratio) {
		note = draw.Sentences(note, "Claims about a ratio have a logarithmic axis: the flag stands at the ratio that the claim names and points to where it is right.")
	}
	if slices.ContainsFunc(d.Rows, func(r Row) bool {
		return slices.ContainsFunc(ascending(r.drawn().Mean), func(x float64) bool { return axes.axis(r).Off(x) != 0 })
	}) {
		note = draw.Sentences(note, "An arrow marks what lies beyond the axis.")
	}
	if slices.ContainsFunc(d.Rows, d.Collapsed) {
		note = draw.Sentences(note, "A claim of several settings that has one line: the mark is at the median of its effects, the bar goes from the lower to the upper quartile, the thin line from the least to the largest; at the right is how many settings have each answer.")
	}
	return note
}

type claimsPage struct {
	data    *Claims
	axes    claimAxes
	columns Columns
}

// A claimSection is claims of a paper that share an axis.
type claimSection struct {
	head, tally string
	rows        []Row
}

func (p *claimsPage) sections() (out []claimSection) {
	for rest := p.data.Rows; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(r Row) bool { return r.Paper != rest[0].Paper })
		if n < 0 {
			n = len(rest)
		}
		head, tally := sheets.Capital(rest[0].Paper), claimsTally(rest[:n])
		for _, ratio := range []bool{false, true} {
			rows := each.Where(rest[:n], func(r Row) bool { return r.ratio() == ratio })
			if rows != nil {
				out = append(out, claimSection{head, tally, rows})
				head, tally = head+": ratios", ""
			}
		}
		rest = rest[n:]
	}
	return out
}

// columnsOf fills columns with sections from the first on. Where one is enough there is one, and every
// section has an axis below it. Else a section goes on at the top of the next column, and those of a
// column that are on one axis have it below the last of them.
func (p *claimsPage) columnsOf(sections []claimSection) [][]draw.Block {
	var one []draw.Block
	var total vg.Length
	for _, s := range sections {
		one = append(one, p.block(s, true))
		total += p.block(s, false).Height + claimApart
	}
	if height := draw.Stacked(one).Height; height <= claimTall {
		return [][]draw.Block{one}
	}
	const slack = 2 * claimAxis // too little for a claim at the foot of a column, and its axes
	limit := total/vg.Length(math.Ceil(float64(total/(claimTall-slack)))) + slack/2
	columns, left := [][]claimSection{nil}, limit
	for _, s := range sections {
		for len(s.rows) > 0 {
			n := p.fitting(s, left)
			last := len(columns) - 1
			if n < min(claimLeft, len(s.rows)) && columns[last] != nil {
				columns, left = append(columns, nil), limit
				continue
			}
			part := s
			part.rows = s.rows[:max(n, 1)]
			columns[last], left = append(columns[last], part), left-p.block(part, false).Height-claimApart
			s.rows, s.head, s.tally = s.rows[len(part.rows):], continued(s.head), ""
		}
	}
	out := make([][]draw.Block, len(columns))
	for i, column := range columns {
		for j, s := range column {
			below := j == len(column)-1 || column[j+1].rows[0].ratio() != s.rows[0].ratio()
			out[i] = append(out[i], p.block(s, below))
		}
	}
	return out
}

func continued(head string) string {
	const mark = ", continued"
	return strings.TrimSuffix(head, mark) + mark
}

func (p *claimsPage) fitting(s claimSection, height vg.Length) int {
	return sort.Search(len(s.rows), func(n int) bool {
		part := s
		part.rows = s.rows[:n+1]
		return p.block(part, false).Height > height
	})
}

// block is a section, above its axis if it has one.
func (p *claimsPage) block(s claimSection, axis bool) draw.Block {
	var parts []draw.Block
	add := func(height vg.Length, paint func(c draw.Canvas, at Plot)) {
		parts = append(parts, draw.Block{Height: height, Paint: func(c draw.Canvas) {
			paint(c, p.columns.Plot(p.axes.axis(s.rows[0]), c.Min.X))
		}})
	}
	all := p.data.Rows
	specs := slices.ContainsFunc(all, func(r Row) bool { return r.Spec != all[0].Spec })
	add(claimPaper, func(c draw.Canvas, _ Plot) { paintPaper(c, s.head, s.tally, p.columns.Width) })
	head := len(parts)
	for i, r := range s.rows {
		if specs && (i == 0 || r.Spec != s.rows[i-1].Spec) {
			add(claimSpec, func(c draw.Canvas, _ Plot) {
				draw.Write(c, draw.LabelFont, draw.Subtle, c.Min.X, c.Min.Y+5, 0, r.Spec)
			})
		}
		for _, part := range p.data.claimParts(r, p.columns) {
			add(part.height, part.paint)
		}
		if i < len(s.rows)-1 {
			add(claimGap, func(draw.Canvas, Plot) {})
		}
	}
	if height := draw.Stacked(parts).Height; axis && height > claimPage {
		add(claimTicks, func(c draw.Canvas, at Plot) { at.PaintTicks(c, c.Min.Y+5, 1) })
		parts = slices.Insert(parts[:len(parts)-1], head, parts[len(parts)-1])
	}
	if axis {
		add(claimAxis, func(c draw.Canvas, at Plot) { at.PaintAxis(c, c.Max.Y) })
	}
	return draw.Stacked(parts)
}

// paintPaper draws the head of a paper: its name, and its answers counted.
func paintPaper(c draw.Canvas, head, tally string, width vg.Length) {
	base := c.Min.Y + 7
	draw.Write(c, draw.PanelFont, draw.Black, c.Min.X, base, 0, head)
	draw.Write(c, draw.SmallFont, draw.Subtle, c.Min.X+width, base, 1, tally)
	c.StrokeLine2(draw.LineStyle{Color: draw.Black, Width: 0.8}, c.Min.X, base-3.5, c.Min.X+width, base-3.5)
}

func besideEachOther(columns [][]draw.Block) draw.Block {
	tallest := vg.Length(0)
	for _, column := range columns {
		height := -claimApart
		for _, b := range column {
			height += b.Height + claimApart
		}
		tallest = max(tallest, height)
	}
	return draw.Block{Height: tallest, Paint: func(c draw.Canvas) {
		for i, column := range columns {
			left, top := c.Min.X+vg.Length(i)*(draw.PageWidth+claimAway), c.Max.Y
			for _, b := range column {
				at := c
				at.Min.X, at.Max.X, at.Min.Y, at.Max.Y = left, left+draw.PageWidth, top-b.Height, top
				b.Paint(at)
				top -= b.Height + claimApart
			}
		}
	}}
}

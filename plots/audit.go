package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

// A NamedFigure is a figure under the name of its file, without extension.
type NamedFigure struct {
	Name   string
	Figure *draw.Figure
}

// auditLines is how many methods may share the panels of the line figure.
const auditLines = 12

// auditChoice are the methods that the line figure shows where there are more.
var auditChoice = []string{"grpo", "rloo", "poly-epo", "passk-training", "max-at-k", "pkpo", "maxrl", "evol-rl"}

// AuditFigures draws an audit as two figures. The first, audit, has a row for every method:
// its cosines at that group size, and its signal-to-noise ratio at all sizes. The second,
// audit-pass, has the cosine with the gradient of pass@k by k for some methods (those of
// auditChoice where there are many), with the ratio by group size beside it. A figure that
// would be empty is left out.
func AuditFigures(a *record.Audit, group int) []NamedFigure {
	var out []NamedFigure
	if f := auditTable(a, group); f != nil {
		out = append(out, NamedFigure{"audit", f.Told(auditTitle, auditSeen(a, group, "A table of coloured cells: a row for each method"))})
	}
	if f := auditCurves(a, group); f != nil {
		out = append(out, NamedFigure{"audit-pass", f.Told(auditTitle, auditSeen(a, group, "Lines: the cosine of a method's expected step with the gradient of pass@k, by k, and the signal-to-noise ratio by group size"))})
	}
	return out
}

const auditTitle = "What estimators climb: expected steps against exact gradients"

// auditSeen is what is to be seen in a figure of an audit, with the cosines for one answer.
func auditSeen(a *record.Audit, group int, what string) string {
	if len(a.Ks) == 0 {
		return what + "."
	}
	labels := auditMethods(a)
	return fmt.Sprintf("%s. Cosine with the gradient of pass@%d: %s.", what, a.Ks[0], sheets.List(len(labels), sheets.ListItems, func(i int) string {
		row := auditRow(a, labels[i], group)
		if row == nil || passOf(a, row, a.Ks[0]) == nil {
			return labels[i] + " not measured"
		}
		return labels[i] + " " + strconv.FormatFloat(passOf(a, row, a.Ks[0]).Value, 'g', 3, 64)
	}))
}

// auditMethods lists the labels with a step at some group size, in order.
func auditMethods(a *record.Audit) []string {
	var out []string
	for _, row := range a.Rows {
		if row.How != "" && !slices.Contains(out, row.Label) {
			out = append(out, row.Label)
		}
	}
	return out
}

// auditRow is a method's row at a group size, or nil where there is no step.
func auditRow(a *record.Audit, label string, group int) *record.AuditRow {
	for i := range a.Rows {
		if row := &a.Rows[i]; row.Label == label && row.Group == group && row.How != "" {
			return row
		}
	}
	return nil
}

func passOf(a *record.Audit, row *record.AuditRow, k int) *record.AuditNumber {
	if at := slices.Index(a.Ks, k); at >= 0 {
		return row.Pass[at]
	}
	return nil
}

func auditCurves(a *record.Audit, group int) *draw.Figure {
	labels := auditMethods(a)
	if len(labels) > auditLines {
		labels = slices.DeleteFunc(labels, func(l string) bool { return !slices.Contains(auditChoice, l) })
	}
	var shown []numbers.Variant
	for _, l := range labels {
		if row := auditRow(a, l, group); row != nil {
			shown = append(shown, numbers.Variant{Label: l, Method: row.Method, Trains: true, Called: l})
		}
	}
	if len(shown) == 0 || len(a.Ks) == 0 || len(a.Groups) == 0 {
		return nil
	}
	groups := slices.Sorted(slices.Values(a.Groups))
	sheet := sheets.New(record.Figure{Title: "What steps climb, and how well it shows through the noise"}, shown, 2)
	cosines := sheet.Traces(draw.Measure{Label: "cosine"}, func(s numbers.Variant) []sheets.Point {
		row := auditRow(a, s.Called, group)
		return auditPoints(a.Ks, func(k int) *record.AuditNumber { return passOf(a, row, k) })
	})
	ratios := sheet.Traces(draw.Measure{Label: "signal-to-noise ratio"}, func(s numbers.Variant) []sheets.Point {
		return auditPoints(groups, func(n int) *record.AuditNumber {
			if row := auditRow(a, s.Called, n); row != nil {
				return row.SNR
			}
			return nil
		})
	})
	for _, panel := range []struct {
		m      draw.Measure
		traces []draw.Trace
		at     []int
		x      string
	}{
		{draw.Measure{Label: "cosine of expected step and gradient of pass@k"}, cosines, a.Ks, "k"},
		{draw.Measure{Label: "signal-to-noise ratio of a step", AtZero: true}, ratios, groups, "N (rollouts per group)"},
	} {
		if len(panel.traces) == 0 {
			return nil
		}
		low, high := sheets.Apart(draw.Log2(panel.at[0]), draw.Log2(panel.at[len(panel.at)-1]))
		p, err := draw.Lines(panel.m, panel.traces, low, high)
		if err != nil {
			return nil
		}
		p.X.Label.Text = panel.x
		p.X.Tick.Marker = plot.Ticker(draw.KTicks(panel.at, sheet.PanelWidth()))
		sheet.Add(p, panel.m)
	}
	return sheet.Page(draw.Sentences("Left: groups of "+strconv.Itoa(group)+".", auditNote(a)))
}

// auditPoints are the numbers at some k, or at some group sizes, on an axis of log2. An
// undefined number leaves a gap.
func auditPoints(at []int, number func(int) *record.AuditNumber) []sheets.Point {
	var out []sheets.Point
	for _, x := range at {
		n := number(x)
		if n == nil {
			continue
		}
		p := sheets.Point{X: draw.Log2(x), At: stats.Interval{N: 1, Mean: n.Value, Low: math.Inf(-1), High: math.Inf(1)}}
		if n.Low != nil && n.High != nil {
			p.At.Low, p.At.High = *n.Low, *n.High
		}
		out = append(out, p)
	}
	return out
}

func auditNote(a *record.Audit) string {
	sampled, exact := false, false
	for _, row := range a.Rows {
		sampled = sampled || row.How == record.AuditSampled
		exact = exact || row.How == record.AuditExact
	}
	how := "Exact, by enumeration."
	switch {
	case sampled && exact:
		how = "Exact by enumeration, or from samples with 95% confidence intervals."
	case sampled:
		how = "From samples, with 95% confidence intervals."
	}
	return "Steps on " + strconv.Itoa(a.Problems) + " bandits, one group each. " + how
}

// Measures of the table figure.
const (
	auditLine   = vg.Length(10.5)
	auditCell   = vg.Length(31)
	auditSpace  = vg.Length(8) // between groups of columns
	auditHead   = vg.Length(24)
	auditFamily = vg.Length(13)
)

// An auditColumn is a column of cells: its head and the number that a method has there.
type auditColumn struct {
	head   string
	number func(label string) *record.AuditNumber
	snr    bool // a ratio, in colours of its own; else a cosine
}

// auditColumns are the columns: the cosines at the group size, and the ratio at all.
func auditColumns(a *record.Audit, group int) []auditColumn {
	cosine := func(head string, of func(*record.AuditRow) *record.AuditNumber) auditColumn {
		return auditColumn{head: head, number: func(label string) *record.AuditNumber {
			if row := auditRow(a, label, group); row != nil {
				return of(row)
			}
			return nil
		}}
	}
	out := []auditColumn{cosine("claim", func(r *record.AuditRow) *record.AuditNumber { return r.Cosine })}
	for _, k := range []int{1, 8, 64} {
		if slices.Contains(a.Ks, k) {
			out = append(out, cosine(strconv.Itoa(k), func(r *record.AuditRow) *record.AuditNumber { return passOf(a, r, k) }))
		}
	}
	for _, n := range slices.Sorted(slices.Values(a.Groups)) {
		out = append(out, auditColumn{head: strconv.Itoa(n), snr: true, number: func(label string) *record.AuditNumber {
			if row := auditRow(a, label, n); row != nil {
				return row.SNR
			}
			return nil
		}})
	}
	return out
}

func auditTable(a *record.Audit, group int) *draw.Figure {
	labels := auditMethods(a)
	if len(labels) == 0 {
		return nil
	}
	t := auditSheet{columns: auditColumns(a, group), most: 1e-9, left: draw.Widest(append([]string{"method"}, labels...)), claims: draw.Widest([]string{"claims"})}
	family := ""
	for _, label := range labels {
		row := auditRow(a, label, group)
		claim, of := "", ""
		for i := range a.Rows {
			if a.Rows[i].Label == label && a.Rows[i].How != "" {
				of = a.Rows[i].Family
			}
		}
		if row != nil {
			claim = row.Claim
		}
		if of != family && of != "" {
			t.lines = append(t.lines, auditEntry{family: of})
		}
		family = of
		t.lines = append(t.lines, auditEntry{label: label, claim: claim})
		t.claims = max(t.claims, draw.TextWidth(draw.SmallFont, claim))
		for _, c := range t.columns {
			if n := c.number(label); c.snr && n != nil {
				t.most = max(t.most, n.Value)
			}
		}
	}
	width := max(t.width(), draw.ColumnWidth)
	blocks := draw.Heading(auditTitle, width)
	blocks = append(blocks, t.block())
	note := draw.Sentences("Cosines: expected step of groups of "+strconv.Itoa(group)+" and the exact gradient of what the method claims, and of pass@k.",
		"SNR: squared length of the expected step over the variance of a step, by group size N; cells of cosines are coloured from 0 to 1, those of ratios by logarithm.", auditNote(a))
	return draw.NotedPage(width, note, blocks...)
}

type auditSheet struct {
	columns      []auditColumn
	lines        []auditEntry
	left, claims vg.Length // widths of the columns of text
	most         float64   // the largest ratio
}

// An auditEntry is a line of the table: a family's head, or a method.
type auditEntry struct{ family, label, claim string }

func (t *auditSheet) at(column int) vg.Length {
	x := t.left + t.claims + 2*auditSpace + vg.Length(column)*auditCell
	if t.columns[column].snr {
		x += auditSpace
	}
	return x
}

func (t *auditSheet) width() vg.Length { return t.at(len(t.columns)-1) + auditCell }

func (t *auditSheet) block() draw.Block {
	height := auditHead
	for _, l := range t.lines {
		height += l.height()
	}
	return draw.Block{Height: height, Paint: func(c draw.Canvas) {
		t.paintHeads(c)
		top := c.Max.Y - auditHead
		for _, l := range t.lines {
			t.paintLine(c, l, top)
			top -= l.height()
		}
	}}
}

func (l auditEntry) height() vg.Length {
	if l.family != "" {
		return auditFamily
	}
	return auditLine
}

func (t *auditSheet) paintHeads(c draw.Canvas) {
	low := c.Max.Y - auditHead + 4
	draw.Write(c, draw.SmallFont, draw.Black, c.Min.X, low, 0, "method")
	draw.Write(c, draw.SmallFont, draw.Black, c.Min.X+t.left+auditSpace, low, 0, "claims")
	above := func(from, to int, text string) {
		if from < to {
			draw.Write(c, draw.SmallFont, draw.Black, c.Min.X+(t.at(from)+t.at(to-1)+auditCell)/2, low+draw.Leading(draw.SmallFont), 0.5, text)
		}
	}
	ratios := len(t.columns)
	for i, column := range t.columns {
		if column.snr {
			ratios = min(ratios, i)
		}
		draw.Write(c, draw.SmallFont, draw.Black, c.Min.X+t.at(i)+auditCell/2, low, 0.5, column.head)
	}
	above(0, 1, "cosine:")
	above(1, ratios, "pass@k, k =")
	above(ratios, len(t.columns), "SNR, N =")
}

func (t *auditSheet) paintLine(c draw.Canvas, l auditEntry, top vg.Length) {
	bottom := top - l.height()
	if l.family != "" {
		draw.Write(c, draw.PanelFont, draw.Black, c.Min.X, bottom+3, 0, l.family)
		return
	}
	base := draw.TextLine(bottom, top)
	draw.Write(c, draw.SmallFont, draw.Black, c.Min.X, base, 0, l.label)
	draw.Write(c, draw.SmallFont, draw.Subtle, c.Min.X+t.left+auditSpace, base, 0, l.claim)
	for i, column := range t.columns {
		n := column.number(l.label)
		left := c.Min.X + t.at(i)
		if n == nil {
			draw.Write(c, draw.SmallFont, draw.Subtle, left+auditCell/2, base, 0.5, "-")
			continue
		}
		shade := n.Value
		text := strconv.FormatFloat(math.Round(100*n.Value)/100+0, 'f', 2, 64) // no "-0.00"
		if column.snr {
			shade = math.Log10(max(n.Value, 1e-9)/t.most)/3 + 1 // three decades
			text = ratioText(n.Value)
		}
		fill := draw.Viridis(shade)
		c.SetColor(fill)
		box := vg.Rectangle{Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: left + auditCell - 0.8, Y: top - 0.8}}
		c.Fill(box.Path())
		draw.Write(c, draw.SmallFont, draw.Readable(fill), left+auditCell/2, base, 0.5, text)
	}
}

// ratioText writes a ratio with two digits, or those before its point.
func ratioText(x float64) string {
	decimals := 2
	for bound := 1.0; x >= bound && decimals > 0; bound *= 10 {
		decimals--
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

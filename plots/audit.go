package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"

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

// auditChoice are the methods of the line figure if there are more.
var auditChoice = []string{"grpo", "rloo", "poly-epo", "passk-training", "max-at-k", "pkpo", "maxrl", "evol-rl"}

// AuditFigures draws an audit as two figures. The first, audit, has a row for every method:
// its cosines at that group size, and its signal-to-noise ratio at all sizes. The second,
// audit-pass, has the cosine with the gradient of pass@k by k for some methods (those of
// auditChoice if there are many), with the ratio by group size beside it. A figure that
// would be empty is left out.
func AuditFigures(a *record.Audit, group int) (out []NamedFigure) {
	for _, f := range []struct {
		name, text string
		figure     *draw.Figure
	}{
		{"audit", "A table of coloured cells: a row for each method", auditTable(a, group)},
		{"audit-pass", "Lines: the cosine of a method's expected step with the gradient of pass@k, by k, and the signal-to-noise ratio by group size", auditCurves(a, group)},
	} {
		if f.figure != nil {
			out = append(out, NamedFigure{f.name, f.figure.Told(auditTitle, auditText(a, group, f.text))})
		}
	}
	return out
}

const auditTitle = "What estimators climb: expected steps against exact gradients"

// auditText describes a figure of an audit for screen readers, with the cosines for one answer.
func auditText(a *record.Audit, group int, text string) string {
	if len(a.Ks) == 0 {
		return text + "."
	}
	labels := auditMethods(a)
	return fmt.Sprintf("%s. Cosine with the gradient of pass@%d: %s.", text, a.Ks[0], sheets.List(len(labels), sheets.ListItems, func(i int) string {
		if n := auditNumber(a, labels[i], group, passAt(a, a.Ks[0])); n != nil {
			return labels[i] + " " + strconv.FormatFloat(n.Value, 'g', 3, 64)
		}
		return labels[i] + " not measured"
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

// auditRow is a method's row at a group size, or nil without a step.
func auditRow(a *record.Audit, label string, group int) *record.AuditRow {
	for i := range a.Rows {
		if row := &a.Rows[i]; row.Label == label && row.Group == group && row.How != "" {
			return row
		}
	}
	return nil
}

// auditNumber is a number of a method's row at a group size, or nil.
func auditNumber(a *record.Audit, label string, group int, pick func(*record.AuditRow) *record.AuditNumber) *record.AuditNumber {
	if row := auditRow(a, label, group); row != nil {
		return pick(row)
	}
	return nil
}

// passAt picks a row's cosine with pass@k.
func passAt(a *record.Audit, k int) func(*record.AuditRow) *record.AuditNumber {
	i := slices.Index(a.Ks, k)
	return func(row *record.AuditRow) *record.AuditNumber {
		if i < 0 {
			return nil
		}
		return row.Pass[i]
	}
}

func auditRatio(row *record.AuditRow) *record.AuditNumber { return row.SNR }

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
	for _, panel := range []struct {
		m      draw.Measure
		short  string
		places []int // k, or group sizes, on an axis of log2
		x      string
		number func(label string, place int) *record.AuditNumber
	}{
		{draw.Measure{Label: "cosine of expected step and gradient of pass@k"}, "cosine", a.Ks, "k",
			func(label string, k int) *record.AuditNumber { return auditNumber(a, label, group, passAt(a, k)) }},
		{draw.Measure{Label: "signal-to-noise ratio of a step", AtZero: true}, "signal-to-noise ratio", groups, "N (rollouts per group)",
			func(label string, n int) *record.AuditNumber { return auditNumber(a, label, n, auditRatio) }},
	} {
		traces := sheet.Traces(draw.Measure{Label: panel.short}, func(v numbers.Variant) (out []sheets.Point) {
			for _, place := range panel.places {
				if n := panel.number(v.Called, place); n != nil { // an undefined number leaves a gap
					p := sheets.Point{X: draw.Log2(place), At: stats.Interval{N: 1, Mean: n.Value, Low: math.Inf(-1), High: math.Inf(1)}}
					if n.Low != nil && n.High != nil {
						p.At.Low, p.At.High = *n.Low, *n.High
					}
					out = append(out, p)
				}
			}
			return out
		})
		if len(traces) == 0 {
			return nil
		}
		low, high := sheets.Apart(draw.Log2(panel.places[0]), draw.Log2(panel.places[len(panel.places)-1]))
		p, err := draw.Lines(panel.m, traces, low, high)
		if err != nil {
			return nil
		}
		p.X.Label.Text = panel.x
		p.X.Tick.Marker = draw.KTicks(panel.places, sheet.PanelWidth())
		sheet.Add(p, panel.m)
	}
	return sheet.Page(draw.Sentences("Left: groups of "+strconv.Itoa(group)+".", auditNote(a)))
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
func auditColumns(a *record.Audit, group int) (out []auditColumn) {
	add := func(head string, group int, snr bool, pick func(*record.AuditRow) *record.AuditNumber) {
		out = append(out, auditColumn{head: head, snr: snr, number: func(label string) *record.AuditNumber { return auditNumber(a, label, group, pick) }})
	}
	add("claim", group, false, func(r *record.AuditRow) *record.AuditNumber { return r.Cosine })
	for _, k := range []int{1, 8, 64} {
		if slices.Contains(a.Ks, k) {
			add(strconv.Itoa(k), group, false, passAt(a, k))
		}
	}
	for _, n := range slices.Sorted(slices.Values(a.Groups)) {
		add(strconv.Itoa(n), n, true, auditRatio)
	}
	return out
}

func auditTable(a *record.Audit, group int) *draw.Figure {
	labels := auditMethods(a)
	if len(labels) == 0 {
		return nil
	}
	t := auditSheet{columns: auditColumns(a, group), largest: 1e-9, left: draw.Widest(append([]string{"method"}, labels...)), claims: draw.Widest([]string{"claims"})}
	family := ""
	for _, label := range labels {
		claim, head := "", ""
		for _, row := range a.Rows {
			if row.Label == label && row.How != "" {
				head = row.Family
			}
		}
		if row := auditRow(a, label, group); row != nil {
			claim = row.Claim
		}
		if head != family && head != "" {
			t.lines = append(t.lines, auditEntry{family: head})
		}
		family = head
		t.lines = append(t.lines, auditEntry{label: label, claim: claim})
		t.claims = max(t.claims, draw.TextWidth(draw.SmallFont, claim))
		for _, c := range t.columns {
			if n := c.number(label); c.snr && n != nil {
				t.largest = max(t.largest, n.Value)
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
	largest      float64   // ratio
}

// An auditEntry is a line of the table: a family's head, or a method.
type auditEntry struct{ family, label, claim string }

func (t *auditSheet) edge(column int) vg.Length {
	x := t.left + t.claims + 2*auditSpace + vg.Length(column)*auditCell
	if t.columns[column].snr {
		x += auditSpace
	}
	return x
}

func (t *auditSheet) width() vg.Length { return t.edge(len(t.columns)-1) + auditCell }

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
			draw.Write(c, draw.SmallFont, draw.Black, c.Min.X+(t.edge(from)+t.edge(to-1)+auditCell)/2, low+draw.Leading(draw.SmallFont), 0.5, text)
		}
	}
	ratios := len(t.columns)
	for i, column := range t.columns {
		if column.snr {
			ratios = min(ratios, i)
		}
		draw.Write(c, draw.SmallFont, draw.Black, c.Min.X+t.edge(i)+auditCell/2, low, 0.5, column.head)
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
		left := c.Min.X + t.edge(i)
		if n == nil {
			draw.Write(c, draw.SmallFont, draw.Subtle, left+auditCell/2, base, 0.5, "-")
			continue
		}
		shade := n.Value
		text := strconv.FormatFloat(math.Round(100*n.Value)/100+0, 'f', 2, 64) // no "-0.00"
		if column.snr {
			shade = math.Log10(max(n.Value, 1e-9)/t.largest)/3 + 1 // three decades
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

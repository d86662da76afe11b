package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/experiments/analysis"
	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/table"
	"modebench/metrics/stats"
)

// Answers lists the possible answers to a claim, as tables count them.
var Answers = []stats.Answer{stats.Supported, stats.Opposed, stats.NoDifference, stats.Mixed, stats.Undecided, stats.Untestable}

// AtSettings lists the possible answers at one setting.
var AtSettings = slices.DeleteFunc(slices.Clone(Answers), func(a stats.Answer) bool { return a == stats.Mixed })

// Text is the table of a claim's settings, for a terminal.
func Text(v Verdict) string {
	var b strings.Builder
	c := v.Claim
	fmt.Fprintf(&b, "claim %s: %s", c.Name, c.Text)
	if c.Source != "" {
		fmt.Fprintf(&b, " (%s)", c.Source)
	}
	fmt.Fprintf(&b, "\n  %s\n", Sentence(c))
	var rows [][]string
	for i := range v.Settings {
		head, row := v.row(&v.Settings[i])
		if rows == nil {
			rows = append(rows, head)
		}
		rows = append(rows, row)
	}
	b.WriteString(analysis.Indent(table.Grid(rows).Text()))
	if c.Paper != "" {
		fmt.Fprintf(&b, "  paper: %s\n", c.Paper)
	}
	if v.Null != nil && v.Answer != stats.Untestable {
		fmt.Fprintf(&b, "  null comparison: %s\n", v.Null.Outcome())
	}
	fmt.Fprintf(&b, "  %s\n", v.Outcome())
	return b.String()
}

// Sentence is the claim's question in words after "says: ", as in "setpo+grpo above grpo in pass@16,
// at every setting; delta 0.02".
func Sentence(c record.Claim) string {
	text := "says: " + asked(c)
	var deltas []string
	for _, m := range c.Metrics {
		if d := fmt.Sprintf("%.3g", delta(c, m)); !slices.Contains(deltas, d) {
			deltas = append(deltas, d)
		}
	}
	text += "; delta " + strings.Join(deltas, ", ")
	if null, has := c.OfNull(); has {
		text += "; unless also " + asked(null)
	}
	return text
}

// asked is the sentence of a claim, without the deltas.
func asked(c record.Claim) string {
	metrics := strings.Join(c.Metrics, ", ")
	b := strings.Join(c.B, ", ")
	if c.Times != 0 {
		b = fmt.Sprintf("%g times %s", c.Times, b)
	}
	var text string
	switch {
	case c.Says == "":
		text = "it is not said"
	case len(c.B) == 0:
		text = fmt.Sprintf("%s %s %g in %s", c.A, c.Says, c.By, metrics)
	case c.Says == string(stats.Same):
		text = fmt.Sprintf("%s within %g of %s in %s", c.A, c.By, b, metrics)
	case c.By != 0:
		text = fmt.Sprintf("%s %s than %g %s %s in %s", c.A, either((c.Says == "above") == (c.By > 0), "more", "less"), math.Abs(c.By), either(c.By > 0, "above", "below"), b, metrics)
	default:
		text = fmt.Sprintf("%s %s %s in %s", c.A, c.Says, b, metrics)
	}
	if c.Of == ofDeviation {
		text = strings.Replace(text, " in ", " in the deviation of ", 1)
	}
	if c.Equal != "" {
		text += " at equal " + c.Equal
	}
	return text + map[string]string{"": ", at every setting", mostOf: ", at most settings", anyOf: ", at some setting", pooled: ", over all settings"}[c.Combine]
}

// either is the first word if a condition holds, else the second.
func either(holds bool, first, second string) string {
	if holds {
		return first
	}
	return second
}

// row is a setting's row and the head above it. A column whose text is the same in every row
// (the one metric, the one method) is left out.
func (v *Verdict) row(s *Setting) (head, row []string) {
	add := func(name, value string) { head, row = append(head, name), append(row, value) }
	side := func(name, label string, several bool, value stats.Interval) {
		if several {
			add(name, label)
			name = ""
		}
		add(name, analysis.IntervalText(value))
	}
	several := func(name func(Setting) string) bool {
		return slices.ContainsFunc(v.Settings, func(t Setting) bool { return name(t) != name(*s) })
	}
	add("setting", axesText(s.Axes))
	if len(v.Claim.Metrics) > 1 {
		add("metric", s.Metric)
	}
	side("a", s.A, several(func(t Setting) string { return t.a.Name }), s.ValueA)
	if s.B != "" {
		side("b", s.B, several(func(t Setting) string { return t.b.Name }), s.ValueB)
		add(v.effectName(), effectText(s.Effect, v.signed()))
	}
	add("answer", s.Outcome())
	return head, row
}

// Outcome is the setting's answer with its reason, or with the seeds that it needs.
func (s *Setting) Outcome() string {
	text := string(s.Answer)
	switch {
	case s.Reason != "":
		return text + ": " + s.Reason
	case s.Answer == stats.Undecided && s.Needs > 0:
		text += ", " + needsText(s.Needs, len(s.Contrast))
	case s.Small && signed(s.Answer):
		text += lessThanDelta
	}
	if s.LeftOut != "" {
		text += " (" + s.LeftOut + ")"
	}
	return text
}

// lessThanDelta follows a sign whose effect is surely too small to matter.
const lessThanDelta = ", by less than delta"

// signed reports whether an answer is a sign.
func signed(a stats.Answer) bool { return a == stats.Supported || a == stats.Opposed }

// needsText describes how many seeds are needed, given the present number. If a plan would have
// needed no more than these, the seeds were unlucky, or the effect lies between zero and delta.
func needsText(needs, have int) string {
	if needs <= have+1 {
		return fmt.Sprintf("needs more than %d seeds", have)
	}
	return fmt.Sprintf("needs %d seeds", needs)
}

// seeds are the most that a testable setting has.
func (v *Verdict) seeds() int {
	return each.Largest(v.testable(), func(s *Setting) int { return len(s.Contrast) })
}

// signed reports whether effects are differences.
func (v *Verdict) signed() bool {
	return len(v.Claim.B) > 0 && times(v.Claim) == 1 && v.Claim.Of != ofDeviation
}

// effectName names the quantity of the effects.
func (v *Verdict) effectName() string {
	switch {
	case v.Claim.Of == ofDeviation:
		return "sd a / sd b"
	case times(v.Claim) != 1:
		return "a / b"
	}
	return "a - b"
}

// Outcome is the answer to the claim in words, with the seeds that it needs or the settings
// that it is made of: "opposed (2 opposed, 4 undecided of 6)", "mixed: 3 of 8 supported, 1
// opposed, 4 no difference".
func (v *Verdict) Outcome() string {
	text := string(v.Answer)
	switch reason := v.reason(); {
	case reason != "":
		text += ": " + reason
	case v.Answer == stats.Undecided && v.Needs > 0:
		text += ", " + needsText(v.Needs, v.seeds())
	case signed(v.Answer):
		text += v.lessThanDelta()
	}
	words := v.counts()
	switch {
	case words == nil:
		return text
	case v.Answer == stats.Mixed:
		return text + ": " + strings.Replace(strings.Join(words, ", "), " ", fmt.Sprintf(" of %d ", len(v.Settings)), 1)
	}
	return text + fmt.Sprintf(" (%s of %d)", strings.Join(words, ", "), len(v.Settings))
}

// counts are how many settings have each answer, "3 supported"; nil if all have one answer.
func (v *Verdict) counts() (words []string) {
	for _, answer := range Answers {
		if n := v.Count(answer); n > 0 && n < len(v.Settings) {
			words = append(words, fmt.Sprintf("%d %s", n, strings.TrimSuffix(string(answer), " here")))
		}
	}
	return words
}

// lessThanDelta counts the settings with the claim's answer, a sign, whose effect is surely too
// small to matter; "" if there are no such settings.
func (v *Verdict) lessThanDelta() string {
	if v.Claim.Combine == pooled {
		return either(v.Among.NoDifference <= stats.Alpha, lessThanDelta, "")
	}
	small := each.Count(v.Settings, func(s Setting) bool { return s.Small && s.Answer == v.Answer })
	switch n := v.Count(v.Answer); small {
	case 0:
		return ""
	case n:
		return lessThanDelta
	default:
		return fmt.Sprintf(", at %d of %d by less than delta", small, n)
	}
}

// reason is the reason that all settings share; "" if they differ or have no reason.
func (v *Verdict) reason() string {
	if len(v.Settings) == 0 || slices.ContainsFunc(v.Settings, func(s Setting) bool { return s.Reason != v.Settings[0].Reason }) {
		return ""
	}
	return v.Settings[0].Reason
}

// Count is how many settings have that answer.
func (v *Verdict) Count(answer stats.Answer) int {
	return each.Count(v.Settings, func(s Setting) bool { return s.Answer == answer })
}

// Effect is the effect in words: at a single setting with its interval, or the least and the
// largest of several; "n/a" if it is undefined.
func (v *Verdict) Effect() string {
	var means []float64
	for _, s := range v.Settings {
		switch x := s.Effect.Mean; {
		case math.IsNaN(x):
		case math.Abs(x) < 1e-12: // rounding
			means = append(means, 0)
		default:
			means = append(means, x)
		}
	}
	unit := ""
	if len(v.Claim.B) > 0 && !v.signed() {
		unit = " times"
		if v.Claim.Of == ofDeviation {
			unit = " times the sd"
		}
	}
	switch {
	case len(means) == 0:
		return "n/a"
	case len(v.Settings) == 1:
		return effectText(v.Settings[0].Effect, v.signed()) + unit
	}
	format := "%.3g to %.3g%s (%d settings)"
	if v.signed() {
		format = "%+.3g to %+.3g%s (%d settings)"
	}
	return fmt.Sprintf(format, slices.Min(means), slices.Max(means), unit, len(v.Settings))
}

func effectText(i stats.Interval, sign bool) string {
	if math.IsNaN(i.Mean) {
		return "n/a"
	}
	mean, bounds := "%.3g", " [%.3g, %.3g]"
	if sign {
		mean, bounds = "%+.3g", " [%+.3g, %+.3g]"
	}
	text := fmt.Sprintf(mean, i.Mean)
	if width := i.High - i.Low; width-width == 0 { // the bounds of few seeds are infinite
		text += fmt.Sprintf(bounds, i.Low, i.High)
	}
	return text
}

func axesText(axes []record.Axis) string {
	words := each.Map(axes, func(a record.Axis) string { return a.Field[strings.IndexByte(a.Field, '.')+1:] + "=" + a.Value })
	if words == nil {
		return "all"
	}
	return strings.Join(words, " ")
}

// Label tells the i-th setting of the claim apart from its others: by the metric, the methods
// compared and the axes in which settings differ. Parts that all settings share are left out.
// The label of a single setting is its metric.
func (v *Verdict) Label(i int) string {
	s := &v.Settings[i]
	differ := func(part func(*Setting) string) bool {
		return slices.ContainsFunc(v.Settings, func(t Setting) bool { return part(&t) != part(s) })
	}
	var words []string
	if differ(func(t *Setting) string { return t.Metric }) {
		words = append(words, s.Metric)
	}
	if differ(func(t *Setting) string { return t.a.Name }) {
		words = append(words, s.a.Name)
	}
	if differ(func(t *Setting) string { return t.b.Name }) {
		words = append(words, "against "+s.b.Name)
	}
	for _, axis := range s.Axes {
		if differ(func(t *Setting) string { return valueOf(t.Axes, axis.Field) }) {
			words = append(words, axesText([]record.Axis{axis}))
		}
	}
	if words == nil {
		return s.Metric
	}
	return strings.Join(words, " ")
}

// valueOf is the value of a field, "" if the axes lack it.
func valueOf(axes []record.Axis, field string) string {
	for _, a := range axes {
		if a.Field == field {
			return a.Value
		}
	}
	return ""
}

// Papers lists whose claims the verdicts are on, in the order of the first of each, our own
// ones last.
func Papers(verdicts []Verdict) []string {
	var out []string
	for _, v := range verdicts {
		if paper := Paper(v.Claim); !slices.Contains(out, paper) {
			out = append(out, paper)
		}
	}
	if i := slices.Index(out, ourOwn); i >= 0 {
		out = append(slices.Delete(out, i, i+1), ourOwn)
	}
	return out
}

// OfPaper are the verdicts on the claims of a paper, by its name as Paper has it, in upper or
// lower case.
func OfPaper(verdicts []Verdict, paper string) []Verdict {
	return each.Where(verdicts, func(v Verdict) bool { return strings.EqualFold(Paper(v.Claim), paper) })
}

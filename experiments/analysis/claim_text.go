package analysis

import (
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// ClaimText is the table of a claim's settings, for a terminal.
func ClaimText(c record.Claim, settings []Setting) string {
	var b strings.Builder
	fmt.Fprintf(&b, "claim %s: %s", c.Name, c.Text)
	if c.Source != "" {
		fmt.Fprintf(&b, " (%s)", c.Source)
	}
	fmt.Fprintf(&b, "\n  gate: %s, on %s after training; a = %s", c.Gate, strings.Join(c.Metrics, ", "), c.A)
	if len(c.B) > 0 {
		fmt.Fprintf(&b, ", b = %s", strings.Join(c.B, ", "))
	}
	b.WriteString("\n")
	var rows [][]string
	for _, s := range settings {
		verdict := s.Reason
		switch {
		case verdict != "":
		case s.Holds:
			verdict = "yes"
		default:
			verdict = "no"
		}
		head, row := claimRow(c, settings, s, verdict)
		if rows == nil {
			rows = append(rows, head)
		}
		rows = append(rows, row)
	}
	b.WriteString(indent(alignColumns(rows)))
	if c.Paper != "" {
		fmt.Fprintf(&b, "  paper: %s\n", c.Paper)
	}
	b.WriteString("  " + holdsText(c, settings) + "\n")
	return b.String()
}

// holdsText says at how many settings a claim holds, and why others have no verdict.
func holdsText(c record.Claim, settings []Setting) string {
	holds, judged, few := 0, 0, 0
	oneSeed := len(settings) > 0
	for _, s := range settings {
		switch {
		case s.Reason == "":
			judged++
		case s.few():
			few++
		}
		if s.Holds {
			holds++
		}
		oneSeed = oneSeed && s.few() && s.seeds() == 1
	}
	if oneSeed {
		return "one seed: no interval, so no verdict\n  " + seedsReason
	}
	what := "settings"
	if len(c.Metrics) > 1 || len(c.B) > 1 {
		what = "comparisons" // of a metric, a setting and a method
	}
	text := fmt.Sprintf("holds at %d of %d %s", holds, len(settings), what)
	if judged < len(settings) {
		text += fmt.Sprintf(" (%d without a verdict)", len(settings)-judged)
	}
	if few > 0 {
		text += "\n  " + seedsReason
	}
	return text
}

// seedsReason says why a claim's verdict takes the seeds it takes.
var seedsReason = fmt.Sprintf("a claim's verdict takes %d seeds, as a test of one metric does: the least p of %d pairs is 2/2^%d = %.3g, above %v",
	stats.MinSeeds, stats.MinSeeds-1, stats.MinSeeds-1, 2/float64(int(1)<<(stats.MinSeeds-1)), stats.Alpha)

// sourceText says where a claim is from, and the paper's own numbers.
func sourceText(c record.Claim) string {
	if c.Source == "" || c.Paper == "" {
		return c.Source + c.Paper
	}
	return c.Source + ": " + c.Paper
}

// claimRow is a setting's row and the head above it; columns that would say the
// same in every row (the one metric, the one method) are left out.
func claimRow(c record.Claim, all []Setting, s Setting, verdict string) (head, row []string) {
	add := func(name, value string) { head, row = append(head, name), append(row, value) }
	side := func(name, label string, several bool, value stats.Interval) {
		if several {
			add(name, label)
			name = ""
		}
		add(name, intervalText(value))
	}
	add("setting", axesText(s.Axes))
	if len(c.Metrics) > 1 {
		add("metric", s.Metric)
	}
	side("a", s.A, slices.ContainsFunc(all, func(t Setting) bool { return t.a.Name != s.a.Name }), s.ValueA)
	if s.B != "" {
		side("b", s.B, slices.ContainsFunc(all, func(t Setting) bool { return t.b.Name != s.b.Name }), s.ValueB)
	}
	add("holds", verdict)
	return head, row
}

func axesText(axes []record.Axis) string {
	var words []string
	for _, a := range axes {
		words = append(words, a.Field[strings.IndexByte(a.Field, '.')+1:]+"="+a.Value)
	}
	if words == nil {
		return "all"
	}
	return strings.Join(words, " ")
}

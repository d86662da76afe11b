package analysis

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/internal/table"
	"modebench/metrics/stats"
)

// CompareText is the comparison for a terminal: one table of metrics by variant or,
// of a single metric, one row for each variant. Variants whose rows are all the same on
// both sides are counted and not shown, unless all is asked for.
func CompareText(c *Comparison, all bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "old: %s\nnew: %s\n%s\n", c.Old, c.New, c.legend())
	shown := c.shown(all)
	blank := ""
	if len(shown.Variants) > 0 {
		b.WriteString(shown.table())
		blank = "\n"
	}
	if text := c.unshown(); !all && text != "" {
		b.WriteString(blank + text)
	}
	b.WriteString(c.remarks())
	return b.String()
}

// shown has the variants that differ, or all.
func (c *Comparison) shown(all bool) *Comparison {
	shown := *c
	if !all {
		shown.Variants = slices.DeleteFunc(slices.Clone(c.Variants), func(v VariantComparison) bool { return v.same() })
	}
	return &shown
}

// table is the table of all variants.
func (c *Comparison) table() string {
	text := c.grid().Text()
	if len(c.Metrics) == 1 {
		text += c.notes()
	}
	return text
}

// CompareLaTeX is the table of CompareText for a paper, with the rules of booktabs.
func CompareLaTeX(c *Comparison, all bool) string {
	return c.shown(all).grid().LaTeX(fmt.Sprintf("old: %s\nnew: %s\n%s", c.Old, c.New, c.legend()))
}

// grid has a row for each metric, of several below a heading for each variant.
func (c *Comparison) grid() table.Grid {
	name, single := "  metric", len(c.Metrics) == 1
	if single {
		name = c.Metrics[0]
	}
	g := table.Grid{{name, "old", "new", "delta", "p", "P(new>old)"}}
	for i := range c.Variants {
		v := &c.Variants[i]
		if !single {
			g = append(g, []string{v.Label() + ": " + v.note()})
		}
		for j := range v.Metrics {
			name := v.Label()
			if !single {
				name = "  " + v.Metrics[j].Metric
			}
			g = append(g, append([]string{name}, v.Metrics[j].cells()...))
		}
	}
	return g
}

// legend explains the columns.
func (c *Comparison) legend() string {
	mean, delta := "mean", "new - old"
	if c.Statistic == StatisticIQM {
		mean = "interquartile mean (IQM)"
		if pairs, _ := c.need(defined(true)); pairs > 0 {
			delta = "IQM of new - old by seed"
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s over seeds after training; ~: not significant at level %v\n", mean, stats.Alpha)
	if c.nested() || c.mixed() {
		b.WriteString("where seeds are nested, a seed below is a draw of problems: the values of its seeds are averaged first\n")
	}
	fmt.Fprintf(&b, "delta: %s [95%% interval, each metric alone]\n", delta)
	for _, paired := range []bool{true, false} {
		need, seeds := c.need(defined(paired))
		if need == 0 {
			continue
		}
		test, sides := "sign-flip test on the differences by seed", ""
		if !paired {
			test, sides = "U-test, seeds unpaired", " a side"
		}
		fmt.Fprintf(&b, "p: %s, corrected for the metrics of a variant (Holm); a verdict takes %s seeds%s\n", test, seeds, sides)
	}
	b.WriteString("P(new>old): chance that a seed of new is above one of old, ties half [95% interval]\n")
	return b.String()
}

// need is the largest Need of the comparisons that count, 0 without any, and the least and the
// largest as text: "6 to 8".
func (c *Comparison) need(counts func(MetricComparison) bool) (largest int, seeds string) {
	least := math.MaxInt
	for i := range c.Variants {
		for _, m := range c.Variants[i].Metrics {
			if counts(m) {
				least, largest = min(least, m.Need), max(largest, m.Need)
			}
		}
	}
	if least < largest {
		return largest, fmt.Sprintf("%d to %d", least, largest)
	}
	return largest, fmt.Sprint(largest)
}

// defined selects the paired (or unpaired) comparisons that have values.
func defined(paired bool) func(MetricComparison) bool {
	return func(m MetricComparison) bool { return m.Paired == paired && m.Verdict != VerdictUndefined }
}

// whySeeds explains why a verdict takes as many seeds as it does, if a paired (or unpaired)
// comparison has fewer; "" if every comparison has enough.
func (c *Comparison) whySeeds(paired bool) string {
	underpowered := func(m MetricComparison) bool { return m.Paired == paired && m.Verdict == VerdictUnderpowered }
	largest, seeds := c.need(underpowered)
	if largest == 0 {
		return ""
	}
	tests := 0 // made together with one of these
	for i := range c.Variants {
		if list := c.Variants[i].Metrics; slices.ContainsFunc(list, underpowered) {
			tests = max(tests, len(slices.DeleteFunc(slices.Clone(list), func(m MetricComparison) bool { return m.Verdict == VerdictUndefined })))
		}
	}
	smallest := "2/2^n of n pairs"
	if !paired {
		smallest = "2/C(2n,n) of n seeds a side"
	}
	text := fmt.Sprintf("why %s seeds: so that the least p, %s, is below %v", seeds, smallest, stats.Alpha)
	if tests > 1 {
		text += fmt.Sprintf(" after correction for %d metrics", tests)
	}
	switch {
	case largest > stats.MinSeeds:
		return fmt.Sprintf("%s (of one: %d)\n", text, stats.MinSeeds)
	case !paired:
		return fmt.Sprintf("%s; %d in any case\n", text, stats.MinSeeds)
	}
	return text + "\n"
}

// cells are the columns of a row behind its name.
func (m *MetricComparison) cells() []string {
	decimals := m.decimals()
	value := table.Digits{Decimals: decimals, Missing: "n/a"}.Text
	signed := func(x float64) string {
		text := fmt.Sprintf("%+.*f", decimals, x)
		if x != 0 && strings.Trim(text, "+-.0") == "" {
			return fmt.Sprintf("%+.1e", x)
		}
		return text
	}
	delta := "n/a"
	switch {
	case m.Verdict == VerdictSame:
		delta = "0"
	case finite(m.Delta.Low) && finite(m.Delta.High):
		delta = fmt.Sprintf("%s [%s, %s]", signed(m.Delta.Mean), signed(m.Delta.Low), signed(m.Delta.High))
	case finite(m.Delta.Mean):
		delta = signed(m.Delta.Mean)
	}
	improvement := "n/a"
	switch i := m.Improvement; {
	case m.Verdict == VerdictSame:
		improvement = "0.50"
	case finite(i.Mean):
		improvement = fmt.Sprintf("%.2f [%.2f, %.2f]", i.Mean, i.Low, i.High)
	}
	return []string{value(m.Old.Mean), value(m.New.Mean), delta, m.verdictText(), improvement}
}

// decimals is how many a row shows: three, or as many as its delta takes to show
// two digits, up to six.
func (m *MetricComparison) decimals() int {
	scale := math.Abs(m.Delta.Mean)
	if width := m.Delta.High - m.Delta.Low; finite(width) {
		scale = max(scale, width)
	}
	decimals := 3
	for unit := 0.01; decimals < 6 && scale > 0 && scale < unit; unit /= 10 {
		decimals++
	}
	return decimals
}

// verdictText is the cell of p.
func (m *MetricComparison) verdictText() string {
	n := "n=" + m.nText()
	p := fmt.Sprintf("p=%.3f", m.P)
	if m.P < 0.0005 {
		p = "p<0.001"
	}
	switch m.Verdict {
	case VerdictUndefined:
		return "n/a"
	case VerdictSame:
		return fmt.Sprintf("same (%s)", n)
	case VerdictUnderpowered:
		return fmt.Sprintf("underpowered, need %d (%s)", m.Need, n)
	case VerdictUnclear:
		return fmt.Sprintf("~ (%s %s)", p, n)
	}
	return fmt.Sprintf("(%s %s)", p, n)
}

// remarks are the lines below the table: the variants of one side alone, and the way out if
// seeds are too few.
func (c *Comparison) remarks() string {
	var b strings.Builder
	for _, list := range []struct {
		heading string
		names   []string
	}{{"only in old", c.OnlyOld}, {"only in new", c.OnlyNew}, {"not in the records of both", c.LeftOut}} {
		if list.names != nil {
			fmt.Fprintf(&b, "%s: %s\n", list.heading, strings.Join(list.names, "; "))
		}
	}
	if metric := c.underpowered(); metric != "" {
		for _, paired := range []bool{true, false} {
			b.WriteString(c.whySeeds(paired))
		}
		b.WriteString("too few seeds for a verdict: run more (bench run SPEC --seeds N)")
		if len(c.Metrics) > 1 {
			b.WriteString(" or compare fewer metrics (--metric)")
		}
		fmt.Fprintf(&b, ";\nbench compare OLD NEW --metric %s --detect 0.05 counts the seeds that show a difference of 0.05\n", metric)
	}
	if b.Len() > 0 {
		return "\n" + b.String()
	}
	return ""
}

// underpowered is the first metric that has too few seeds for a verdict; "" if none.
func (c *Comparison) underpowered() string {
	for i := range c.Variants {
		for _, m := range c.Variants[i].Metrics {
			if m.Verdict == VerdictUnderpowered {
				return m.Metric
			}
		}
	}
	return ""
}

// CompareJSON is the comparison as one JSON document. A difference above 0 adds the number of
// seeds that show it. The fields are
//
//	old, new    dir, spec, label ("" for all variants)
//	statistic   mean or iqm; "mean" in the rows is this statistic
//	alpha       level of the verdicts
//	rows        one for each variant and metric:
//	  variant, metric, n, paired
//	  old, new     variant, n, mean, low, high
//	  delta, improvement   mean, low, high
//	  p            after correction; null with fewer seeds than need
//	  need         fewest seeds of a verdict
//	  verdict      same, moved, unclear, underpowered or undefined
//	  detect       difference, deviation, seeds, detectable; only if asked for
//	only_old, only_new   labels without a counterpart
//	left_out    columns of new that the records of old lack
//	warnings    differences in measurement between the two sides
//
// Numbers that are not finite are null.
func CompareJSON(c *Comparison, difference float64) ([]byte, error) {
	var rows []table.Object
	for i := range c.Variants {
		v := &c.Variants[i]
		for j := range v.Metrics {
			m := &v.Metrics[j]
			row := table.Object{
				{"variant", v.Label()}, {"metric", m.Metric}, {"n", m.N()}, {"paired", m.Paired},
				{"old", append(table.Object{{"variant", v.Old.Label}, {"n", m.Old.N}}, bounds(m.Old)...)},
				{"new", append(table.Object{{"variant", v.New.Label}, {"n", m.New.N}}, bounds(m.New)...)},
				{"delta", bounds(m.Delta)}, {"improvement", bounds(m.Improvement)}, {"p", m.P}, {"need", m.Need}, {"verdict", m.Verdict},
			}
			if difference > 0 {
				p := m.plan(difference)
				seeds := any(p.Seeds)
				if p.Seeds == 0 {
					seeds = nil
				}
				row = append(row, table.Member{"detect", table.Object{{"difference", difference}, {"deviation", p.Deviation}, {"seeds", seeds}, {"detectable", p.Detectable}}})
			}
			rows = append(rows, row)
		}
	}
	data, err := json.MarshalIndent(table.Object{
		{"old", c.Old.object()}, {"new", c.New.object()}, {"statistic", c.Statistic}, {"alpha", stats.Alpha}, {"rows", rows},
		{"only_old", c.OnlyOld}, {"only_new", c.OnlyNew}, {"left_out", c.LeftOut}, {"warnings", c.Warnings()},
	}, "", "  ")
	return append(data, '\n'), err
}

func (s Side) object() table.Object {
	return table.Object{{"dir", s.Run.Dir}, {"spec", s.Run.Spec}, {"label", s.Label}}
}

func bounds(i stats.Interval) table.Object {
	return table.Object{{"mean", i.Mean}, {"low", i.Low}, {"high", i.High}}
}

package analysis

import (
	"fmt"
	"slices"
	"strings"

	"modebench/internal/plural"
)

// same reports that no metric of the variant differs, so that there is nothing to show. A
// metric that neither side has does not differ.
func (v *VariantComparison) same() bool {
	return !slices.ContainsFunc(v.Metrics, func(m MetricComparison) bool {
		return m.Verdict != VerdictSame && (m.Verdict != VerdictUndefined || m.Old.N+m.New.N > 0)
	})
}

// unshown counts and names the variants that CompareText leaves out. If settings differ, it
// names them: that a setting changed no metric is a finding.
func (c *Comparison) unshown() string {
	var names, notes, methods []string
	rows := 0
	touched := false
	for i := range c.Variants {
		v := &c.Variants[i]
		if !v.same() {
			continue
		}
		rows += len(v.Metrics)
		if !slices.Contains(methods, v.New.Name) {
			methods = append(methods, v.New.Name)
		}
		note := "no setting differs"
		if differ := v.touching(); len(differ) > 0 {
			touched, note = true, "differs in "+differencesText(differ, textWidth-len(v.Label()))
		}
		names, notes = append(names, v.Label()), append(notes, note)
	}
	if rows == 0 {
		return ""
	}
	text := fmt.Sprintf("%s of %s are the same in both: not shown, --all shows them", plural.Of(rows, "row"), plural.Of(len(methods), "method"))
	if rows == 1 {
		text = "1 row of 1 method is the same in both: not shown, --all shows it"
	}
	if !touched {
		return fmt.Sprintf("%s (%s)\n", text, listUpTo(names, max(40, textWidth-len(text)-len(" ()"))))
	}
	return text + "\n  " + strings.Join(grouped(names, notes), "\n  ") + "\n"
}

// touching are the settings that differ and might have changed a metric. Settings of training
// cannot change a method that does not train.
func (v *VariantComparison) touching() []FieldDifference {
	return slices.DeleteFunc(slices.Concat(v.Measured, v.worthSaying()), func(d FieldDifference) bool {
		return !v.Old.Trains && !v.New.Trains && strings.HasPrefix(d.Field, "train.")
	})
}

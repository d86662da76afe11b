package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"modebench/internal/each"
	"modebench/internal/plural"
)

// textWidth is the width that tables and notes should not exceed.
const textWidth = 120

// note describes how a variant's seeds are compared and how its two sides differ.
func (v *VariantComparison) note() string {
	text := v.seeds()
	switch {
	case v.SameCells():
		return text + "; the same cells on both sides"
	case len(v.worthSaying()) > 0:
		text += "; differs in "
		text += differencesText(v.worthSaying(), textWidth-len(v.Label())-len(text)-len(": and 99 more"))
	}
	return text
}

// worthSaying are the settings that were chosen differently. The method is left out if the
// labels name it.
func (v *VariantComparison) worthSaying() []FieldDifference {
	inLabel := v.Old.Label != v.New.Label && v.Old.Name == v.Old.Method && v.New.Name == v.New.Method
	return slices.DeleteFunc(slices.Clone(v.Chosen), func(d FieldDifference) bool { return inLabel && d.Field == "method" })
}

// seeds describes which seeds are compared, and how.
func (v *VariantComparison) seeds() string {
	old, new := seedsOf(v.old), seedsOf(v.new)
	paired, common, _ := pairSeeds(old, new)
	shared, units, nested := plural.Count(len(common), "seed"), v.units, v.units != [2]string{}
	if nested {
		shared = plural.Count(len(common), "draw") + " of problems"
	}
	if units[1] = cmp.Or(units[1], plural.Count(len(new), "seed")); nested {
		units[0] = cmp.Or(units[0], plural.Count(len(old), "seed"))
	} else {
		units[0] = fmt.Sprint(len(old)) // of the same noun
	}
	switch {
	case slices.Equal(old, new) && (!nested || units[0] == units[1]):
		return units[1] + ", paired"
	case paired && !nested:
		return fmt.Sprintf("paired by the %s that both have, of %d and %d", shared, len(old), len(new))
	case paired:
		return fmt.Sprintf("paired by the %s that both have, of %s and %s", shared, units[0], units[1])
	}
	return fmt.Sprintf("unpaired, %s and %s", units[0], units[1])
}

func seedsOf(finals []final) []int {
	seeds := each.Map(finals, func(f final) int { return f.seed })
	slices.Sort(seeds)
	return seeds
}

// notes are the notes of all variants, equal ones on one line.
func (c *Comparison) notes() string {
	var names, texts []string
	for i := range c.Variants {
		names, texts = append(names, c.Variants[i].Label()), append(texts, c.Variants[i].note())
	}
	return strings.Join(grouped(names, texts), "\n") + "\n"
}

// nText is the number of seeds compared, of each side if they are not paired.
func (m *MetricComparison) nText() string {
	if m.Paired || m.Verdict == VerdictUndefined {
		return fmt.Sprint(m.N())
	}
	return fmt.Sprintf("%d+%d", m.Old.N, m.New.N)
}

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
	text := fmt.Sprintf("%s of %s are the same in both: not shown, --all shows them", plural.Count(rows, "row"), plural.Count(len(methods), "method"))
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

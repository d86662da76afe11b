package claims

import (
	"slices"
	"strings"

	"modebench/experiments/record"
)

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
	var out []Verdict
	for _, v := range verdicts {
		if strings.EqualFold(Paper(v.Claim), paper) {
			out = append(out, v)
		}
	}
	return out
}

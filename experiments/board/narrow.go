package board

import (
	"slices"
	"strings"

	"modebench/experiments/spec"
)

// gridGroup is how many rollouts a group has for which all values of the grid do.
const gridGroup = 16

// small reports whether groups are of fewer rollouts.
func (t Task) small() bool { return t.Group < gridGroup }

// narrow is the grid for a task whose groups are too small for some values of knobs, which are
// left out. A method fits if one value does. A method whose default does not fit moves from
// unfit to fit if another value fits.
func (t Task) narrow(g *Grid, fit []string, unfit []Unfit, opt spec.LoadOptions) (*Grid, []string, []Unfit) {
	narrowed := *g
	narrowed.Methods = slices.Clone(g.Methods)
	still := slices.Clone(unfit)
	for i := range narrowed.Methods {
		r := &narrowed.Methods[i]
		fits := slices.Contains(fit, r.Name)
		if r.Knob == "" || !fits && !slices.ContainsFunc(unfit, func(u Unfit) bool { return u.Method == r.Name }) {
			continue
		}
		var values []any
		var first error
		for _, value := range r.Values {
			probe := entry(r.Name, setting(g.Rates[t.board()].Alone[0], r.assignments(value)), 1)
			if _, err := t.Specs(t.Evaluation(), []Entry{probe}, opt); err == nil {
				values = append(values, value)
			} else if first == nil {
				first = err
			}
		}
		switch {
		case values != nil && !fits:
			fit = append(fit, r.Name)
			still = slices.DeleteFunc(still, func(u Unfit) bool { return u.Method == r.Name })
		case values == nil && fits:
			_, why, _ := strings.Cut(first.Error(), ": ") // which begins with a line of our text
			fit = slices.DeleteFunc(fit, func(n string) bool { return n == r.Name })
			still = append(still, Unfit{r.Name, why})
		}
		if values != nil {
			r.Values = values
		}
	}
	return &narrowed, fit, still
}

// NeedsLabels begins the reason why a method cannot enter a task without labels.
const NeedsLabels = "it needs labels: "

// refuses explains why a method that is set up on the task cannot enter; "": it can.
func (t Task) refuses(p *spec.Setup) string {
	if !t.LabelFree || !p.ReadsRewards() {
		return ""
	}
	return NeedsLabels + "training reads correctness or rewards"
}

// refusesAll is refuses of the variants of a spec.
func (t Task) refusesAll(s *spec.Spec) (string, error) {
	for _, v := range s.Variants {
		p, err := v.Setup()
		if err != nil {
			return "", err
		}
		if why := t.refuses(p); why != "" {
			return why, nil
		}
	}
	return "", nil
}

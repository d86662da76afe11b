package spec

import (
	"slices"

	"modebench/estimators"
	"modebench/experiments/record"
)

// apply gives the spec the design's seeds, counted from its own first one: a spec whose cells
// another spec has at the same seeds begins at seeds that are new.
func (g *Design) apply(s *Spec) {
	if g == nil {
		return
	}
	s.Name += g.Suffix
	s.FirstSeed += g.FirstSeed
	s.Seeds, s.Nested = g.Seeds, g.Nested
}

// prune leaves out variants that no claim is about, and figures that would show nothing else.
func (g *Design) prune(s *Spec) {
	if g == nil || len(s.Claims) == 0 {
		return
	}
	claimed := map[string]bool{}
	for _, c := range s.Claims {
		for _, name := range c.Names() {
			for _, v := range record.Named(s.records(), name) {
				claimed[v.Label] = true
			}
		}
	}
	s.Variants = slices.DeleteFunc(s.Variants, func(v *Variant) bool {
		method, err := estimators.Lookup(v.Method)
		return !claimed[v.Label] && (err != nil || !method.Optimum)
	})
	s.recordsSoFar = nil
	labels := s.labels()
	s.Figures = slices.DeleteFunc(s.Figures, func(fig record.Figure) bool {
		return !slices.ContainsFunc(s.Variants, func(v *Variant) bool { return fig.Shows(v.Record()) }) ||
			len(fig.Panel) > 0 && !slices.ContainsFunc(fig.Panel, func(label string) bool { return slices.Contains(labels, label) })
	})
	for i := range s.Figures {
		s.Figures[i].Panel = slices.DeleteFunc(s.Figures[i].Panel, func(label string) bool { return !slices.Contains(labels, label) })
	}
}

// optimum adds the method to those of the spec, unless it is among them.
func (g *Design) optimum(methods []methodGrid) []methodGrid {
	exact := slices.IndexFunc(estimators.Methods(), func(m estimators.Method) bool { return m.Optimum })
	if g == nil || exact < 0 || slices.ContainsFunc(methods, func(m methodGrid) bool { return m.method.Optimum }) {
		return methods
	}
	method := estimators.Methods()[exact]
	return append(methods, methodGrid{method: method, name: method.Name, added: true, table: methods[0].table})
}

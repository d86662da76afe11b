package spec

import (
	"slices"

	"modebench/estimators"
)

// apply gives the spec the design's seeds.
func (g *Design) apply(s *Spec) {
	if g == nil {
		return
	}
	s.Name += g.Suffix
	s.FirstSeed, s.Seeds, s.Nested = g.FirstSeed, g.Seeds, g.Nested
}

// optimum adds the method to those of the spec, unless it is among them.
func (g *Design) optimum(methods []methodGrid) []methodGrid {
	exact := slices.IndexFunc(estimators.Methods(), func(m estimators.Method) bool { return m.Optimum })
	if g == nil || exact < 0 || slices.ContainsFunc(methods, func(m methodGrid) bool { return m.method.Optimum }) {
		return methods
	}
	method := estimators.Methods()[exact]
	return append(methods, methodGrid{method: method, name: method.Name, added: true, prefix: methods[0].prefix})
}

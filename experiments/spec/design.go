package spec

import (
	"slices"

	"modebench/estimators"
	"modebench/experiments/record"
)

// A Design says on which seeds the claims of a spec are studied, in place of the spec's own.
// It adds the exact optimum (method optimum) to a spec that does not measure it, at every
// setting of environment, policy and evaluation where that can be done: where two methods
// both reach it, a claim cannot be tested. Labels and cells of other variants stay as they
// are.
type Design struct {
	Suffix    string // of the name that the spec has then
	FirstSeed int
	Seeds     int           // 1 or more
	Nested    record.Nested // as Spec.Nested
}

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

package spec

import (
	"fmt"
	"slices"

	"modebench/estimators"
	"modebench/experiments/record"
	"modebench/internal/params"
)

// This file is about seeds that have draws of problems and base policies of their own:
//
//	nested = [4, 2]
//
// Four seeds in turn share a draw, two of them a base policy. nestedFields alone computes the
// fields of a seed beside the parameters of its variant.

// The fields for the draw and the base policy of a cell.
const (
	drawField = "env_seed"
	baseField = "pretrain_seed"
)

func nestedOf(n record.Nested) (record.Nested, error) {
	switch len(n) {
	case 0:
		return nil, nil
	case 1:
		n = record.Nested{n[0], n[0]}
	}
	if err := n.Check(); err != nil {
		return nil, params.Errorf("nested", "%w", err)
	}
	return n, nil
}

// nestedFields are a seed's own parameters; without a base policy there is one less.
func nestedFields(n record.Nested, policy Policy, seed int) []assignment {
	if n == nil {
		return nil
	}
	fields := []assignment{{part: "env", field: drawField, value: int64(n.Draw(seed))}}
	if hasBaseSeed(policy) {
		fields = append(fields, assignment{part: "policy", field: baseField, value: int64(n.Base(seed))})
	}
	return fields
}

func hasBaseSeed(policy Policy) bool {
	_, ok := params.Lookup(policy, baseField)
	return ok
}

// checkNested refuses a draw, or a base policy, that a table names beside nested.
func (d document) checkNested(s *Spec, table *node, field string) error {
	if n := table.get(field); n != nil && s.Nested != nil {
		return d.errorf(n, "field %q: nested gives each group of seeds a value of its own; leave out the field, or nested", field)
	}
	return nil
}

// noteNested notes a spec in which the second number of nested makes no difference.
func (d document) noteNested(s *Spec) {
	if s.Nested == nil || s.Nested[0] == s.Nested[1] || hasBaseSeed(d.kind.config("")) {
		return
	}
	s.Notes = append(s.Notes, fmt.Sprintf("nested: the second number, %d, makes no difference: policy %s has no base policy that is trained", s.Nested[1], d.kind.name))
}

// SeedNumbers lists the spec's seeds in order.
func (s *Spec) SeedNumbers() []int {
	out := make([]int, s.Seeds)
	for i := range out {
		out[i] = s.FirstSeed + i
	}
	return out
}

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

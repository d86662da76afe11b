package spec

import (
	"errors"
	"fmt"
	"slices"
)

// An expansion is what the variants of one environment are made of.
type expansion struct {
	spec     *Spec
	base     Variant
	settings []axis // of environment, policy and evaluation
	training []axis
	methods  []methodGrid
	seen     seen // over all environments
}

// seen are the variants so far.
type seen struct {
	cells  map[string]standing // by cell
	labels map[string]bool
}

// A standing is a variant's label and its place in the spec.
type standing struct {
	label string
	table *node
}

// size is the number of variants, equal ones counted twice, or some number above
// MaxVariants.
func (e *expansion) size() int {
	total := 0
	for _, m := range e.methods {
		total += combinations(slices.Concat(e.settings, e.training, m.fields.axes, m.train.axes, m.eval.axes))
	}
	return total
}

// expand lists the variants: settings outermost, then methods, then the fields
// of each method. A method that does not train ignores the axes of training,
// so it stands once where others stand once per value.
func (d document) expand(e expansion) error {
	outer := slices.Concat(e.settings, e.training)
	var failure error
	product(outer, func(values []any) {
		for _, m := range e.methods {
			axes, at := outer, values
			if !m.method.Trains {
				axes, at = outer[:len(e.settings)], values[:len(e.settings)]
			}
			overridden := e.base
			if m.policy != nil && m.policy.name != e.base.policy {
				overridden.policy = m.policy.name
				overridden.set = withoutPolicy(e.base.set)
				axes, at = withoutPolicyAxes(axes, at)
			}
			overridden.Name, overridden.Method, overridden.Trains = m.name, m.method.Name, m.method.Trains
			v := overridden.at(without(axes, at, m.train))
			if !m.method.Trains {
				v.set = append(v.set, firsts(e.training)...)
			}
			v.set = slices.Concat(v.set, m.train.fixed, m.eval.fixed, m.fields.fixed)
			own := slices.Concat(m.fields.axes, m.train.axes, m.eval.axes)
			product(own, func(values []any) {
				w := v.at(own, values)
				if failure == nil {
					failure = d.add(e.spec, w, m, e.seen)
				}
			})
		}
	})
	return failure
}

// MaxVariants bounds a grid: a spec of more is a mistake, or should be several.
const MaxVariants = 10000

// combinations counts the points of a grid, or gives MaxVariants+1 if there are more.
func combinations(axes []axis) int {
	n := 1
	for _, a := range axes {
		n = min(n*len(a.values), MaxVariants+1)
	}
	return n
}

// without applies a method's own training fields to the axes of the spec. An axis that the
// method lists values for is left out. One that it fixes takes the method's value, so that
// the label shows the value that the variant runs at.
func without(axes []axis, values []any, override grid) ([]axis, []any) {
	var outAxes []axis
	var outValues []any
	for i, a := range axes {
		if slices.ContainsFunc(override.axes, func(o axis) bool { return o.part == a.part && o.field == a.field }) {
			continue
		}
		value := values[i]
		for _, o := range override.fixed {
			if o.part == a.part && o.field == a.field {
				value, a.at, a.values = o.value, o.at, []any{o.value}
			}
		}
		outAxes, outValues = append(outAxes, a), append(outValues, value)
	}
	return outAxes, outValues
}

// withoutPolicy leaves out what [policy] says: it is of another kind of policy.
func withoutPolicy(set []assignment) []assignment {
	return slices.DeleteFunc(slices.Clone(set), func(a assignment) bool { return a.part == "policy" })
}

func withoutPolicyAxes(axes []axis, values []any) (outAxes []axis, outValues []any) {
	for i, a := range axes {
		if a.part != "policy" {
			outAxes, outValues = append(outAxes, a), append(outValues, values[i])
		}
	}
	return outAxes, outValues
}

// firsts sets every axis to its first value, without naming it.
func firsts(axes []axis) []assignment {
	var out []assignment
	for _, a := range axes {
		out = append(out, a.take(a.values[0]))
	}
	return out
}

// add checks a variant by building it and appends it, unless the spec has it
// already (a method without training stands once, however many rates there are).
func (d document) add(s *Spec, v *Variant, m methodGrid, seen seen) error {
	if err := d.plugins.ctx.Err(); err != nil { // of reading the spec
		return err
	}
	v.Label = v.label()
	p, at := v.build()
	if at != nil && m.added {
		return nil
	}
	if at != nil && at.unfit && (m.star || m.policy != nil) {
		s.LeftOut = append(s.LeftOut, LeftOut{v.Name, v.Env, errors.Unwrap(at.err).Error()})
		return nil
	}
	if at != nil {
		return d.errorf(d.placeOf(at, v, m), "%w", at.err)
	}
	info := p.Env.Info()
	v.components, v.variants, v.votes = len(info.Components), info.Variants, info.Votes
	v.assess(p)
	id, err := d.identity(p, v)
	if err != nil {
		return d.errorf(m.table, "%w", err)
	}
	if first, ok := seen.cells[id]; ok {
		switch {
		case m.added || first == standing{v.Label, m.table}:
			return nil
		case first.label == v.Label:
			return d.errorf(m.table, "%q is given twice, with the same values", v.Label)
		case d.adapted:
			s.Notes = append(s.Notes, fmt.Sprintf("%q is left out: here it is the same as %q", v.Label, first.label))
			return nil
		}
		return d.errorf(m.table, "the variant %q is the same as %q", v.Label, first.label)
	}
	if seen.labels[v.Label] {
		return d.errorf(m.table, "two variants are labelled %q; list the values they differ in as one field, or give one of them a label", v.Label)
	}
	seen.cells[id], seen.labels[v.Label] = standing{v.Label, m.table}, true
	s.Variants = append(s.Variants, v)
	return nil
}

// placeOf returns where the spec has what a variant cannot be built with.
func (d document) placeOf(at *placedError, v *Variant, m methodGrid) *node {
	switch {
	case at.policy && m.policy != nil:
		return m.table.place("policy")
	case at.field != nil:
		return at.field
	case at.part == "env":
		return v.envTable
	case at.part == "method":
		return m.table
	}
	return d.root.place(at.part)
}

// identity is what tells a variant from others: its cell. Under a policy that the spec was
// not written for, idle fields of the environment tell none apart.
func (d document) identity(p *Setup, v *Variant) (string, error) {
	cell := p.Cell(0)
	for _, a := range v.set {
		if d.adapted && a.part == "env" && v.idle[a.at] != "" {
			delete(cell.Env.Params, a.field)
		}
	}
	return cell.ID()
}

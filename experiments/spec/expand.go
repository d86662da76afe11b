package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"modebench/internal/each"
	"modebench/internal/nearest"
	"modebench/internal/params"
)

// An expansion has the parts of the variants of one environment.
type expansion struct {
	spec     *Spec
	base     Variant
	settings []axis // of environment, policy, evaluation and training
	methods  []methodGrid
	expanded variantsSoFar // over all environments
}

type variantsSoFar struct {
	cells  map[string]standing // by cell
	labels map[string]bool
}

// A standing is a variant's label and its place in the spec.
type standing struct {
	label string
	table *node
}

// MaxVariants bounds a grid: a spec of more is a mistake, or should be several.
const MaxVariants = 10000

// size counts the variants, equal ones twice; above MaxVariants it may be too small.
func (e *expansion) size() int {
	total := 0
	for _, m := range e.methods {
		total += combinations(slices.Concat(e.settings, m.axes()))
	}
	return total
}

// expand lists the variants: settings outermost, then methods, then the fields of each method.
func (d document) expand(e expansion) error {
	for _, shared := range product(e.settings) {
		for _, m := range e.methods {
			set, first := m.heeded(shared, e.base.policy)
			if !first {
				continue
			}
			base := e.base
			base.Name, base.Method, base.Trains = m.name, m.method.Name, m.method.Trains
			if m.policy != nil {
				base.policy = m.policy.name
			}
			for _, own := range product(m.axes()) {
				if err := d.add(e.spec, base.with(slices.Concat(set, own)), m, e.expanded); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (m methodGrid) axes() []axis { return slices.Concat(m.fields, m.train, m.eval) }

// heeded returns those of the spec's assignments that hold for the method. A method that does not
// train ignores the values of an axis of training, a method with another policy those of [policy],
// and a method with values of its own those of the spec. first reports whether shared has the first
// of the ignored values: the result is the same for all of them.
func (m methodGrid) heeded(shared []assignment, policy string) (set []assignment, first bool) {
	foreign := m.policy != nil && m.policy.name != policy
	for _, a := range shared {
		override := m.instead(a)
		dropped := foreign && a.part == "policy" || override != nil && override.named
		untrained := !m.method.Trains && a.needsTraining()
		if a.index > 0 && (dropped || untrained || override != nil) {
			return nil, false
		}
		switch {
		case untrained:
			a.named = false
		case dropped:
			continue
		case override != nil: // the label shows the value that the variant runs at
			a = override.take(0)
			a.named = true
		}
		set = append(set, a)
	}
	return set, true
}

// needsTraining reports whether the field is without effect on a method that does not train.
func (a assignment) needsTraining() bool {
	return a.part == "train" || a.part == "eval" && a.field == "interpolate"
}

// instead returns the method's own values for an axis of the spec, or nil.
func (m methodGrid) instead(a assignment) *axis {
	for i, own := range m.train {
		if a.named && a.part == own.part && a.field == own.field {
			return &m.train[i]
		}
	}
	return nil
}

// add checks a variant by building it and appends it, unless the spec has it already.
func (d document) add(s *Spec, v *Variant, m methodGrid, soFar variantsSoFar) error {
	if err := d.plugins.ctx.Err(); err != nil { // of reading the spec
		return err
	}
	v.Label = v.label()
	p, mistake := v.build()
	if mistake != nil {
		return d.refuse(s, v, m, mistake)
	}
	info := p.Env.Info()
	v.components, v.variants, v.votes = len(info.Components), info.Variants, info.Votes
	v.assess(p)
	id, err := d.identity(p, v)
	if err != nil {
		return d.errorf(m.table, "%w", err)
	}
	first, twice := soFar.cells[id]
	switch {
	case twice && (m.added || first == standing{v.Label, m.table}):
		return nil
	case twice && first.label == v.Label:
		return d.errorf(m.table, "%q is given twice, with the same values", v.Label)
	case twice && d.adapted:
		s.Notes = append(s.Notes, fmt.Sprintf("%q is left out: here it is the same as %q", v.Label, first.label))
		return nil
	case twice:
		return d.errorf(m.table, "the variant %q is the same as %q", v.Label, first.label)
	case soFar.labels[v.Label]:
		return d.errorf(m.table, "two variants are labelled %q; list the values they differ in as one field, or give one of them a label", v.Label)
	}
	soFar.cells[id], soFar.labels[v.Label] = standing{v.Label, m.table}, true
	s.Variants = append(s.Variants, v)
	return nil
}

// refuse leaves out a variant that cannot be built, or returns the mistake.
func (d document) refuse(s *Spec, v *Variant, m methodGrid, mistake *placedError) error {
	where := mistake.field
	switch {
	case m.added:
		return nil
	case mistake.unfit && (m.star || m.policy != nil):
		s.LeftOut = append(s.LeftOut, LeftOut{v.Name, v.Env, errors.Unwrap(mistake.err).Error()})
		return nil
	case mistake.policy && m.policy != nil:
		where = m.table.place("policy")
	case where != nil:
	case mistake.part == "env":
		where = v.envTable
	case mistake.part == "method":
		where = m.table
	default:
		where = d.root.place(mistake.part)
	}
	return d.errorf(where, "%w", mistake.err)
}

// identity returns the cell of a variant, which distinguishes it. Under a policy that the spec was
// not written for, idle fields of the environment make no difference.
func (d document) identity(p *Setup, v *Variant) (string, error) {
	cell := p.Cell(0)
	for _, a := range v.set {
		if d.adapted && a.part == "env" && v.idle[a.node] != "" {
			delete(cell.Env.Params, a.field)
		}
	}
	return cell.ID()
}

// An axis is a field of the spec with the values that it takes in turn, one or several.
type axis struct {
	part, field string
	node        *node
	values      []any
	named       bool // labels and filters have the field: the spec lists its values
}

func (a axis) take(i int) assignment {
	return assignment{part: a.part, field: a.field, value: a.values[i], node: a.node, index: i, named: a.named, listed: len(a.values) > 1}
}

// grid reads the fields of a table, without skip, against the fields of their part.
func (d document) grid(table *node, part string, known []params.Field, skip ...string) ([]axis, error) {
	var out []axis
	for _, n := range table.sorted() {
		if slices.Contains(skip, n.key) {
			continue
		}
		i := slices.IndexFunc(known, func(f params.Field) bool { return f.Name == n.key })
		if i < 0 {
			names := append(fieldNames(known), skip...)
			return nil, d.errorf(n, "unknown field %q of %s; %sknown fields: %s", n.key, part, hint(part, n.key, names), strings.Join(names, ", "))
		}
		value := n.plain()
		list, isList := value.([]any)
		if !isList || known[i].IsList() {
			out = append(out, axis{part, n.key, n, []any{value}, false})
			continue
		}
		if len(list) == 0 {
			return nil, d.errorf(n, "field %q: an empty list; want a value, or a list of values to try each", n.key)
		}
		listed := map[string]bool{}
		for _, v := range list {
			if listed[valueText(v)] {
				return nil, d.errorf(n, "field %q: the value %s is listed twice", n.key, valueText(v))
			}
			listed[valueText(v)] = true
		}
		out = append(out, axis{part, n.key, n, list, true})
	}
	return out, nil
}

func fieldNames(fields []params.Field) []string {
	return each.Map(fields, func(f params.Field) string { return f.Name })
}

func hint(part, field string, names []string) string {
	if ours, ok := nearest.Ours(field); ok && ours.Table != part {
		return "did you mean " + ours.String() + "? "
	}
	return nearest.Within(part, field, names)
}

func product(axes []axis) [][]assignment {
	out := [][]assignment{nil}
	for _, a := range axes {
		var longer [][]assignment
		for _, set := range out {
			for i := range a.values {
				longer = append(longer, append(slices.Clip(set), a.take(i)))
			}
		}
		out = longer
	}
	return out
}

// combinations is the length of a product, or MaxVariants+1 if it is longer.
func combinations(axes []axis) int {
	n := 1
	for _, a := range axes {
		n = min(n*len(a.values), MaxVariants+1)
	}
	return n
}

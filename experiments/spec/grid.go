package spec

import (
	"slices"
	"strings"

	"modebench/internal/nearest"
	"modebench/internal/params"
)

// A grid is a table of the spec: fields with one value, and axes.
type grid struct {
	fixed []assignment
	axes  []axis
}

// grid reads the fields of a table against the part they set; lookup finds a
// field of the part.
func (d document) grid(prefix, part string, table map[string]any, skip []string, lookup func(string) (params.Field, bool), known func() []string) (grid, error) {
	var g grid
	for _, field := range d.keys(prefix, table) {
		if slices.Contains(skip, field) {
			continue
		}
		key := join(prefix, field)
		f, ok := lookup(field)
		if !ok {
			names := append(known(), skip...)
			return g, d.errorf(key, "unknown field %q of %s; %sknown fields: %s", field, part, hint(part, field, names), strings.Join(names, ", "))
		}
		list, isList := table[field].([]any)
		if !isList || f.IsList() {
			g.fixed = append(g.fixed, assignment{part: part, field: field, value: table[field], key: key})
			continue
		}
		if len(list) == 0 {
			return g, d.errorf(key, "field %q: an empty list; want a value, or a list of values to try each", field)
		}
		seen := map[string]bool{}
		for _, v := range list {
			if seen[valueText(v)] {
				return g, d.errorf(key, "field %q: the value %s is listed twice", field, valueText(v))
			}
			seen[valueText(v)] = true
		}
		g.axes = append(g.axes, axis{part, field, key, list})
	}
	return g, nil
}

// hint asks whether another field was meant: the one that has that name in frameworks, or
// one of the names that is near.
func hint(part, field string, names []string) string {
	if ours, ok := nearest.Ours(field); ok && ours.Table != part {
		return "did you mean " + ours.String() + "? "
	}
	return nearest.Within(part, field, names)
}

// gridOf is grid for a parameter struct.
func (d document) gridOf(root map[string]any, part string, ptr any, skip ...string) (grid, error) {
	table, err := d.table(root, part)
	if err != nil {
		return grid{}, err
	}
	lookup := func(name string) (params.Field, bool) { return params.Lookup(ptr, name) }
	return d.grid(part, part, table, skip, lookup, func() []string { return params.Names(ptr) })
}

// An axis is a field of the spec that lists several values.
type axis struct {
	part, field, key string
	values           []any
}

// take sets the field to one of the values.
func (a axis) take(value any) assignment {
	return assignment{a.part, a.field, value, a.key, len(a.values) > 1}
}

// name is what filters and figures call the axis: fields of the method stand
// alone, others behind their part.
func (a axis) name() string {
	if a.part == "method" {
		return a.field
	}
	return a.part + "." + a.field
}

// product calls f with every combination of one value per axis; the last axis
// varies fastest.
func product(axes []axis, f func(values []any)) {
	values := make([]any, len(axes))
	var walk func(i int)
	walk = func(i int) {
		if i == len(axes) {
			f(values)
			return
		}
		for _, v := range axes[i].values {
			values[i] = v
			walk(i + 1)
		}
	}
	walk(0)
}

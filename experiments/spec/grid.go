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

// grid reads the fields of a table, but for the skipped ones, against the fields of the part
// that they set.
func (d document) grid(table *node, part string, known []params.Field, skip ...string) (grid, error) {
	var g grid
	for _, n := range table.sorted() {
		if slices.Contains(skip, n.key) {
			continue
		}
		i := slices.IndexFunc(known, func(f params.Field) bool { return f.Name == n.key })
		if i < 0 {
			var names []string
			for _, f := range known {
				names = append(names, f.Name)
			}
			names = append(names, skip...)
			return g, d.errorf(n, "unknown field %q of %s; %sknown fields: %s", n.key, part, hint(part, n.key, names), strings.Join(names, ", "))
		}
		value := n.plain()
		list, isList := value.([]any)
		if !isList || known[i].IsList() {
			g.fixed = append(g.fixed, assignment{part: part, field: n.key, value: value, at: n})
			continue
		}
		if len(list) == 0 {
			return g, d.errorf(n, "field %q: an empty list; want a value, or a list of values to try each", n.key)
		}
		seen := map[string]bool{}
		for _, v := range list {
			if seen[valueText(v)] {
				return g, d.errorf(n, "field %q: the value %s is listed twice", n.key, valueText(v))
			}
			seen[valueText(v)] = true
		}
		g.axes = append(g.axes, axis{part, n.key, n, list})
	}
	return g, nil
}

// gridOf is grid for a parameter struct.
func (d document) gridOf(table *node, part string, ptr any, skip ...string) (grid, error) {
	return d.grid(table, part, params.Fields(ptr), skip...)
}

// hint asks whether another field was meant: the one that has that name in frameworks, or
// one of the names that is near.
func hint(part, field string, names []string) string {
	if ours, ok := nearest.Ours(field); ok && ours.Table != part {
		return "did you mean " + ours.String() + "? "
	}
	return nearest.Within(part, field, names)
}

// An axis is a field of the spec that lists several values.
type axis struct {
	part, field string
	at          *node // where the spec lists the values
	values      []any
}

// take sets the field to one of the values.
func (a axis) take(value any) assignment {
	return assignment{a.part, a.field, value, a.at, len(a.values) > 1}
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

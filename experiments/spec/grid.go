package spec

import (
	"slices"
	"strings"

	"modebench/internal/nearest"
	"modebench/internal/params"
)

// An axis is a field of the spec with the values that it takes in turn, one or several.
type axis struct {
	part, field string
	at          *node
	values      []any
	named       bool // labels and filters have the field: the spec lists its values
}

// take assigns one of the values.
func (a axis) take(i int) assignment {
	return assignment{part: a.part, field: a.field, value: a.values[i], at: a.at, index: i, named: a.named, listed: len(a.values) > 1}
}

// grid reads the fields of a table, but for the skipped ones, against the fields of the part
// that they set.
func (d document) grid(table *node, part string, known []params.Field, skip ...string) ([]axis, error) {
	var out []axis
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

// hint suggests the field that has that name in other frameworks, or a name that is near.
func hint(part, field string, names []string) string {
	if ours, ok := nearest.Ours(field); ok && ours.Table != part {
		return "did you mean " + ours.String() + "? "
	}
	return nearest.Within(part, field, names)
}

// product lists every combination of one value per axis; the last axis varies fastest.
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

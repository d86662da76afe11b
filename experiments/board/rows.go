package board

import (
	"slices"

	"modebench/internal/input"
	"modebench/internal/nearest"
)

// Keep leaves the rows of some methods in the table. The rows do not change: ranks are those
// among all methods of the results. A method with the same records as another method keeps the
// row that both share. A method without a row is an error.
func (t *Table) Keep(methods []string) error {
	var names []string
	for _, l := range t.Rows {
		names = append(names, l.Methods()...)
	}
	for _, name := range methods {
		if !slices.Contains(names, name) {
			return input.Errorf("these results have no method %q; %swithout --methods all are printed", name, nearest.Hint(name, names))
		}
	}
	t.among = len(t.Rows)
	t.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(l Line) bool { return !slices.ContainsFunc(methods, l.is) })
	return nil
}

// Methods are the method of the line and those that have its evaluations.
func (l Line) Methods() []string { return append([]string{l.Method}, l.Same...) }

// is reports whether the line is that of a method.
func (l Line) is(method string) bool { return slices.Contains(l.Methods(), method) }

// has reports whether a row is left of a method.
func (t *Table) has(method string) bool {
	return slices.ContainsFunc(t.Rows, func(l Line) bool { return l.is(method) })
}

package reporttest

import (
	"cmp"
	"slices"
	"strings"
)

// data is what a page's figures are drawn from, as plots.Interactive writes it. A number that there
// is none of is nil.
type data struct {
	Slices  []string
	Numeric bool
	Methods []struct {
		Name                 string
		Shown, Partly, Still bool
	}
	Metrics []struct{ Name string }
	Values  [][]*struct{ M, L, H []*float64 }
	Paths   struct {
		Columns []string
		Values  [][][][]*float64
	}
	Charts []chart
}

type chart struct {
	ID, Kind string
	Metrics  []string
	Methods  []int
	At       int
	Rows     []struct {
		Label   string
		Method  int
		M, L, H *float64
	}
}

// cell is a value with its bounds; the value is nil where there is none.
type cell struct{ m, low, high *float64 }

type row struct {
	name  string
	cells []cell
}

// tables are the rows that the panels of a chart have at first: another reading of the data than
// the script's.
func (d data) tables(c chart) (out [][]row) {
	switch c.Kind {
	case "slices":
		for _, metric := range c.Metrics {
			out = append(out, d.lines(c, d.Slices, func(i, j int) cell { return d.along(metric, i, j) }))
		}
	case "k":
		for _, family := range c.Metrics {
			out = append(out, d.lines(c, d.ks(family), func(i, j int) cell { return d.at(family+"@"+d.ks(family)[j], i, c.At) }))
		}
	case "pair":
		var rows []row
		for _, i := range d.on(c) {
			if x, y := d.at(c.Metrics[0], i, c.At), d.at(c.Metrics[1], i, c.At); x.m != nil && y.m != nil {
				rows = append(rows, row{d.point(i), []cell{x, y}})
			}
		}
		out = append(out, rows)
	case "paths":
		out = append(out, d.paths(c))
	case "rows":
		var rows []row
		for _, r := range c.Rows {
			if r.Method >= 0 && d.Methods[r.Method].Partly {
				r.Label += " (not all tasks)"
			}
			if r.M != nil && (r.Method < 0 || d.Methods[r.Method].Shown) {
				rows = append(rows, row{r.Label, []cell{{r.M, r.L, r.H}}})
			}
		}
		out = append(out, rows)
	}
	return out
}

// on are the methods of a chart that are on at first.
func (d data) on(c chart) (out []int) {
	for i, m := range d.Methods {
		if m.Shown && (c.Methods == nil || slices.Contains(c.Methods, i)) {
			out = append(out, i)
		}
	}
	return out
}

func (d data) point(i int) string {
	if d.Methods[i].Partly {
		return d.Methods[i].Name + " (not on all tasks)"
	}
	return d.Methods[i].Name
}

// lines are the rows of a panel of lines: those in which some method has a value, of the methods
// that have one somewhere.
func (d data) lines(c chart, xs []string, of func(method, place int) cell) (out []row) {
	var methods []int
	for _, i := range d.on(c) {
		for j := range xs {
			if of(i, j).m != nil {
				methods = append(methods, i)
				break
			}
		}
	}
	for j, x := range xs {
		r, some := row{name: x}, false
		for _, i := range methods {
			r.cells = append(r.cells, of(i, j))
			some = some || of(i, j).m != nil
		}
		if some {
			out = append(out, r)
		}
	}
	return out
}

// along is a metric of a method at a slice, with nothing where it was not measured; what does not
// train is the same everywhere.
func (d data) along(metric string, method, slice int) cell {
	for i, m := range d.Metrics {
		v := d.Values[i][method]
		if m.Name != metric || v == nil {
			continue
		}
		if d.Methods[method].Still {
			for slice = range v.M {
				if v.M[slice] != nil {
					break
				}
			}
		}
		out := cell{m: v.M[slice]}
		if v.L != nil && out.m != nil {
			out.low, out.high = v.L[slice], v.H[slice]
		}
		return out
	}
	return cell{}
}

// at is along, but at the last step a method has its own last value.
func (d data) at(metric string, method, slice int) cell {
	out := d.along(metric, method, slice)
	for last := d.Numeric && slice == len(d.Slices)-1; last && out.m == nil && slice > 0; {
		slice--
		out = d.along(metric, method, slice)
	}
	return out
}

// ks are the k of a family, from the least.
func (d data) ks(family string) (out []string) {
	for _, m := range d.Metrics {
		if k, ok := strings.CutPrefix(m.Name, family+"@"); ok {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return out
}

func (d data) paths(c chart) (out []row) {
	x, y := slices.Index(d.Paths.Columns, c.Metrics[0]), slices.Index(d.Paths.Columns, c.Metrics[1])
	for _, i := range d.on(c) {
		for _, p := range d.Paths.Values[c.At][i] {
			if p[x] != nil && p[y] != nil {
				out = append(out, row{d.point(i), []cell{{m: p[x]}, {m: p[y]}}})
			}
		}
	}
	return out
}

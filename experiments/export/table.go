package export

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"modebench/experiments/record"
)

type kind int

const (
	unset kind = iota // nothing is known yet
	text
	integer
	number
	truth
)

// A column of a table. Every row has a value of a required column.
type column struct {
	name     string
	kind     kind
	required bool
}

// A value of a cell of a table: a text, int, float64 or truth value by its column's kind; nil: missing.
type value = any

// numberOf is a number; NaN is missing.
func numberOf(x float64) value {
	if math.IsNaN(x) {
		return nil
	}
	return x
}

// formatNumber writes a number with the fewest digits that give the same bits again.
func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// A table has columns, and hands over its rows one by one; a row is overwritten by the next.
type table struct {
	name    string
	columns []column
	rows    func(ctx context.Context, emit func([]value) error) error
}

type columns struct {
	list  []column
	taken map[string]bool // names of present and future columns
}

// identity are the columns that every table begins with; the fixed columns that follow
// somewhere after them have the same names for any fields.
func identity(fixed ...string) columns {
	c := columns{taken: map[string]bool{}}
	for _, name := range []string{"spec", "label", "name", "method"} {
		c.add(name, text, true)
	}
	c.add("seed", integer, true)
	c.add("cell", text, true)
	for _, name := range fixed {
		c.taken[name] = true
	}
	return c
}

// add adds a column of a fixed name and returns its index.
func (c *columns) add(name string, k kind, required bool) int {
	c.taken[name] = true
	c.list = append(c.list, column{name, k, required})
	return len(c.list) - 1
}

// addFree adds a column of a name in the records, after its rank if the name is taken.
func (c *columns) addFree(rank, name string, k kind) int {
	for c.taken[name] {
		name = rank + "." + name
	}
	return c.add(name, k, false)
}

func identify(row []value, run *record.Run, v *record.Variant, ref record.Ref) {
	copy(row, []value{run.Spec, v.Label, v.Name, v.Method, ref.Seed, ref.ID})
}

type axes struct {
	fields  []string
	columns []int // column of each
	numeric []bool
}

func (c *columns) addAxes(runs []*record.Run) axes {
	var a axes
	known := map[string]int{}
	for _, run := range runs {
		for _, v := range run.Variants {
			for _, axis := range v.Axes {
				i, ok := known[axis.Field]
				if !ok {
					i = len(a.fields)
					known[axis.Field] = i
					a.fields, a.numeric = append(a.fields, axis.Field), append(a.numeric, true)
				}
				_, isNumber := parseNumber(axis.Value)
				a.numeric[i] = a.numeric[i] && isNumber
			}
		}
	}
	for i, field := range a.fields {
		k := text
		if a.numeric[i] {
			k = number
		}
		a.columns = append(a.columns, c.addFree("axis", field, k))
	}
	return a
}

func (a *axes) fill(row []value, v *record.Variant) {
	for i, field := range a.fields {
		row[a.columns[i]] = nil
		for _, axis := range v.Axes {
			if axis.Field != field {
				continue
			}
			row[a.columns[i]] = axis.Value
			if x, ok := parseNumber(axis.Value); ok && a.numeric[i] {
				row[a.columns[i]] = x
			}
		}
	}
}

// parseNumber reads a number in decimal notation; "inf" and 0x1p-2 are texts.
func parseNumber(s string) (float64, bool) {
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && !strings.ContainsAny(s, "xXnN_")
}

// addMetrics adds a column for each metric, and returns the index of each.
func (c *columns) addMetrics(metrics map[string]bool) (columnOf map[string]int) {
	columnOf = map[string]int{}
	for _, m := range sortedMetrics(metrics) {
		columnOf[m] = c.addFree("metric", m, number)
	}
	return columnOf
}

func sortedMetrics[V any](metrics map[string]V) []string {
	return slices.SortedFunc(maps.Keys(metrics), compareMetrics)
}

// compareMetrics orders metrics by name, pass@2 before pass@16.
func compareMetrics(a, b string) int {
	familyA, x := record.Family(a)
	familyB, y := record.Family(b)
	return cmp.Or(strings.Compare(familyA, familyB), cmp.Compare(x, y), strings.Compare(a, b))
}

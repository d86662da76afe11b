package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/numbers"
)

type tableau struct {
	rows, cols draw.Side
	places     []place // by variant
}

// A place in a table. The column is allColumns for a variant without any of the column
// fields: its value holds for every column.
type place struct{ row, col int }

const allColumns = -1

// tabulate gives every variant its place. Two variants in one cell are an
// error: the grid would show one and hide the other.
func tabulate(fig record.Figure, shown []numbers.Variant) (*tableau, error) {
	rows, err := combine(fig.Rows, shown)
	if err != nil {
		return nil, fmt.Errorf("rows: %w", err)
	}
	cols, err := combine(fig.Cols, shown)
	if err != nil {
		return nil, fmt.Errorf("cols: %w", err)
	}
	t := &tableau{rows: rows.Side, cols: cols.Side}
	// A variant that lacks all column fields spans the columns and needs no column of its own.
	if cols.bare {
		t.cols.Values = t.cols.Values[1:]
	}
	for i, v := range shown {
		cell := place{row: rows.places[i], col: cols.places[i]}
		if cols.bare {
			cell.col--
		}
		if j := slices.IndexFunc(t.places, cell.collides); j >= 0 {
			return nil, collision(shown[j], v)
		}
		t.places = append(t.places, cell)
	}
	return t, nil
}

// collides reports whether two places have a cell in common.
func (p place) collides(q place) bool {
	return p.row == q.row && (p.col == q.col || p.col == allColumns || q.col == allColumns)
}

func collision(a, b numbers.Variant) error {
	var differ []string
	for _, field := range numbers.FieldsOf([]numbers.Variant{a, b}) {
		va, _ := a.Value(field)
		vb, _ := b.Value(field)
		if va != vb {
			differ = append(differ, field)
		}
	}
	return fmt.Errorf("variants %s and %s fall into the same cell; put %s into rows or cols, or filter by it",
		a.Label, b.Label, strings.Join(differ, " or "))
}

// A combination is a side with the place of every variant along it.
type combination struct {
	draw.Side
	places []int // by variant: its position
	bare   bool  // the first position is that of variants without any of the fields
}

// combine finds the combinations of values that occur and orders them field by
// field: numbers by size, other values as they come, a missing field first. A
// field that no variant has makes no level.
func combine(fields []string, shown []numbers.Variant) (combination, error) {
	if len(fields) == 0 {
		return combination{Side: draw.Side{Values: [][]string{nil}}, places: make([]int, len(shown))}, nil
	}
	all := numbers.FieldsOf(shown)
	known := slices.DeleteFunc(slices.Clone(fields), func(field string) bool { return !slices.Contains(all, field) })
	if len(known) == 0 {
		return combination{}, fmt.Errorf("no variant has a field %s; known fields: %s", strings.Join(fields, " or "), strings.Join(all, ", "))
	}
	ranks := make([][]int, len(shown))
	var c combination
	for _, field := range known {
		c.Levels = append(c.Levels, numbers.ShortName(field, all))
		values := valuesOf(field, shown)
		for i, s := range shown {
			rank := -1
			if value, ok := s.Value(field); ok {
				rank = slices.Index(values, value)
			}
			ranks[i] = append(ranks[i], rank)
		}
	}
	distinct := slices.Clone(ranks)
	slices.SortFunc(distinct, slices.Compare[[]int])
	distinct = slices.CompactFunc(distinct, slices.Equal[[]int])
	c.Values, c.places = make([][]string, len(distinct)), make([]int, len(shown))
	c.bare = !slices.ContainsFunc(distinct[0], func(rank int) bool { return rank >= 0 })
	for i, s := range shown {
		c.places[i], _ = slices.BinarySearchFunc(distinct, ranks[i], slices.Compare[[]int])
		c.Values[c.places[i]] = levelTexts(known, s)
	}
	return c, nil
}

// valuesOf lists the values of a field in the order of a table.
func valuesOf(field string, shown []numbers.Variant) []string {
	values, size, numeric := numbers.ValuesOf(field, shown), map[string]float64{}, true
	for _, value := range values {
		x, err := strconv.ParseFloat(value, 64)
		numeric = numeric && err == nil && !math.IsNaN(x)
		size[value] = x
	}
	if numeric {
		slices.SortStableFunc(values, func(a, b string) int { return cmp.Compare(size[a], size[b]) })
	}
	return values
}

// levelTexts are the variant's values of the fields. A field that it lacks has a
// dash, or nothing if only such fields follow: "grpo" needs no lambda.
func levelTexts(fields []string, v numbers.Variant) []string {
	out := make([]string, len(fields))
	blank := true
	for level := len(fields) - 1; level >= 0; level-- {
		value, ok := v.Value(fields[level])
		blank = blank && !ok && level > 0
		switch {
		case ok:
			out[level] = value
		case !blank:
			out[level] = "-"
		}
	}
	return out
}

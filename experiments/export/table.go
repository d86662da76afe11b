package export

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/each"
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

// identify fills the columns of identity in.
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

func eachCell(ctx context.Context, runs []*record.Run, visit func(*record.Run, *record.Variant, record.Ref) error) error {
	for _, run := range runs {
		for i := range run.Variants {
			for _, ref := range run.Variants[i].Cells {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := visit(run, &run.Variants[i], ref); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// evals reads the evaluations of a cell, whose steps have to go up.
func evals(run *record.Run, ref record.Ref) ([]record.Eval, error) {
	list, err := run.Evals(ref)
	if err != nil {
		return nil, err
	}
	return list, ascending(list, filepath.Join(run.Folder(ref), record.EvalFile), func(e *record.Eval) int { return e.Step })
}

// ascending refuses records whose steps do not go up: rows would be ambiguous, and
// the last record would not be the final one.
func ascending[T any](list []T, path string, step func(*T) int) error {
	for i := 1; i < len(list); i++ {
		if before, current := step(&list[i-1]), step(&list[i]); current <= before {
			return fmt.Errorf("%s:%d: step %d after step %d: run the experiment again", path, i+1, current, before)
		}
	}
	return nil
}

// recordRows hands over the rows of a table of records: toRows gets the row of a record
// with its cell filled in.
func recordRows[T any](runs []*record.Run, row []value, axes axes, read func(*record.Run, record.Ref) ([]T, error), toRows func(rec *T, emit func([]value) error) error) func(context.Context, func([]value) error) error {
	return func(ctx context.Context, emit func([]value) error) error {
		return eachCell(ctx, runs, func(run *record.Run, v *record.Variant, ref record.Ref) error {
			list, err := read(run, ref)
			if err != nil {
				return err
			}
			identify(row, run, v, ref)
			axes.fill(row, v)
			for i := range list {
				if err := toRows(&list[i], emit); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

func evalsTable(runs []*record.Run) table {
	cols := identity("step", "exact", "metric", "value")
	axes := cols.addAxes(runs)
	step := cols.add("step", integer, true)
	exact := cols.add("exact", truth, true)
	metric := cols.add("metric", text, true)
	column := cols.add("value", number, false)
	row := make([]value, len(cols.list))
	return table{"evals", cols.list, recordRows(runs, row, axes, evals, func(e *record.Eval, emit func([]value) error) error {
		row[step], row[exact] = e.Step, e.Exact
		for _, m := range sortedMetrics(e.Metrics) {
			row[metric], row[column] = m, numberOf(e.Metrics[m])
			if err := emit(row); err != nil {
				return err
			}
		}
		return nil
	})}
}

// wideTable is a row for every evaluation. All are read once to know the metrics.
func wideTable(ctx context.Context, runs []*record.Run) (table, error) {
	metrics := map[string]bool{}
	err := eachCell(ctx, runs, func(run *record.Run, _ *record.Variant, ref record.Ref) error {
		list, err := evals(run, ref)
		for _, e := range list {
			for m := range e.Metrics {
				metrics[m] = true
			}
		}
		return err
	})
	cols := identity("step", "exact")
	axes := cols.addAxes(runs)
	step := cols.add("step", integer, true)
	exact := cols.add("exact", truth, true)
	columnOf := cols.addMetrics(metrics)
	row := make([]value, len(cols.list))
	return table{"evals_wide", cols.list, recordRows(runs, row, axes, evals, func(e *record.Eval, emit func([]value) error) error {
		row[step], row[exact] = e.Step, e.Exact
		fillMetrics(row, columnOf, e.Metrics)
		return emit(row)
	})}, err
}

func fillMetrics(row []value, columnOf map[string]int, metrics map[string]float64) {
	for m, i := range columnOf {
		row[i] = nil
		if x, ok := metrics[m]; ok {
			row[i] = numberOf(x)
		}
	}
}

func trains(run *record.Run, ref record.Ref) ([]record.Train, error) {
	list, err := run.Trains(ref)
	if err != nil {
		return nil, err
	}
	return list, ascending(list, filepath.Join(run.Folder(ref), record.TrainFile), func(t *record.Train) int { return t.Step })
}

type trainField struct {
	column
	read func(*record.Train) float64
}

// trainFields are those of record.Train, in its order, under the names they have in train.jsonl.
func trainFields() []trainField {
	var out []trainField
	for i := range reflect.TypeFor[record.Train]().NumField() {
		field := reflect.TypeFor[record.Train]().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		f := trainField{column{name, number, true}, func(t *record.Train) float64 { return reflect.ValueOf(t).Elem().Field(i).Float() }}
		if field.Type.Kind() == reflect.Int {
			f = trainField{column{name, integer, true}, func(t *record.Train) float64 { return float64(reflect.ValueOf(t).Elem().Field(i).Int()) }}
		}
		out = append(out, f)
	}
	return out
}

func trainsTable(runs []*record.Run) table {
	fields := trainFields()
	names := each.Map(fields, func(f trainField) string { return f.name })
	cols := identity(names...)
	axes := cols.addAxes(runs)
	first := len(cols.list)
	for _, f := range fields {
		cols.add(f.name, f.kind, f.required)
	}
	row := make([]value, len(cols.list))
	return table{"trains", cols.list, recordRows(runs, row, axes, trains, func(rec *record.Train, emit func([]value) error) error {
		for i, f := range fields {
			if f.kind == integer {
				row[first+i] = int(f.read(rec))
			} else {
				row[first+i] = numberOf(f.read(rec))
			}
		}
		return emit(row)
	})}
}

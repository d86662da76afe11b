package export

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"modebench/experiments/record"
)

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
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
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

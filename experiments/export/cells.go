package export

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"modebench/experiments/record"
)

// A part of a cell that has parameters: its name, if it has one, and the parameters.
type part struct {
	prefix string
	name   func(*record.Cell) string // nil: the part has no name of its own
	params func(*record.Cell) map[string]any
}

var parts = []part{
	{"env", func(c *record.Cell) string { return c.Env.Name }, func(c *record.Cell) map[string]any { return c.Env.Params }},
	{"policy", func(c *record.Cell) string { return c.Policy.Name }, func(c *record.Cell) map[string]any { return c.Policy.Params }},
	{"estimator", nil, func(c *record.Cell) map[string]any { return c.Estimator }},
	{"objective", nil, func(c *record.Cell) map[string]any { return c.Objective }},
	{"protocol", nil, func(c *record.Cell) map[string]any { return c.Protocol }},
	{"rewards", nil, func(c *record.Cell) map[string]any { return c.Rewards }},
	{"train", nil, func(c *record.Cell) map[string]any { return c.Train }},
	{"eval", nil, func(c *record.Cell) map[string]any { return c.Eval }},
}

// flatten visits the values that are no tables, by path. Nulls are left out: they mean the same as
// a missing value.
func flatten(prefix string, params map[string]any, visit func(path string, v any)) {
	for _, key := range slices.Sorted(maps.Keys(params)) {
		switch v := params[key].(type) {
		case nil:
		case map[string]any:
			flatten(prefix+"."+key, v, visit)
		default:
			visit(prefix+"."+key, v)
		}
	}
}

func kindOf(v any) kind {
	switch v.(type) {
	case float64:
		return number
	case bool:
		return truth
	}
	return text
}

func (k kind) merge(second kind) kind {
	if k == unset || k == second {
		return second
	}
	return text
}

func paramOf(v any, k kind) (value, error) {
	switch x := v.(type) {
	case float64:
		if k == number {
			return numberOf(x), nil
		}
		return formatNumber(x), nil
	case bool:
		if k == truth {
			return x, nil
		}
	case string:
		return x, nil
	}
	data, err := json.Marshal(v)
	return string(data), err
}

// readCell reads the resolved fields of a cell, and its evaluations. A cell of another
// seed or method than in the manifest is an error.
func readCell(run *record.Run, v *record.Variant, ref record.Ref) (record.Cell, []record.Eval, error) {
	c, err := run.Cell(ref)
	if err != nil {
		return c, nil, err
	}
	if c.Seed != ref.Seed || c.Method != v.Method {
		return c, nil, fmt.Errorf("%s: method %s with seed %d, where %s of %s has method %s with seed %d: run the experiment again",
			filepath.Join(run.Folder(ref), record.CellFile), c.Method, c.Seed, record.ManifestFile, run.Dir, v.Method, ref.Seed)
	}
	list, err := evals(run, ref)
	return c, list, err
}

type cellLayout struct {
	columns
	trains, evals, step, exact int
	names                      []int // of parts, in their order; -1: the part has no name
	params, metrics            map[string]int
	row                        []value
}

// cellsTable is a row for every cell. All are read once to know parameters and metrics.
func cellsTable(ctx context.Context, runs []*record.Run) (table, error) {
	kinds := make([]map[string]kind, len(parts))
	for i := range kinds {
		kinds[i] = map[string]kind{}
	}
	metrics := map[string]bool{}
	err := eachCell(ctx, runs, func(run *record.Run, v *record.Variant, ref record.Ref) error {
		c, list, err := readCell(run, v, ref)
		if err != nil {
			return err
		}
		for i, p := range parts {
			flatten(p.prefix, p.params(&c), func(path string, v any) { kinds[i][path] = kinds[i][path].merge(kindOf(v)) })
		}
		if len(list) > 0 {
			for m := range list[len(list)-1].Metrics {
				metrics[m] = true
			}
		}
		return nil
	})
	if err != nil {
		return table{}, err
	}
	l := newCellLayout(kinds, metrics)
	return table{"cells", l.list, func(ctx context.Context, emit func([]value) error) error {
		return eachCell(ctx, runs, func(run *record.Run, v *record.Variant, ref record.Ref) error {
			if err := l.fill(run, v, ref); err != nil {
				return err
			}
			return emit(l.row)
		})
	}}, nil
}

func newCellLayout(kinds []map[string]kind, metrics map[string]bool) *cellLayout {
	l := &cellLayout{columns: identity("trains", "env", "policy", "evals", "step", "exact"), params: map[string]int{}}
	l.trains = l.add("trains", truth, true)
	for i, p := range parts {
		l.names = append(l.names, -1)
		if p.name != nil {
			l.names[i] = l.add(p.prefix, text, true)
		}
		for _, path := range slices.Sorted(maps.Keys(kinds[i])) {
			l.params[path] = l.addFree("param", path, kinds[i][path])
		}
	}
	l.evals = l.add("evals", integer, true)
	l.step = l.add("step", integer, false)
	l.exact = l.add("exact", truth, false)
	l.metrics = l.addMetrics(metrics)
	l.row = make([]value, len(l.list))
	return l
}

func (l *cellLayout) fill(run *record.Run, v *record.Variant, ref record.Ref) error {
	c, list, err := readCell(run, v, ref)
	if err != nil {
		return err
	}
	clear(l.row)
	identify(l.row, run, v, ref)
	l.row[l.trains] = v.Trains
	for i, p := range parts {
		if p.name != nil {
			l.row[l.names[i]] = p.name(&c)
		}
		flatten(p.prefix, p.params(&c), func(path string, v any) {
			column := l.params[path]
			cell, failed := paramOf(v, l.list[column].kind)
			if l.row[column] = cell; err == nil {
				err = failed
			}
		})
	}
	l.row[l.evals] = len(list)
	if len(list) > 0 {
		last := list[len(list)-1]
		l.row[l.step], l.row[l.exact] = last.Step, last.Exact
		fillMetrics(l.row, l.metrics, last.Metrics)
	}
	return err
}

package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"modebench/experiments/record"
)

// resolved reads what the first cell of every variant was resolved to; the others
// differ by their seed alone.
func resolved(run *record.Run) ([]record.Cell, error) {
	var out []record.Cell
	for _, v := range run.Variants {
		if len(v.Cells) == 0 {
			return nil, fmt.Errorf("variant %s has no cells in the manifest", v.Label)
		}
		cell, err := run.Cell(v.Cells[0])
		if err != nil {
			return nil, err
		}
		out = append(out, cell)
	}
	return out, nil
}

// settings are the fields of all variants: those that tell them apart, and those that
// they share.
type settings struct {
	Differ []string // fields
	Rows   []settingsRow
	Shared []part
}

type settingsRow struct {
	Label  string
	Values []string // of the fields that differ
}

type part struct {
	Name   string
	Fields []fact
}

type fact struct{ Name, Value string }

// absent is the value of a field that a variant does not have.
const absent = "–"

// newSettings sorts the fields. A field is shared if all variants that train have one value
// of it. A variant that does not train, such as the base policy, may lack it.
func newSettings(run *record.Run, cells []record.Cell) settings {
	flat := make([]map[string]string, len(cells))
	names := map[string]bool{}
	for i, c := range cells {
		flat[i] = flatten(c)
		if run.Nested != nil { // the cell has what its seed has, and other seeds have others
			for _, field := range []string{"env.env_seed", "policy.pretrain_seed"} {
				if _, has := flat[i][field]; has {
					flat[i][field] = "nested"
				}
			}
		}
		for name := range flat[i] {
			names[name] = true
		}
	}
	var out settings
	shared := map[string][]fact{}
	for _, name := range slices.SortedFunc(maps.Keys(names), byPart) {
		if value, ok := common(run.Variants, flat, name); ok {
			group, field, _ := strings.Cut(name, ".")
			field = cmp.Or(field, "name")
			shared[group] = append(shared[group], fact{field, value})
		} else {
			out.Differ = append(out.Differ, name)
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(shared), byPart) {
		out.Shared = append(out.Shared, part{name, shared[name]})
	}
	for i, v := range run.Variants {
		row := settingsRow{Label: v.Label}
		for _, name := range out.Differ {
			value, ok := flat[i][name]
			if !ok {
				value = absent
			}
			row.Values = append(row.Values, value)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func common(variants []record.Variant, flat []map[string]string, name string) (value string, ok bool) {
	trains := false
	for _, v := range variants {
		trains = trains || v.Trains
	}
	found := false
	for i, v := range variants {
		x, has := flat[i][name]
		if !has && (v.Trains || !trains) || has && found && x != value {
			return "", false
		}
		if has {
			value, found = x, true
		}
	}
	return value, found
}

// parts is the order of a cell's parts.
var parts = []string{"method", "estimator", "objective", "protocol", "rewards", "env", "policy", "train", "eval"}

func byPart(a, b string) int {
	place := func(name string) int {
		group, _, _ := strings.Cut(name, ".")
		return slices.Index(parts, group)
	}
	if place(a) != place(b) {
		return place(a) - place(b)
	}
	return strings.Compare(a, b)
}

// flatten lists the fields of a cell by their dotted names; the version and the seed
// are no settings.
func flatten(c record.Cell) map[string]string {
	out := map[string]string{"method": c.Method, "env": c.Env.Name, "policy": c.Policy.Name}
	for group, fields := range map[string]map[string]any{
		"env": c.Env.Params, "policy": c.Policy.Params, "estimator": c.Estimator, "objective": c.Objective,
		"protocol": c.Protocol, "rewards": c.Rewards, "train": c.Train, "eval": c.Eval,
	} {
		for name, value := range fields {
			out[group+"."+name] = text(value)
		}
	}
	return out
}

// text writes a value as JSON does, texts without their quotes.
func text(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return strings.ReplaceAll(string(data), ",", ", ")
}

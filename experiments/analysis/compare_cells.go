package analysis

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/visible"
	"modebench/metrics"
)

// A FieldDifference is a field of two cells that is not the same, as text; a field
// that a cell does not have is "unset".
type FieldDifference struct {
	Field    string // as specs and axes call it: "train.lr", "lambda"
	Old, New string
}

// String writes the difference for people.
func (d FieldDifference) String() string { return d.Field + " " + d.Old + " -> " + d.New }

// changes reports whether a field of evaluation makes any of the metrics a different measurement.
func changes(field string, names []string) bool {
	switch field {
	case "eval.every", "eval.k", "eval.draws", "eval.delta", "eval.modes", "eval.measure", "eval.positions":
		return slices.ContainsFunc(names, func(name string) bool {
			m, _ := metrics.Lookup(name)
			return "eval."+m.Setting == field
		})
	}
	return true // of every metric
}

// cellDifferences lists the fields in which two cells differ, without the seed. Measured are
// those that make the metrics two different measurements: environment, evaluation, results
// version. Chosen are all others: the settings compared.
func cellDifferences(old, new record.Cell, metrics []string) (measured, chosen []FieldDifference) {
	add := func(list *[]FieldDifference, field string, old, new any) {
		if a, b := fieldText(old), fieldText(new); a != b {
			*list = append(*list, FieldDifference{visible.Text(field), visible.Text(a), visible.Text(b)})
		}
	}
	// Of two different methods (environments, policies) only the fields that both have are
	// compared: the others follow from which it is.
	params := func(list *[]FieldDifference, prefix string, alike bool, old, new map[string]any) {
		for _, field := range union(old, new) {
			_, inOld := old[field]
			_, inNew := new[field]
			if alike || inOld && inNew {
				add(list, prefix+field, old[field], new[field])
			}
		}
	}
	add(&measured, "version", old.Version, new.Version)
	add(&measured, "env", old.Env.Name, new.Env.Name)
	params(&measured, "env.", old.Env.Name == new.Env.Name, old.Env.Params, new.Env.Params)
	var evals []FieldDifference
	params(&evals, "eval.", true, old.Eval, new.Eval)
	add(&chosen, "method", old.Method, new.Method)
	add(&chosen, "policy", old.Policy.Name, new.Policy.Name)
	params(&chosen, "train.", true, old.Train, new.Train)
	params(&chosen, "policy.", old.Policy.Name == new.Policy.Name, old.Policy.Params, new.Policy.Params)
	method := old.Method == new.Method
	params(&chosen, "", method, old.Estimator, new.Estimator)
	params(&chosen, "", method, old.Objective, new.Objective)
	params(&chosen, "", method, old.Protocol, new.Protocol)
	params(&chosen, "", true, old.Rewards, new.Rewards)
	for _, d := range evals {
		if changes(d.Field, metrics) {
			measured = append(measured, d)
		} else {
			chosen = append(chosen, d)
		}
	}
	return measured, chosen
}

// union lists the keys of two maps, sorted.
func union(a, b map[string]any) []string {
	keys := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// fieldText writes a field's value: texts as they are, all else as JSON.
func fieldText(value any) string {
	if value == nil {
		return "unset"
	}
	if text, ok := value.(string); ok {
		return text
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value) // cannot happen: it was read from JSON
	}
	return string(data)
}

// differencesText lists differences up to a width, and counts the rest.
func differencesText(list []FieldDifference, width int) string {
	texts := each.Map(list, func(d FieldDifference) string { return d.String() })
	return listUpTo(texts, width)
}

// listUpTo lists texts up to a width, the first text always, and counts the rest.
func listUpTo(texts []string, width int) (list string) {
	for i, text := range texts {
		if i > 0 {
			text = list + ", " + text
		}
		if i > 0 && len(text) > width {
			return fmt.Sprintf("%s and %d more", list, len(texts)-i)
		}
		list = text
	}
	return list
}

// grouped writes each text once, after the names that share it: "a, b: text", in the order
// of first appearance. All names together are "both variants" or "all n variants".
func grouped(names, texts []string) []string {
	var order []string
	namesByText := map[string][]string{}
	for i, text := range texts {
		if text == "" {
			continue
		}
		if namesByText[text] == nil {
			order = append(order, text)
		}
		namesByText[text] = append(namesByText[text], names[i])
	}
	var out []string
	for _, text := range order {
		who := strings.Join(namesByText[text], ", ")
		switch n := len(namesByText[text]); {
		case n != len(names) || n == 1:
		case n == 2:
			who = "both variants"
		default:
			who = fmt.Sprintf("all %d variants", n)
		}
		out = append(out, who+": "+text)
	}
	return out
}

package plots

import (
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/internal/nearest"
	"modebench/plots/numbers"
)

// An asked variant of a figure: its label, and the name that it is drawn under.
type asked struct{ label, name string }

// Show keeps of each figure the variants that are asked for, in that order, and leaves out figures without
// any. Each is a label, or LABEL=NAME, which draws the variant under another name. A label that no figure has
// is an error.
func Show(figures []*Data, variants []string) ([]*Data, error) {
	var known []string
	for _, d := range figures {
		for _, v := range d.Variants {
			known = append(known, v.Label)
		}
	}
	known = each.Distinct(known)
	var all []asked
	for _, text := range variants {
		v, err := find(text, known)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(a asked) bool { return a.label == v.label || a.name == v.name }) {
			return nil, input.Usagef("%q is the second variant of that label or name", text)
		}
		all = append(all, v)
	}
	var shown []*Data
	for _, d := range figures {
		picked, err := d.pick(all)
		if err != nil {
			return nil, err
		}
		if len(picked.Variants) > 0 {
			shown = append(shown, picked)
		}
	}
	return shown, nil
}

// find reads LABEL or LABEL=NAME. Labels may hold equals signs, so the longest label that fits counts.
func find(text string, known []string) (found asked, err error) {
	if slices.Contains(known, text) {
		return asked{text, text}, nil
	}
	for _, label := range known {
		if name, ok := strings.CutPrefix(text, label+"="); ok && name != "" && len(label) > len(found.label) {
			found = asked{label, name}
		}
	}
	if found.label == "" {
		err = input.Usagef("no figure has the label %q; %slabels: %s", text, nearest.Hint(text, known), strings.Join(known, "; "))
	}
	return found, err
}

// pick is the figure of the variants that are asked for. Figures that name their parts by fields take no
// other names.
func (d *Data) pick(all []asked) (*Data, error) {
	picked := *d
	picked.Variants, picked.Figure.Panel = nil, nil
	for _, a := range all {
		i := slices.IndexFunc(d.Variants, func(v numbers.Variant) bool { return v.Label == a.label })
		if i < 0 {
			continue
		}
		v := d.Variants[i]
		if a.name != a.label {
			if kind, _ := record.LookupFigureKind(d.Figure.Kind); slices.Contains(kind.Fields, "rows") || kind.Name == "dose" {
				return nil, input.Usagef("%s=%s: the figure %s, of the kind %s, has names of fields", a.label, a.name, d.Figure.Name, d.Figure.Kind)
			}
			v.Label, v.Name, v.Called, v.Axes = a.name, a.name, a.name, nil // axes would be appended to the name
		}
		picked.Variants = append(picked.Variants, v)
		if slices.Contains(d.Figure.Panel, a.label) {
			picked.Figure.Panel = append(picked.Figure.Panel, a.name)
		}
	}
	return &picked, nil
}

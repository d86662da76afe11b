package plots

import (
	"cmp"
	"slices"
	"strings"

	"modebench/internal/input"
	"modebench/internal/nearest"
	"modebench/plots/numbers"
)

// Show keeps the variants of these labels, in this order; nil keeps all. names has other names for
// some labels. A label that the figure does not have is an error.
func (d *Data) Show(labels []string, names map[string]string) error {
	byLabel := map[string]numbers.Variant{}
	var known []string
	for _, v := range d.Variants {
		known, byLabel[v.Label] = append(known, v.Label), v
	}
	if labels == nil {
		labels = known
	}
	for label := range names {
		if !slices.Contains(known, label) {
			return d.noLabel(label, known)
		}
	}
	d.Variants = nil
	for _, label := range labels {
		v, ok := byLabel[label]
		if !ok {
			return d.noLabel(label, known)
		}
		if name := names[label]; name != "" {
			v.Label, v.Name, v.Called = name, name, name
		}
		d.Variants = append(d.Variants, v)
	}
	var panel []string
	for _, label := range d.Figure.Panel {
		if slices.Contains(labels, label) {
			panel = append(panel, cmp.Or(names[label], label))
		}
	}
	d.Figure.Panel = panel
	return nil
}

func (d *Data) noLabel(label string, known []string) error {
	return input.Usagef("figure %s has no label %q; %sits labels: %s", d.Figure.Name, label, nearest.Hint(label, known), strings.Join(known, ", "))
}

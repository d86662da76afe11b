package spec

import (
	"slices"
	"strings"

	"modebench/experiments/record"
)

// figure reads one [[figure]] and checks it against the spec.
func (d document) figure(s *Spec, table *node, eval measured) error {
	fig := record.Figure{}
	if err := d.fill(table, &fig, "where"); err != nil {
		return err
	}
	kinds := figureKinds(func(record.FigureKind) bool { return true })
	if fig.Kind != "" && len(kinds) > 0 && !slices.Contains(kinds, fig.Kind) {
		return d.errorf(table.get("kind"), "field %q: got %q, want one of %s", "kind", fig.Kind, strings.Join(kinds, ", "))
	}
	if fig.Name == "" || fig.Kind == "" {
		return d.errorf(table, "a figure has a name and a kind (%s)", strings.Join(kinds, ", "))
	}
	if !record.IsFigureName(fig.Name) {
		return d.errorf(table.get("name"), "the name %q becomes a file name: %s", fig.Name, record.FigureNameRule)
	}
	for _, other := range s.Figures {
		if strings.EqualFold(other.Name, fig.Name) { // as file names of some systems are compared
			return d.errorf(table.get("name"), "two figures are named %q", fig.Name)
		}
	}
	if err := d.where(table, &fig, s); err != nil {
		return err
	}
	if !slices.ContainsFunc(s.Variants, func(v *Variant) bool { return fig.Shows(v.Record()) }) {
		return d.errorf(table.place("where"), "figure %q shows no variant", fig.Name)
	}
	if err := d.checkFigure(table, fig, s, eval); err != nil {
		return err
	}
	for _, label := range fig.Panel {
		if !slices.ContainsFunc(s.Variants, func(v *Variant) bool { return v.Label == label }) {
			return d.errorf(table.get("panel"), "no variant is labelled %q; labels: %s", label, strings.Join(s.labels(), "; "))
		}
	}
	s.Figures = append(s.Figures, fig)
	return nil
}

// where reads a figure's filters: where = { "train.lr" = 0.1, lambda = [0.5, 5] }.
func (d document) where(figure *node, fig *record.Figure, s *Spec) error {
	where, err := d.table(figure, "where")
	if err != nil {
		return d.errorf(figure.get("where"), "where must be a table of fields and the values to show")
	}
	for _, n := range where.sorted() {
		values, isList := n.plain().([]any)
		if !isList {
			values = []any{n.plain()}
		}
		filter := record.Filter{Field: n.key}
		known := s.axisValues(n.key)
		if known == nil {
			return d.errorf(n, "figure %q: no variant has a field %q; fields: %s", fig.Name, n.key, strings.Join(s.axisNames(), ", "))
		}
		for _, v := range values {
			if !slices.Contains(known, valueText(v)) {
				return d.errorf(n, "figure %q: no variant has %s = %s; values: %s", fig.Name, n.key, valueText(v), strings.Join(known, ", "))
			}
			filter.Values = append(filter.Values, valueText(v))
		}
		fig.Where = append(fig.Where, filter)
	}
	return nil
}

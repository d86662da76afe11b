package spec

import (
	"slices"
	"strings"

	"modebench/experiments/record"
)

// A figureTable is one [[figure]] but for its filter, where.
type figureTable struct {
	Name    string   `param:"name" doc:"name of its files, without extension"`
	Kind    string   `param:"kind"` // of those that are registered
	Title   string   `param:"title" doc:"above the figure"`
	Metrics []string `param:"metrics" doc:"one panel each; a k-curve names families (best), others metrics (best@4); of recorded answers: none"`
	Rows    []string `param:"rows" doc:"grid: the fields that distinguish its rows (method, train.lr); profiles: those that distinguish its lines, all others are settings of one line; none: method"`
	Cols    []string `param:"cols" doc:"grid: the fields that distinguish its columns"`
	Panel   []string `param:"panel" doc:"modes, front, answers, map, tree: labels of the variants to draw, in order; none: all"`

	Problem    int      `param:"problem" doc:"front, answers, map, tree: number of the problem, from 0, of those whose answers are recorded" min:"0"`
	Steps      []int    `param:"steps" doc:"front, answers, map, tree: the evaluations shown, by training step; none: the last, and of a map four from the first to the last" min:"0"`
	Components []string `param:"components" doc:"front: the two or three components of the reward that are its axes, by name; none: all, where there are no more"`
}

func (d document) figure(s *Spec, table *node, eval measured) error {
	f := figureTable{}
	if err := d.fill(table, &f, "where"); err != nil {
		return err
	}
	kinds := figureKinds(func(record.FigureKind) bool { return true })
	if f.Kind != "" && len(kinds) > 0 && !slices.Contains(kinds, f.Kind) {
		return d.errorf(table.get("kind"), "field %q: got %q, want one of %s", "kind", f.Kind, strings.Join(kinds, ", "))
	}
	if f.Name == "" || f.Kind == "" {
		return d.errorf(table, "a figure has a name and a kind (%s)", strings.Join(kinds, ", "))
	}
	if !record.IsFigureName(f.Name) {
		return d.errorf(table.get("name"), "the name %q becomes a file name: %s", f.Name, record.FigureNameRule)
	}
	for _, other := range s.Figures {
		if strings.EqualFold(other.Name, f.Name) { // as file names of some systems are compared
			return d.errorf(table.get("name"), "two figures are named %q", f.Name)
		}
	}
	fig := record.Figure{
		Name: f.Name, Kind: f.Kind, Title: f.Title,
		Metrics: f.Metrics, Rows: f.Rows, Cols: f.Cols, Panel: f.Panel,
		Problem: f.Problem, Steps: f.Steps, Components: f.Components,
	}
	if err := d.where(table, &fig, s); err != nil {
		return err
	}
	if !slices.ContainsFunc(s.Variants, func(v *Variant) bool { return fig.Shows(v.Record()) }) {
		return d.errorf(table.place("where"), "figure %q shows no variant", f.Name)
	}
	if err := d.checkFigure(table, fig, s, eval); err != nil {
		return err
	}
	for _, label := range f.Panel {
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

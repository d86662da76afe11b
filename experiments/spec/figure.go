package spec

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/params"
	"modebench/metrics"
)

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
			return d.errorf(table.get("panel"), "no variant is labelled %q; labels: %s", label, s.known(label))
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

func figureKinds(keep func(record.FigureKind) bool) []string {
	var names []string
	for _, k := range record.FigureKinds() {
		if keep(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// figureFields returns the fields of a figure. The registered kinds describe themselves.
func figureFields() []params.Field {
	fields := params.Fields(&record.Figure{})
	var all, answers []string
	for _, k := range record.FigureKinds() {
		if doc := k.Name + ": " + k.Doc; k.Answers {
			answers = append(answers, doc)
		} else {
			all = append(all, doc)
		}
	}
	kind := &fields[slices.IndexFunc(fields, func(f params.Field) bool { return f.Name == "kind" })]
	kind.Doc = strings.Join(all, "; ")
	if len(answers) > 0 {
		kind.Doc += ". Of the recorded answers to a problem (keep in [eval]), for one seed: " + strings.Join(answers, "; ")
	}
	kind.Choices = figureKinds(func(record.FigureKind) bool { return true })
	return fields
}

// checkFigure asks the figure's kind whether it can be drawn from the records of the spec. A
// program that registers no such kind draws no figures, and takes all.
func (d document) checkFigure(table *node, fig record.Figure, s *Spec, eval measured) error {
	kind, known := record.LookupFigureKind(fig.Kind)
	if !known {
		return nil
	}
	if len(fig.Metrics) > 0 && !kind.Reads("metrics") {
		return d.figureError(table, noMetrics(fig))
	}
	if err := checkFields(fig, kind); err != nil {
		return d.figureError(table, err)
	}
	if kind.Claims && len(s.Claims) == 0 {
		return d.errorf(table, "figure %q shows the verdicts on claims, and the spec makes no claim", fig.Name)
	}
	if kind.Check == nil {
		return nil
	}
	recorded, err := s.recorded(fig, kind.Answers, eval)
	if err != nil {
		return err
	}
	if err = kind.Check(fig, recorded); err == nil {
		return nil
	}
	return d.figureError(table, err)
}

// figureError puts an error of a figure at the field that it is about.
func (d document) figureError(table *node, err error) error {
	place := table
	if wrong := (*record.FigureError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
		place = table.place(wrong.Field)
	}
	return d.errorf(place, "%w", err)
}

// fieldsOfSome are the fields that figures of some kinds do not read, and then do not take.
var fieldsOfSome = []string{"problem", "steps", "components", "width", "x", "y", "log", "free_y", "without"}

// checkFields checks that a figure has no field that its kind does not read, and its size and axes.
func checkFields(fig record.Figure, kind record.FigureKind) error {
	for _, name := range fieldsOfSome {
		if field, _ := params.Lookup(&fig, name); !reflect.ValueOf(field.Value).IsZero() && !kind.Reads(name) {
			readers := figureKinds(func(k record.FigureKind) bool { return k.Reads(name) })
			return &record.FigureError{Field: name, Err: fmt.Errorf("figure %q: one of kind %s has no field %q; %s has", fig.Name, fig.Kind, name, strings.Join(readers, ", "))}
		}
	}
	return fig.Shape()
}

// SetFigures changes fields of figures from outside, as the command line does: figure.FIELD=VALUE with
// VALUE as a spec has it; a list may go as its entries between commas. A figure that its kind cannot draw so
// is an error.
func SetFigures(figures []record.Figure, pairs []string) error {
	for i := range figures {
		fig := &figures[i]
		for _, pair := range pairs {
			if err := setFigure(fig, pair); err != nil {
				return &SetError{pair, err}
			}
		}
		if kind, known := record.LookupFigureKind(fig.Kind); known && pairs != nil {
			if err := checkFields(*fig, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

func setFigure(fig *record.Figure, pair string) error {
	path, text, ok := strings.Cut(pair, "=")
	name, ofFigure := strings.CutPrefix(path, "figure.")
	if !ok || !ofFigure {
		return errors.New("want figure.FIELD=VALUE")
	}
	kind, known := record.LookupFigureKind(fig.Kind)
	field, isField := params.Lookup(fig, name)
	switch {
	case name == "name" || name == "kind" || name == "where":
		return fmt.Errorf("the %s of a figure cannot be set", name)
	case known && name == "metrics" && !kind.Reads(name):
		return noMetrics(*fig)
	}
	value, err := setValue(text, &setting{pair: pair})
	if err != nil {
		return err
	}
	if isField && field.IsList() && value.list == nil {
		return params.SetText(fig, name, text)
	}
	return params.Set(fig, name, value.plain())
}

func noMetrics(fig record.Figure) error {
	return &record.FigureError{Field: "metrics", Err: fmt.Errorf("figure %q: one of kind %s has no metrics to choose", fig.Name, fig.Kind)}
}

// recorded describes to a figure's kind the records that the spec will have.
func (s *Spec) recorded(fig record.Figure, answers bool, eval measured) (record.Recorded, error) {
	recorded := record.Recorded{K: eval.K, Positions: eval.Positions, Every: eval.Every, Keep: eval.Keep, Modes: eval.Modes}
	_, recorded.Families = metricNames()
	shown := s.measuredOf(eval, fig.Shows)
	recorded.Metric = func(name string) error { return checkMetric(name, shown) }
	for _, v := range s.Variants {
		r := record.RecordedVariant{Variant: v.Record(), Env: v.Env}
		if answers && fig.Shows(r.Variant) && (fig.Panel == nil || slices.Contains(fig.Panel, v.Label)) {
			p, mistake := v.build()
			if mistake != nil {
				return recorded, mistake.err
			}
			info := p.Env.Info()
			r.Steps, r.Optimum, r.Components, r.Embeddings = p.Steps(), p.Method.Method.Optimum, info.Components, info.Embeddings
		}
		recorded.Variants = append(recorded.Variants, r)
	}
	return recorded, nil
}

// Limits of the figures of a spec without a [[figure]].
const (
	maxDefaultLines  = 12 // variants that a reader can distinguish in one drawing
	maxDefaultPanels = 3
	maxDefaultRows   = 40 // of a grid or of bars: about a page
)

// defaultFigures are the figures of a spec without a [[figure]]: of its columns, the first over
// training, those of no family before others, and the families among them (pass@64) over k. With
// many variants it is the figure of figureOfMany; a spec that asks for timings gets no figure.
func (s *Spec) defaultFigures(eval measured) []record.Figure {
	if s.Timings {
		return nil
	}
	var curves, ofFamilies, families []string
	_, known := metricNames()
	for _, metric := range s.Columns {
		family, _, _ := strings.Cut(metric, "@")
		switch {
		case metric == metrics.CollapseMetric:
		case !slices.Contains(known, family):
			curves = append(curves, metric)
		default:
			ofFamilies, families = append(ofFamilies, metric), append(families, family)
		}
	}
	curves, families = append(curves, ofFamilies...), each.Distinct(families)
	curves, families = curves[:min(len(curves), maxDefaultPanels)], families[:min(len(families), maxDefaultPanels)]
	if len(s.Variants) > maxDefaultLines {
		return s.figureOfMany(curves)
	}
	var out []record.Figure
	if len(curves) > 0 && slices.ContainsFunc(s.Variants, func(v *Variant) bool { return v.Trains }) {
		out = append(out, record.Figure{Name: "training", Kind: "curve", Title: s.figureTitle("during training"), Metrics: curves})
	}
	if len(families) > 0 && len(eval.K) > 1 {
		out = append(out, record.Figure{Name: "k", Kind: "k-curve", Title: s.figureTitle("found in k answers"), Metrics: families})
	}
	return out
}

// figureOfMany draws the metrics after training in a grid if its cells are mostly filled, else as
// bars, the longer side downwards. Spec.Notes give the reason.
func (s *Spec) figureOfMany(metrics []string) []record.Figure {
	if len(metrics) == 0 {
		return nil
	}
	fig := record.Figure{Name: "after", Kind: "bars", Title: s.figureTitle("after training"), Metrics: metrics}
	rows := len(s.Variants)
	if fields := slices.DeleteFunc(s.axisNames(), func(field string) bool { return s.combinations([]string{field}) < 2 }); len(fields) > 1 {
		fig.Cols, fig.Rows = fields[:1], fields[1:]
		cols := s.combinations(fig.Cols)
		if rows = s.combinations(fig.Rows); cols > rows {
			fig.Cols, fig.Rows, cols, rows = fig.Rows, fig.Cols, rows, cols
		}
		fig.Kind = "grid"
		if 2*rows*cols > 3*len(s.Variants) || cols > maxDefaultLines || s.combinations(fields) < len(s.Variants) {
			fig.Kind, fig.Rows, fig.Cols, rows = "bars", nil, nil, len(s.Variants)
		}
	}
	const some = "a [[figure]] with where draws some of them"
	if rows > maxDefaultRows {
		s.Notes = append(s.Notes, fmt.Sprintf("no figure is drawn: curves show %d variants at most, bars and grids %d rows, and here are %d variants; %s", maxDefaultLines, maxDefaultRows, len(s.Variants), some))
		return nil
	}
	drawn := map[string]string{"bars": "bars", "grid": "a grid"}[fig.Kind]
	s.Notes = append(s.Notes, fmt.Sprintf("no curves are drawn, but %s: %d variants are more than the %d lines that one can tell apart; %s", drawn, len(s.Variants), maxDefaultLines, some))
	return []record.Figure{fig}
}

func (s *Spec) combinations(fields []string) int {
	known := map[string]bool{}
	for _, v := range s.Variants {
		key, variant := "", v.Record()
		for _, field := range fields {
			value, has := variant.Value(field)
			key += fmt.Sprintf("%q %v ", value, has)
		}
		known[key] = true
	}
	return len(known)
}

func (s *Spec) figureTitle(content string) string {
	title := s.Title
	if title == "" {
		title = s.Name
	}
	return fmt.Sprintf("%s: %s", title, content)
}

// maxShown bounds the figures of a spec, and its claims: each is checked against all variants.
const maxShown = 200

func (d document) show(s *Spec) error {
	eval, err := s.measured()
	if err != nil {
		return err
	}
	if s.Columns == nil {
		if eval.tradeoff, err = s.tradeoff(); err != nil {
			return err
		}
		s.Columns = defaultColumns(eval)
	}
	for _, metric := range s.Columns {
		if err := checkMetric(metric, eval); err != nil {
			return d.errorf(d.root.place("columns"), "%w", err)
		}
	}
	// Claims come first: a figure may show their verdicts.
	if _, err := d.each(s, "claim", func(table *node) error { return d.claim(s, table, eval) }); err != nil {
		return err
	}
	figures, err := d.each(s, "figure", func(table *node) error { return d.figure(s, table, eval) })
	if len(figures) == 0 {
		s.Figures = s.defaultFigures(eval)
	}
	return err
}

func (d document) each(s *Spec, key string, read func(*node) error) ([]*node, error) {
	tables, err := d.tables(key)
	if err != nil {
		return nil, err
	}
	if len(tables) > maxShown {
		return nil, d.errorf(tables[maxShown], "a spec has at most %d %ss", maxShown, key)
	}
	for _, table := range tables {
		switch mistake := read(table); {
		case mistake != nil && (d.adapted || d.set): // for another kind of policy, or for other values
			s.Notes = append(s.Notes, "left out: "+mistake.Error())
		case mistake != nil:
			return nil, mistake
		}
	}
	return tables, nil
}

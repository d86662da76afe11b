package spec

import (
	"fmt"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/internal/nearest"
	"modebench/internal/params"
	"modebench/metrics"
)

// show reads the columns, figures and claims and holds them against the
// variants.
func (d document) show(s *Spec, root map[string]any) error {
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
			return d.errorf("columns", "%w", err)
		}
	}
	figures, err := d.tables(root, "figure")
	if err != nil {
		return err
	}
	for i, table := range figures {
		err := d.figure(s, fmt.Sprintf("figure[%d]", i), table, eval)
		if err := d.fallsAway(s, err); err != nil {
			return err
		}
	}
	if len(figures) == 0 {
		s.Figures = s.defaultFigures(eval)
	}
	claims, err := d.tables(root, "claim")
	if err != nil {
		return err
	}
	for i, table := range claims {
		err := d.claim(s, fmt.Sprintf("claim[%d]", i), table, eval)
		if err := d.fallsAway(s, err); err != nil {
			return err
		}
	}
	return d.figureClaims(s, figures)
}

// fallsAway lets a figure or claim go that a spec cannot have under a kind of policy
// that it was not written for, or with what was set from outside; of others it returns the mistake.
func (d document) fallsAway(s *Spec, mistake error) error {
	if (d.adapted || d.pairs != nil) && mistake != nil {
		s.Notes = append(s.Notes, "left out: "+mistake.Error())
		return nil
	}
	return mistake
}

// measured is what there is to show: all variants are evaluated alike.
type measured struct {
	Eval
	components int  // most that the reward of a variant shown has
	variants   bool // the verdicts of some variant shown carry variants
	votes      bool // the verdicts of some variant shown carry answers to vote with
	tradeoff   bool // rewards compete: the Pareto front of a problem has several vectors
}

func (s *Spec) measured() (measured, error) {
	p, at := s.Variants[0].build()
	if at != nil {
		return measured{}, at.err
	}
	return s.measuredOf(measured{Eval: p.Eval}, func(record.Variant) bool { return true }), nil
}

// tradeoff says whether no answer is best in all components of the reward, on the
// first problem of some environment.
func (s *Spec) tradeoff() (bool, error) {
	seen := map[string]bool{}
	for _, v := range s.Variants {
		if seen[v.Env] {
			continue
		}
		seen[v.Env] = true
		p, at := v.build()
		if at != nil {
			return false, at.err
		}
		problem, err := p.Env.Problem(envs.Train, 0)
		if err != nil {
			return false, err
		}
		if len(problem.Truth().Front) > 1 {
			return true, nil
		}
	}
	return false, nil
}

// measuredOf is what there is to show of some variants.
func (s *Spec) measuredOf(m measured, shown func(record.Variant) bool) measured {
	m.components, m.variants, m.votes = 0, false, false
	for _, v := range s.Variants {
		if shown(v.Record()) {
			m.components = max(m.components, v.components)
			m.variants = m.variants || v.variants
			m.votes = m.votes || v.votes
		}
	}
	return m
}

// A figureTable is one [[figure]] but for its filter, where.
type figureTable struct {
	Name    string   `param:"name" doc:"name of its files, without extension"`
	Kind    string   `param:"kind" doc:"curve: metrics by training step; k-curve: families of metrics by k; modes: the probability of each mode by step; grid: metrics over two sets of fields; bars: metrics after training; positions: branches@h by position h; profiles: the share of runs above a score, by score (performance profiles); claims: the verdicts on all claims of the spec. Of the answers to a problem that keep in [eval] kept, for one seed: front: their rewards against the exact Pareto front; answers: the problem with the answers drawn in; map: their embeddings in a plane (PCA), by step; tree: how they part, token by token" choices:"curve,modes,k-curve,grid,bars,positions,profiles,claims,front,answers,map,tree"`
	Title   string   `param:"title" doc:"above the figure"`
	Metrics []string `param:"metrics" doc:"one panel each; a k-curve names families (best), others metrics (best@4); of answers that were kept: none"`
	Rows    []string `param:"rows" doc:"grid: the fields that tell its rows apart (method, train.lr); profiles: those that tell its lines apart, all others are settings of one line; none: method"`
	Cols    []string `param:"cols" doc:"grid: the fields that tell its columns apart"`
	Panel   []string `param:"panel" doc:"modes, front, answers, map, tree: labels of the variants to draw, in order; none: all"`

	Problem    int      `param:"problem" doc:"front, answers, map, tree: number of the problem, from 0, of those whose answers are kept" min:"0"`
	Steps      []int    `param:"steps" doc:"front, answers, map, tree: the evaluations shown, by training step; none: the last, and of a map four from the first to the last" min:"0"`
	Components []string `param:"components" doc:"front: the two or three components of the reward that are its axes, by name; none: all, where there are no more"`
}

func (d document) figure(s *Spec, prefix string, table map[string]any, eval measured) error {
	f := figureTable{}
	if err := d.fill(prefix, table, &f, "where"); err != nil {
		return err
	}
	if f.Name == "" || f.Kind == "" {
		kind, _ := params.Lookup(&f, "kind")
		return d.errorf(prefix, "a figure has a name and a kind (%s)", strings.Join(kind.Choices, ", "))
	}
	if !fileName.MatchString(f.Name) {
		return d.errorf(prefix+".name", "the name %q becomes a file name: letters, digits, '.', '_' and '-', not beginning with a dot", f.Name)
	}
	for _, other := range s.Figures {
		if other.Name == f.Name {
			return d.errorf(prefix+".name", "two figures are named %q", f.Name)
		}
	}
	fig := record.Figure{
		Name: f.Name, Kind: f.Kind, Title: f.Title,
		Metrics: f.Metrics, Rows: f.Rows, Cols: f.Cols, Panel: f.Panel,
		Problem: f.Problem, Steps: f.Steps, Components: f.Components,
	}
	if err := d.where(prefix, table, &fig, s); err != nil {
		return err
	}
	if !slices.ContainsFunc(s.Variants, func(v *Variant) bool { return fig.Keeps(v.Record()) }) {
		return d.errorf(prefix+".where", "figure %q keeps no variant", f.Name)
	}
	if err := d.figureMetrics(prefix, fig, s.measuredOf(eval, fig.Keeps)); err != nil {
		return err
	}
	if err := d.placement(prefix, fig, s); err != nil {
		return err
	}
	if err := d.figureAnswers(prefix, fig, s, eval); err != nil {
		return err
	}
	for _, label := range f.Panel {
		if !slices.ContainsFunc(s.Variants, func(v *Variant) bool { return v.Label == label }) {
			return d.errorf(prefix+".panel", "no variant is labelled %q; labels: %s", label, strings.Join(s.labels(), "; "))
		}
	}
	s.Figures = append(s.Figures, fig)
	return nil
}

func (s *Spec) labels() []string {
	var out []string
	for _, v := range s.Variants {
		out = append(out, v.Label)
	}
	return out
}

func (d document) figureMetrics(prefix string, fig record.Figure, eval measured) error {
	key := prefix + ".metrics"
	if fig.Kind == "modes" {
		if !eval.Modes {
			return d.errorf(prefix, "figure %q draws modes, which are recorded only with modes = true in [eval]", fig.Name)
		}
		return nil
	}
	if fig.Kind == "positions" || fig.Kind == kindClaims || ofAnswers(fig.Kind) {
		return d.noMetrics(prefix, fig, eval)
	}
	if len(fig.Metrics) == 0 {
		return d.errorf(prefix, "figure %q names no metrics", fig.Name)
	}
	for _, metric := range fig.Metrics {
		if fig.Kind == "k-curve" {
			if _, families := metricNames(); !slices.Contains(families, metric) {
				return d.errorf(key, "figure %q: a k-curve has no metric %q; %sit draws %s", fig.Name, metric, nearest.Hint(metric, families), strings.Join(families, ", "))
			}
			metric = fmt.Sprintf("%s@%d", metric, eval.K[0])
		}
		if err := checkMetric(metric, eval); err != nil {
			return d.errorf(key, "figure %q: %w", fig.Name, err)
		}
		if metric == metrics.CollapseMetric {
			return d.errorf(key, "figure %q: metric %q is of a run as a whole: a column, or what a claim is about", fig.Name, metric)
		}
	}
	if fig.Kind == "grid" && (len(fig.Rows) == 0 || len(fig.Cols) == 0) {
		return d.errorf(prefix, "figure %q is a grid: it names the fields of its rows and cols", fig.Name)
	}
	return nil
}

// where reads a figure's filters: where = { "train.lr" = 0.1, lambda = [0.5, 5] }.
func (d document) where(prefix string, table map[string]any, fig *record.Figure, s *Spec) error {
	where, err := d.table(table, "where")
	if err != nil {
		return d.errorf(prefix+".where", "where must be a table of fields and the values to keep")
	}
	for _, field := range d.keys(prefix+".where", where) {
		list, ok := where[field].([]any)
		if !ok {
			list = []any{where[field]}
		}
		filter := record.Filter{Field: field}
		known := s.axisValues(field)
		if known == nil {
			return d.errorf(prefix+".where."+field, "figure %q: no variant has a field %q; fields: %s", fig.Name, field, strings.Join(s.axisNames(), ", "))
		}
		for _, v := range list {
			if !slices.Contains(known, valueText(v)) {
				return d.errorf(prefix+".where."+field, "figure %q: no variant has %s = %s; values: %s", fig.Name, field, valueText(v), strings.Join(known, ", "))
			}
			filter.Values = append(filter.Values, valueText(v))
		}
		fig.Where = append(fig.Where, filter)
	}
	return nil
}

// fill sets a small struct from a table, leaving out the skipped keys.
func (d document) fill(prefix string, table map[string]any, ptr any, skip ...string) error {
	for _, key := range d.keys(prefix, table) {
		if slices.Contains(skip, key) {
			continue
		}
		if err := params.Set(ptr, key, table[key]); err != nil {
			return d.errorf(join(prefix, key), "%w", err)
		}
	}
	return nil
}

// record is the variant as the manifest writes it, without cells.
func (v *Variant) Record() record.Variant {
	return record.Variant{Label: v.Label, Name: v.Name, Method: v.Method, Trains: v.Trains, Axes: v.Axes}
}

// axisNames lists the fields that variants can be told apart by.
func (s *Spec) axisNames() []string {
	names := []string{"method"}
	for _, v := range s.Variants {
		for _, a := range v.Axes {
			if !slices.Contains(names, a.Field) {
				names = append(names, a.Field)
			}
		}
	}
	return names
}

// axisValues lists the values that a field takes among the variants; nil when
// no variant has it.
func (s *Spec) axisValues(field string) []string {
	var values []string
	for _, v := range s.Variants {
		if value, ok := v.Record().Value(field); ok && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}

// placement checks that a grid's rows and columns are fields that occur, and
// give every variant it keeps a cell of its own.
func (d document) placement(prefix string, fig record.Figure, s *Spec) error {
	if fig.Kind != "grid" && fig.Kind != kindProfiles {
		return nil
	}
	for _, part := range []struct {
		key    string
		fields []string
	}{{"rows", fig.Rows}, {"cols", fig.Cols}} {
		for _, field := range part.fields {
			if s.axisValues(field) == nil {
				return d.errorf(prefix+"."+part.key, "figure %q: no variant has a field %q; fields: %s", fig.Name, field, strings.Join(s.axisNames(), ", "))
			}
		}
	}
	if fig.Kind != "grid" {
		return nil // lines of profiles take in all variants that are alike
	}
	taken := map[string]string{}
	for _, v := range s.Variants {
		if !fig.Keeps(v.Record()) {
			continue
		}
		cell := ""
		for _, field := range append(append([]string(nil), fig.Rows...), fig.Cols...) {
			value, _ := v.Record().Value(field)
			cell += value + "\x00"
		}
		if other, ok := taken[cell]; ok {
			return d.errorf(prefix, "figure %q: %q and %q fall into one cell; add the field they differ in to rows or cols", fig.Name, other, v.Label)
		}
		taken[cell] = v.Label
	}
	return nil
}

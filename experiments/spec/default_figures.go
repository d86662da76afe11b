package spec

import (
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/metrics"
)

// Limits of the figures of a spec without a [[figure]].
const (
	maxDefaultLines  = 12 // variants that a reader can distinguish in one drawing
	maxDefaultPanels = 3
	maxDefaultRows   = 40 // of a grid or of bars: about a page
)

// defaultFigures are the figures of a spec without a [[figure]]: of its columns, the first over
// training, those of no family before others, and the families among them (pass@64) over k.
// With more variants than lines can show, it draws the figure of figureOfMany; a spec that asks
// for timings gets no figure.
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
	curves, families = append(curves, ofFamilies...), unique(families)
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

// figureOfMany is the figure of more variants than lines can show: their metrics after
// training, in a grid if its cells are mostly filled, else as bars, the longer side downwards.
// Spec.Notes give the reason, or that there are too many variants for it too.
func (s *Spec) figureOfMany(metrics []string) []record.Figure {
	if len(metrics) == 0 {
		return nil
	}
	fig := record.Figure{Name: "after", Kind: "bars", Title: s.figureTitle("after training"), Metrics: metrics}
	rows := len(s.Variants)
	if fields := s.fieldsThatDiffer(); len(fields) > 1 {
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

// fieldsThatDiffer are the fields in which variants differ, the method first.
func (s *Spec) fieldsThatDiffer() []string {
	return slices.DeleteFunc(s.axisNames(), func(field string) bool { return s.combinations([]string{field}) < 2 })
}

// combinations counts the different values that the variants have in some fields.
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

// figureTitle returns the title of a drawing of the spec.
func (s *Spec) figureTitle(content string) string {
	title := s.Title
	if title == "" {
		title = s.Name
	}
	return fmt.Sprintf("%s: %s", title, content)
}

package spec

import (
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/metrics"
)

// The figures of a spec that names none.
const (
	maxDefaultLines  = 12 // variants that a reader can distinguish in one drawing
	maxDefaultPanels = 3
)

// defaultFigures are what a spec without a [[figure]] gets, from its columns: the first
// of them over training, those of no family before others, and the families among them
// (pass@64) over k. A spec of too many variants, or one that asks for timings, gets none.
func (s *Spec) defaultFigures(eval measured) []record.Figure {
	if len(s.Variants) > maxDefaultLines || s.Timings {
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
			ofFamilies = append(ofFamilies, metric)
			if !slices.Contains(families, family) {
				families = append(families, family)
			}
		}
	}
	curves = append(curves, ofFamilies...)
	curves, families = curves[:min(len(curves), maxDefaultPanels)], families[:min(len(families), maxDefaultPanels)]
	var out []record.Figure
	if len(curves) > 0 && slices.ContainsFunc(s.Variants, func(v *Variant) bool { return v.Trains }) {
		out = append(out, record.Figure{Name: "training", Kind: "curve", Title: s.figureTitle("during training"), Metrics: curves})
	}
	if len(families) > 0 && len(eval.K) > 1 {
		out = append(out, record.Figure{Name: "k", Kind: "k-curve", Title: s.figureTitle("found in k answers"), Metrics: families})
	}
	return out
}

// figureTitle is what a drawing of the spec is called.
func (s *Spec) figureTitle(what string) string {
	title := s.Title
	if title == "" {
		title = s.Name
	}
	return fmt.Sprintf("%s: %s", title, what)
}

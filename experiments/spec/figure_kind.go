package spec

import (
	"errors"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/params"
)

// figureKinds lists the registered kinds of figures of some sort by name.
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
		return d.errorf(table.get("metrics"), "figure %q: one of kind %s has no metrics to choose", fig.Name, fig.Kind)
	}
	for _, field := range []struct {
		name  string
		given bool
	}{{"problem", fig.Problem > 0}, {"steps", fig.Steps != nil}, {"components", fig.Components != nil}} {
		if field.given && !kind.Reads(field.name) {
			readers := figureKinds(func(k record.FigureKind) bool { return k.Reads(field.name) })
			return d.errorf(table.place(field.name), "figure %q: one of kind %s has no field %q; %s has", fig.Name, fig.Kind, field.name, strings.Join(readers, ", "))
		}
	}
	if kind.Check == nil {
		return nil
	}
	recorded, err := s.recorded(fig, kind.Answers, eval)
	if err != nil {
		return err
	}
	err = kind.Check(fig, recorded)
	var wrong *record.FigureError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return d.errorf(table.place(wrong.Field), "%w", wrong.Err)
	}
	return d.errorf(table, "%w", err)
}

// recorded describes the records that the spec will have to a figure's kind, with the answers
// of the variants that a figure of answers shows.
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

// figureClaims refuses a figure of claims in a spec without claims.
func (d document) figureClaims(s *Spec, figures []*node) error {
	if len(s.Claims) > 0 {
		return nil
	}
	ofClaims := figureKinds(func(k record.FigureKind) bool { return k.Claims })
	for _, table := range figures {
		if !slices.Contains(ofClaims, table.text("kind")) {
			continue
		}
		mistake := d.errorf(table, "figure %q shows the verdicts on claims, and the spec makes no claim", table.text("name"))
		if err := d.fallsAway(s, mistake); err != nil {
			return err
		}
	}
	s.Figures = slices.DeleteFunc(s.Figures, func(fig record.Figure) bool { return slices.Contains(ofClaims, fig.Kind) })
	return nil
}

package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"modebench/experiments/record"
	"modebench/metrics"
)

// The kinds of figures that draw answers, which keep in [eval] keeps, and the fields
// that they alone have.
const (
	kindFront   = "front"
	kindAnswers = "answers"
	kindMap     = "map"
	kindTree    = "tree"
)

var kindsOfAnswers = []string{kindFront, kindAnswers, kindMap, kindTree}

func ofAnswers(kind string) bool { return slices.Contains(kindsOfAnswers, kind) }

// The kind of figure that shows the spec's claims, and that of performance profiles.
const (
	kindClaims   = "claims"
	kindProfiles = "profiles"
)

// figureClaims lets a figure of claims stand only in a spec that makes some.
func (d document) figureClaims(s *Spec, figures []map[string]any) error {
	if len(s.Claims) > 0 {
		return nil
	}
	for i, table := range figures {
		if table["kind"] != kindClaims {
			continue
		}
		mistake := d.errorf(fmt.Sprintf("figure[%d]", i), "figure %q shows the verdicts on claims, and the spec makes none", table["name"])
		if err := d.fallsAway(s, mistake); err != nil {
			return err
		}
	}
	s.Figures = slices.DeleteFunc(s.Figures, func(fig record.Figure) bool { return fig.Kind == kindClaims })
	return nil
}

// noMetrics checks a figure whose kind leaves no choice of metrics.
func (d document) noMetrics(prefix string, fig record.Figure, eval measured) error {
	if len(fig.Metrics) > 0 {
		return d.errorf(prefix+".metrics", "figure %q: one of kind %s has no metrics to choose", fig.Name, fig.Kind)
	}
	if ofAnswers(fig.Kind) || fig.Kind == kindClaims {
		return nil
	}
	position := 1
	if len(eval.Positions) > 0 {
		position = eval.Positions[0]
	}
	if err := checkMetric(metrics.BranchFamily+"@"+strconv.Itoa(position), eval); err != nil {
		return d.errorf(prefix, "figure %q: %w", fig.Name, err)
	}
	return nil
}

// figureAnswers checks what a figure says of answers.
func (d document) figureAnswers(prefix string, fig record.Figure, s *Spec, eval measured) error {
	for _, field := range []struct {
		name  string
		given bool
		kinds []string
	}{
		{"problem", fig.Problem > 0, kindsOfAnswers},
		{"steps", fig.Steps != nil, kindsOfAnswers},
		{"components", fig.Components != nil, []string{kindFront}},
	} {
		if field.given && !slices.Contains(field.kinds, fig.Kind) {
			return d.errorf(prefix+"."+field.name, "figure %q: one of kind %s has no field %q; %s has", fig.Name, fig.Kind, field.name, strings.Join(field.kinds, ", "))
		}
	}
	if !ofAnswers(fig.Kind) {
		return nil
	}
	if fig.Problem >= eval.Keep {
		return d.errorf(prefix, "figure %q draws answers to problem %d, and keep = %d in [eval] keeps those to so many problems, from 0", fig.Name, fig.Problem, eval.Keep)
	}
	for _, v := range s.Variants {
		if !fig.Keeps(v.Record()) || fig.Panel != nil && !slices.Contains(fig.Panel, v.Label) {
			continue
		}
		if err := d.answersOf(prefix, fig, v); err != nil {
			return err
		}
	}
	return nil
}

// answersOf checks a figure of answers against a variant that it shows.
func (d document) answersOf(prefix string, fig record.Figure, v *Variant) error {
	p, at := v.build()
	if at != nil {
		return at.err
	}
	if p.Method.Method.Optimum {
		return nil // it has no answers, and no part in the figure
	}
	if last := p.Steps(); last > 0 {
		for _, step := range fig.Steps {
			if step > last || step < last && step%p.Eval.Every != 0 {
				return d.errorf(prefix+".steps", "figure %q: %s is not evaluated at step %d, but every %d steps up to %d", fig.Name, v.Label, step, p.Eval.Every, last)
			}
		}
	}
	info := p.Env.Info()
	if fig.Kind == kindMap && !info.Embeddings {
		return d.errorf(prefix, "figure %q is a map of embeddings, and answers of %s have none", fig.Name, v.Env)
	}
	if fig.Kind != kindFront {
		return nil
	}
	for i, name := range fig.Components {
		if !slices.Contains(info.Components, name) || slices.Contains(fig.Components[:i], name) {
			return d.errorf(prefix+".components", "figure %q: entry %d: got %q, want each once, of those of %s: %s", fig.Name, i, name, v.Env, strings.Join(info.Components, ", "))
		}
	}
	n := len(fig.Components)
	if fig.Components == nil {
		n = len(info.Components)
	}
	if n < 2 || n > 3 {
		return d.errorf(prefix, "figure %q: a front is drawn in two or three components of the reward, not %d; %s has %s", fig.Name, n, v.Env, strings.Join(info.Components, ", "))
	}
	return nil
}

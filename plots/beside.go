package plots

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

// A Side is one of the experiments that a drawing shows beside each other.
type Side struct {
	Data    *Data  // what its figure shows
	From    string // the folder or file it is from, for errors
	Heading string // what stands over its panels
}

// Beside draws the same figure of several experiments on one page, under one legend:
// a method, known by its label, looks the same in all panels. A label leaves out the
// fields that vary within no experiment. The panels are those of every metric that a
// side's figure has, and those of one metric share their vertical axis unless freeY.
// The figures are all of the kind curve or all of the kind k-curve; other kinds are an
// error, as is what Draw calls one.
func Beside(sides []Side, freeY bool) (*draw.Figure, error) {
	kind, err := besideKind(sides)
	if err != nil {
		return nil, err
	}
	parts := make([]*part, len(sides))
	for i, s := range sides {
		parts[i] = &part{Side: s, shown: s.Data.Variants}
	}
	metrics := besideMetrics(sides)
	if len(metrics) == 0 {
		return nil, fmt.Errorf("figure %q: a %s needs at least one metric; metrics is empty", sides[0].Data.Figure.Name, sides[0].Data.Figure.Kind)
	}
	shortenTogether(parts)
	p := newSidePage(parts, len(metrics))
	for _, metric := range metrics {
		if err := p.addMetric(kind, metric, freeY); err != nil {
			return nil, fmt.Errorf("figure %q: %w", sides[0].Data.Figure.Name, err)
		}
	}
	return p.figure(kind, freeY), nil
}

// besideKind is the one kind of all the figures.
func besideKind(sides []Side) (*lineKind, error) {
	if len(sides) == 0 {
		return nil, errors.New("no experiments to draw beside each other")
	}
	first := sides[0]
	for _, s := range sides[1:] {
		if s.Data.Figure.Kind != first.Data.Figure.Kind {
			return nil, fmt.Errorf("figure %q is a %s in %s and a %s in %s: only figures of one kind stand beside each other",
				s.Data.Figure.Name, first.Data.Figure.Kind, first.From, s.Data.Figure.Kind, s.From)
		}
	}
	lines := kinds[first.Data.Figure.Kind].lines
	if lines == nil {
		return nil, fmt.Errorf("figure %q is of the kind %s; what can stand beside each other is a curve or a k-curve", first.Data.Figure.Name, first.Data.Figure.Kind)
	}
	return lines, nil
}

// besideMetrics lists the metrics of all figures, each once.
func besideMetrics(sides []Side) []string {
	var out []string
	for _, s := range sides {
		for _, metric := range s.Data.Figure.Metrics {
			if !slices.Contains(out, metric) {
				out = append(out, metric)
			}
		}
	}
	return out
}

// A part of a page is a side with its panels.
type part struct {
	Side
	shown  []numbers.Variant
	common string // what the labels leave out, as a sentence
	sheet  *sheets.Sheet
}

// shortenTogether is numbers.Shorten for several sides. A field that varies in one of them
// stays in the labels of all: otherwise a variant would have a label on each side.
func shortenTogether(parts []*part) {
	var all []numbers.Variant
	var varying []string
	for _, p := range parts {
		all = append(all, p.shown...)
		common := numbers.Shared(p.shown)
		for _, field := range numbers.FieldsOf(p.shown)[1:] {
			if !slices.ContainsFunc(common, func(a record.Axis) bool { return a.Field == field }) {
				varying = append(varying, field)
			}
		}
	}
	labels, notes := make([][]string, len(parts)), make([]string, len(parts))
	for i, p := range parts {
		common := slices.DeleteFunc(numbers.Shared(p.shown), func(a record.Axis) bool { return slices.Contains(varying, a.Field) })
		for _, s := range p.shown {
			labels[i] = append(labels[i], numbers.ShortLabel(s, common, all))
		}
		distinct := slices.Clone(labels[i])
		slices.Sort(distinct)
		if len(slices.Compact(distinct)) < len(p.shown) {
			return
		}
		notes[i] = numbers.SharedNote(common, all)
	}
	for i, p := range parts {
		p.shown, p.common = slices.Clone(p.shown), notes[i]
		for j := range p.shown {
			p.shown[j].Called = labels[i][j]
		}
	}
}

// joint lists the variants of all parts by label, each once. A variant that earlier sides
// lack stands before the next one of its own side that they have, so that a sweep stays
// together. Where there is no such next one, it stands at the end. Exact optima come last.
func joint(parts []*part) []numbers.Variant {
	var out []numbers.Variant
	position := func(label string) int {
		return slices.IndexFunc(out, func(o numbers.Variant) bool { return o.Called == label })
	}
	for _, p := range parts {
		for i, s := range p.shown {
			if position(s.Called) >= 0 {
				continue
			}
			at := len(out)
			for _, next := range p.shown[i+1:] {
				if known := position(next.Called); known >= 0 {
					at = known
					break
				}
			}
			out = slices.Insert(out, at, s)
		}
	}
	return numbers.CeilingsLast(out)
}

// besideNotes are the paragraphs of a page: one for each side with what holds for it alone,
// and one with what holds for all.
func besideNotes(parts []*part, kind *lineKind, freeY bool) []string {
	said := make([][]string, len(parts))
	banded := false
	for i, p := range parts {
		said[i] = []string{p.common, kind.note(p.shown, p.Data.Figure.Metrics), p.sheet.Absences(), sheets.SeedNote(p.shown, false)}
		banded = banded || sheets.SeedNote(p.shown, true) != said[i][3]
	}
	var paragraphs, all []string
	for j := range said[0] {
		if !slices.ContainsFunc(said, func(s []string) bool { return s[j] != said[0][j] }) {
			all = append(all, said[0][j])
			for i := range said {
				said[i][j] = ""
			}
		}
	}
	for i, p := range parts {
		if own := strings.TrimPrefix(draw.Sentences(said[i]...), "All: "); own != "" {
			paragraphs = append(paragraphs, p.Heading+": "+own)
		}
	}
	if banded {
		all = append(all, "Bands: 95% confidence intervals over seeds.")
	}
	if freeY {
		all = append(all, "Vertical axes differ between the panels.")
	}
	return append(paragraphs, draw.Sentences(all...))
}

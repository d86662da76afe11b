package plots

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"modebench/experiments/record"
	"modebench/plots/draw"
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
	wings := make([]*wing, len(sides))
	for i, s := range sides {
		wings[i] = &wing{Side: s, shown: s.Data.samples()}
	}
	metrics := besideMetrics(sides)
	if len(metrics) == 0 {
		return nil, fmt.Errorf("figure %q: a %s needs at least one metric; metrics is empty", sides[0].Data.Figure.Name, sides[0].Data.Figure.Kind)
	}
	shortenTogether(wings)
	s := newSpread(wings, len(metrics))
	for _, metric := range metrics {
		if err := s.addMetric(kind, metric, freeY); err != nil {
			return nil, fmt.Errorf("figure %q: %w", sides[0].Data.Figure.Name, err)
		}
	}
	return s.figure(kind, freeY), nil
}

// besideKind is the one kind of all the figures.
func besideKind(sides []Side) (lineKind, error) {
	if len(sides) == 0 {
		return lineKind{}, errors.New("no experiments to draw beside each other")
	}
	first := sides[0]
	for _, s := range sides[1:] {
		if s.Data.Figure.Kind != first.Data.Figure.Kind {
			return lineKind{}, fmt.Errorf("figure %q is a %s in %s and a %s in %s: only figures of one kind stand beside each other",
				s.Data.Figure.Name, first.Data.Figure.Kind, first.From, s.Data.Figure.Kind, s.From)
		}
	}
	kind, ok := lineKinds[first.Data.Figure.Kind]
	if !ok {
		return lineKind{}, fmt.Errorf("figure %q is of the kind %s; what can stand beside each other is a curve or a k-curve", first.Data.Figure.Name, first.Data.Figure.Kind)
	}
	return kind, nil
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

// A wing is a side with its records.
type wing struct {
	Side
	shown  []sample
	common string // what the labels leave out, as a sentence
	sheet  *sheet
}

// A lineKind is a kind of figure made of line panels.
type lineKind struct {
	metric   string // what the figure's metrics are, in an error
	describe func(metric string) draw.Measure
	// axis is the horizontal axis of the metric's panel of one wing.
	axis func(metric string, w *wing, all []sample) horizontal
	// points are a variant's, on that axis.
	points func(s sample, metric string, axis horizontal) []point
	note   func(w *wing) string // what else is to be said of a wing; "" for nothing
}

// A horizontal is a horizontal axis.
type horizontal struct {
	label     string
	low, high float64 // they differ
	ks        []int   // of a k-curve
	ticks     plot.Ticker
}

var lineKinds = map[string]lineKind{
	"curve": {
		metric: "metric", describe: describe,
		axis: func(_ string, w *wing, _ []sample) horizontal {
			first, last := stepRange(w.shown)
			low, high := apart(float64(first), float64(last))
			return horizontal{label: "training step", low: low, high: high, ticks: draw.Ticks{Count: w.sheet.xTicks(), Whole: true}}
		},
		points: func(s sample, metric string, axis horizontal) []point {
			points := s.history(metric)
			if s.variant.Trains {
				return points
			}
			return across(points, axis.low, axis.high)
		},
		note: func(*wing) string { return "" },
	},
	"k-curve": {
		metric: "metric of the family", describe: describeFamily,
		// All sides share the axis: k is the same thing in each, and a step may not be.
		axis: func(family string, w *wing, all []sample) horizontal {
			ks := measuredKs(family, all)
			if len(ks) == 0 {
				return horizontal{}
			}
			low, high := apart(draw.Log2(ks[0]), draw.Log2(ks[len(ks)-1]))
			return horizontal{label: "k (answers per problem)", low: low, high: high, ks: ks, ticks: draw.KTicks(ks, w.sheet.panelWidth())}
		},
		points: func(s sample, family string, axis horizontal) []point {
			points := s.byK(family, axis.ks)
			if isCeiling(s.variant) {
				return across(points, axis.low, axis.high)
			}
			return points
		},
		note: func(w *wing) string { return kNote(w.shown, w.Data.Figure.Metrics) },
	},
}

// shortenTogether is shorten for several wings. A field that varies in one of them
// stays in the labels of all, or the same variant would go by two.
func shortenTogether(wings []*wing) {
	var all []sample
	var varying []string
	for _, w := range wings {
		all = append(all, w.shown...)
		common := shared(w.shown)
		for _, field := range fieldsOf(variantsOf(w.shown))[1:] {
			if !slices.ContainsFunc(common, func(a record.Axis) bool { return a.Field == field }) {
				varying = append(varying, field)
			}
		}
	}
	labels, notes := make([][]string, len(wings)), make([]string, len(wings))
	for i, w := range wings {
		common := slices.DeleteFunc(shared(w.shown), func(a record.Axis) bool { return slices.Contains(varying, a.Field) })
		for _, s := range w.shown {
			labels[i] = append(labels[i], shortLabel(s.variant, common, all))
		}
		distinct := slices.Clone(labels[i])
		slices.Sort(distinct)
		if len(slices.Compact(distinct)) < len(w.shown) {
			return
		}
		notes[i] = sharedNote(common, all)
	}
	for i, w := range wings {
		w.shown, w.common = slices.Clone(w.shown), notes[i]
		for j := range w.shown {
			w.shown[j].label = labels[i][j]
		}
	}
}

// joint lists the variants of all wings by label, each once. What an earlier wing
// lacks comes before what follows it where it is and all know, so that a sweep stays
// together, else behind all; exact optima come last.
func joint(wings []*wing) []sample {
	var out []sample
	position := func(label string) int {
		return slices.IndexFunc(out, func(o sample) bool { return o.label == label })
	}
	for _, w := range wings {
		for i, s := range w.shown {
			if position(s.label) >= 0 {
				continue
			}
			at := len(out)
			for _, next := range w.shown[i+1:] {
				if known := position(next.label); known >= 0 {
					at = known
					break
				}
			}
			out = slices.Insert(out, at, s)
		}
	}
	return ceilingsLast(out)
}

// besideNotes is what there is to say: a paragraph for each wing with what is said of
// it alone, and one with what is said of all.
func besideNotes(wings []*wing, kind lineKind, freeY bool) []string {
	said := make([][]string, len(wings))
	banded := false
	for i, w := range wings {
		said[i] = []string{w.common, kind.note(w), w.sheet.absences(), seedNote(w.shown, false)}
		banded = banded || seedNote(w.shown, true) != said[i][3]
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
	for i, w := range wings {
		if own := strings.TrimPrefix(draw.Sentences(said[i]...), "All: "); own != "" {
			paragraphs = append(paragraphs, w.Heading+": "+own)
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

package plots

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/numbers"
)

// A kind is a kind of figure. Each is a file of this package, which registers it.
type kind struct {
	record.FigureKind
	needs  string                                      // the error of a figure without metrics; "": it may lack them
	note   string                                      // explains the numbers of its table
	gather func(run *record.Run, d *Data) error        // fills in the numbers
	draw   func(d *Data) (*draw.Figure, Values, error) // the figure and its table
	lines  *lineKind                                   // of a kind that Beside draws
}

// lastNote explains the numbers of kinds that show metrics after training.
const lastNote = "At the last evaluation: mean over seeds [95% interval]."

// kinds holds the kinds of figures by name.
var kinds = map[string]kind{}

// register makes a kind of figure known to this package, and to readers of specs.
func register(k kind) {
	record.RegisterFigureKind(k.FigureKind)
	kinds[k.Name] = k
}

// kindNames lists the kinds of figures, in alphabetical order.
func kindNames() []string { return slices.Sorted(maps.Keys(kinds)) }

// ValuesNote explains the numbers of a kind of figure.
func ValuesNote(kind string) string { return kinds[kind].note }

// The fields that kinds of figures read.
var (
	metricFields = []string{"metrics"}
	sizeFields   = []string{"width", "without"}
	axisFields   = []string{"x", "y", "log"}
	lineFields   = slices.Concat(metricFields, axisFields, sizeFields, []string{"free_y"})
	pairFields   = slices.Concat(metricFields, axisFields, sizeFields)
	poolFields   = slices.Concat(answerFields, sizeFields)
	answerFields = []string{"panel", "problem", "steps"}
)

// shownVariants are the variants of a spec that a figure keeps, without numbers.
func shownVariants(fig record.Figure, recorded record.Recorded) (out []numbers.Variant) {
	for _, v := range recorded.Variants {
		if fig.Shows(v.Variant) {
			out = append(out, numbers.Variant{Label: v.Label, Name: v.Name, Method: v.Method, Axes: v.Axes, Trains: v.Trains})
		}
	}
	return out
}

// wrongField is the error of a field of a figure.
func wrongField(field, format string, args ...any) error {
	return &record.FigureError{Field: field, Err: fmt.Errorf(format, args...)}
}

// wholeRun is the metric that a run has as a whole, at no step.
const wholeRun = "collapse_step"

// checkMetrics checks that a figure has metrics, and that evaluations have them.
func checkMetrics(fig record.Figure, recorded record.Recorded) error {
	if len(fig.Metrics) == 0 {
		return fmt.Errorf("figure %q names no metrics", fig.Name)
	}
	for _, metric := range fig.Metrics {
		if err := checkMetric(fig, metric, recorded); err != nil {
			return err
		}
	}
	return nil
}

func checkMetric(fig record.Figure, metric string, recorded record.Recorded) error {
	if err := recorded.Metric(metric); err != nil {
		return wrongField("metrics", "figure %q: %w", fig.Name, err)
	}
	if metric == wholeRun {
		return wrongField("metrics", "figure %q: metric %q is of a run as a whole: a column, or what a claim is about", fig.Name, metric)
	}
	return nil
}

// checkFields checks that a figure has metrics, and that some variant has each field of its rows
// and cols.
func checkFields(fig record.Figure, recorded record.Recorded) error {
	if err := checkMetrics(fig, recorded); err != nil {
		return err
	}
	known := numbers.FieldsOf(shownVariants(record.Figure{}, recorded))
	for i, fields := range [][]string{fig.Rows, fig.Cols} {
		for _, field := range fields {
			if !slices.Contains(known, field) {
				return wrongField([]string{"rows", "cols"}[i], "figure %q: no variant has a field %q; fields: %s", fig.Name, field, strings.Join(known, ", "))
			}
		}
	}
	return nil
}

// wantMeasured returns the error of the first metric that no variant has at its last step.
func wantMeasured(metrics []string, shown []numbers.Variant) error {
	for _, metric := range metrics {
		if !slices.ContainsFunc(shown, func(v numbers.Variant) bool { return v.AtLast(metric).N > 0 }) {
			return numbers.UnknownMetric("metric", metric, shown)
		}
	}
	return nil
}

func ofMetrics(pick func(fig record.Figure, e *numbers.Evaluated)) func(*record.Run, *Data) error {
	return func(run *record.Run, d *Data) error {
		shown, err := d.load(run)
		for i := range shown {
			pick(d.Figure, &shown[i])
			d.Variants = append(d.Variants, shown[i].Variant)
		}
		return err
	}
}

// measureSteps picks the figure's metrics at as many steps as a panel has room for.
func measureSteps(fig record.Figure, e *numbers.Evaluated) {
	e.Thin()
	e.Measure(fig.Metrics)
}

func (d *Data) load(run *record.Run) (shown []numbers.Evaluated, err error) {
	if shown, err = numbers.Load(run, d.Figure); err != nil {
		return nil, err
	}
	d.Policy, err = numbers.PolicyOf(run, shown)
	return shown, err
}

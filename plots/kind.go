package plots

import (
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/numbers"
)

// A kind is a kind of figure. Each is a file of this package, which registers it.
type kind struct {
	record.FigureKind
	note   string                               // what the numbers of its table are
	gather func(run *record.Run, d *Data) error // fills in what the figure shows
	draw   func(d *Data) (*draw.Figure, error)  // draws it
	values func(d *Data) (Values, error)        // its numbers as a table
	lines  *lineKind                            // of a kind that Beside draws
}

// kinds holds the kinds of figures by name.
var kinds = map[string]kind{}

// register makes a kind of figure known to this package, and to readers of specs.
func register(k kind) {
	record.RegisterFigureKind(k.FigureKind)
	kinds[k.Name] = k
}

// kindNames lists the kinds of figures, in alphabetical order.
func kindNames() []string {
	var names []string
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ValuesNote says what the numbers of a kind of figure are.
func ValuesNote(kind string) string { return kinds[kind].note }

// The fields that kinds of figures read.
var (
	metricFields = []string{"metrics"}
	answerFields = []string{"panel", "problem", "steps"}
)

// shows says whether the figure shows a variant of the spec.
func shows(fig record.Figure, v record.RecordedVariant) bool {
	return fig.Shows(v.Variant) && (fig.Panel == nil || slices.Contains(fig.Panel, v.Label))
}

// wrongField is the error of a field of a figure.
func wrongField(field, format string, args ...any) error {
	return &record.FigureError{Field: field, Err: fmt.Errorf(format, args...)}
}

// wholeRun is the metric that a run has as a whole, at no step.
const wholeRun = "collapse_step"

// checkMetrics is the check of a figure of metrics: there are some, and evaluations have
// them.
func checkMetrics(fig record.Figure, of record.Recorded) error {
	if len(fig.Metrics) == 0 {
		return noMetrics(fig)
	}
	for _, metric := range fig.Metrics {
		if err := checkMetric(fig, metric, of); err != nil {
			return err
		}
	}
	return nil
}

func noMetrics(fig record.Figure) error {
	return fmt.Errorf("figure %q names no metrics", fig.Name)
}

func checkMetric(fig record.Figure, metric string, of record.Recorded) error {
	if err := of.Metric(metric); err != nil {
		return wrongField("metrics", "figure %q: %w", fig.Name, err)
	}
	if metric == wholeRun {
		return wrongField("metrics", "figure %q: metric %q is of a run as a whole: a column, or what a claim is about", fig.Name, metric)
	}
	return nil
}

// checkFields is the check that some variant has every field in rows and cols.
func checkFields(fig record.Figure, of record.Recorded) error {
	known := []string{"method"}
	for _, v := range of.Variants {
		for _, a := range v.Axes {
			if !slices.Contains(known, a.Field) {
				known = append(known, a.Field)
			}
		}
	}
	for _, part := range []struct {
		key    string
		fields []string
	}{{"rows", fig.Rows}, {"cols", fig.Cols}} {
		for _, field := range part.fields {
			if !slices.Contains(known, field) {
				return wrongField(part.key, "figure %q: no variant has a field %q; fields: %s", fig.Name, field, strings.Join(known, ", "))
			}
		}
	}
	return nil
}

// ofMetrics gathers what a kind shows of the metrics of each variant.
func ofMetrics(pick func(fig record.Figure, e *numbers.Evaluated)) func(*record.Run, *Data) error {
	return func(run *record.Run, d *Data) error {
		shown, err := d.load(run)
		if err != nil {
			return err
		}
		for i := range shown {
			pick(d.Figure, &shown[i])
			d.Variants = append(d.Variants, shown[i].Variant)
		}
		return nil
	}
}

// load reads the variants that the figure shows, and the kind of policy.
func (d *Data) load(run *record.Run) (shown []numbers.Evaluated, err error) {
	if shown, err = numbers.Load(run, d.Figure); err != nil {
		return nil, err
	}
	d.Policy, err = numbers.PolicyOf(run, shown)
	return shown, err
}

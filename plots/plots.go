// Package plots draws the figures of an experiment from its record files: a
// run's manifest says which figures it has, and Draw makes one of them.
//
// All figures share one style, made for the columns of a two-column paper:
// colours that colour-blind readers can tell apart, combined with dashes and
// markers so that a grey print stays readable, no text below 8 pt, and a legend
// outside the data. The same records give the same SVG, byte for byte.
//
// A figure is drawn in two steps: Gather reads from the records what it shows, as Data,
// and Data.Draw draws that. So the data, a few kilobytes, can be kept in place of the
// records, and draws the same bytes.
package plots

import (
	"sort"

	"modebench/experiments/record"
	"modebench/plots/draw"
)

// Kinds lists the kinds of figures, in alphabetical order.
func Kinds() []string {
	names := make([]string, 0, len(kinds)+len(poolKinds)+1)
	for name := range kinds {
		names = append(names, name)
	}
	for name := range poolKinds {
		names = append(names, name)
	}
	names = append(names, claimsKind)
	sort.Strings(names)
	return names
}

// Draw makes one figure of the run's manifest. It reads the evaluation records
// of the variants that the figure keeps; an unknown kind, a filter that keeps
// nothing, a metric or a variant that does not exist, and records that are
// missing or broken are errors that say which figure asked for what.
func Draw(run *record.Run, fig record.Figure) (*draw.Figure, error) {
	d, err := Gather(run, fig)
	if err != nil {
		return nil, err
	}
	return d.Draw()
}

// DrawValues is Draw with the numbers that the figure shows, which come from the same
// evaluations. Of a curve with many evaluations it picks some, evenly.
func DrawValues(run *record.Run, fig record.Figure) (*draw.Figure, Values, error) {
	d, err := Gather(run, fig)
	if err != nil {
		return nil, nil, err
	}
	return d.DrawValues()
}

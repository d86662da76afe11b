// Package plots draws the figures of an experiment from its record files. The manifest of
// a run says which figures it has.
//
// A figure is drawn in two steps: Gather reads from the records what it shows, as Data,
// and Data.Draw draws that. So the data, a few kilobytes, can be stored in place of the
// records, and draws the same bytes.
//
// A kind of figure is a file of this package: curve.go, grid.go, front.go. It registers what
// the kind is called and reads, what is gathered, how it is drawn and which table goes with
// it. The kit that all of them draw with is plots/draw, the pictures of problems are those
// of plots/problem.
package plots

import (
	"cmp"
	"fmt"
	"strings"

	"modebench/experiments/record"
	"modebench/plots/draw"
)

// Gather reads from the records of a run what one figure of its manifest shows: the
// evaluations of the variants that the figure keeps. An unknown kind, a filter that keeps
// nothing, and records that are missing or broken are errors that name the figure.
func Gather(run *record.Run, fig record.Figure) (*Data, error) {
	d := &Data{Spec: run.Spec, Figure: fig}
	k, known := kinds[fig.Kind]
	if !known {
		return nil, fmt.Errorf("figure %q: unknown kind %q; known kinds: %s", fig.Name, fig.Kind, strings.Join(kindNames(), ", "))
	}
	if err := k.gather(run, d); err != nil {
		return nil, fmt.Errorf("figure %q: %w", fig.Name, err)
	}
	return d, nil
}

// Draw draws the figure. A metric or a variant that does not exist is an error that names
// the figure.
func (d *Data) Draw() (*draw.Figure, error) {
	f, _, err := d.DrawValues()
	return f, err
}

// DrawValues is Draw with the numbers that the figure shows. Of a curve with many
// evaluations it picks some, evenly.
func (d *Data) DrawValues() (*draw.Figure, Values, error) {
	k := kinds[d.Figure.Kind]
	f, err := k.draw(d)
	var values Values
	if err == nil {
		values, err = k.values(d)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("figure %q: %w", d.Figure.Name, err)
	}
	return f.Told(cmp.Or(d.Figure.Title, d.Figure.Name, d.Figure.Kind), seen(d.Figure.Kind, values)), values, nil
}

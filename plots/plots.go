// Package plots draws the figures of an experiment from its record files. The manifest of
// a run names its figures.
//
// A figure is drawn in two steps: Gather reads its numbers from the records, as Data, and
// Data.Draw draws them. So the data, a few kilobytes, can be stored in place of the records,
// and draw the same bytes.
//
// A kind of figure is a file of this package: curve.go, grid.go, front.go. It registers the
// name and the fields of the kind, how its data are gathered, how it is drawn, and its table of
// numbers. Package draw is the kit of all drawings, package problem draws problems.
package plots

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"modebench/experiments/record"
	"modebench/plots/draw"
)

// Gather reads from the records of a run the numbers of one figure of its manifest: the
// evaluations of the variants that the figure keeps. An unknown kind, a filter that keeps
// no variant, and records that are missing or broken are errors that name the figure.
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

// DrawValues is Draw with the numbers of the figure. A curve with many evaluations has
// those of some, evenly picked.
func (d *Data) DrawValues() (*draw.Figure, Values, error) {
	k, fig := kinds[d.Figure.Kind], d.Figure
	if err := fig.Shape(); err != nil {
		return nil, nil, err
	}
	err := error(nil)
	if k.needs != "" && len(fig.Metrics) == 0 {
		err = errors.New(k.needs + "; metrics is empty")
	}
	var f *draw.Figure
	var values Values
	if err == nil {
		f, values, err = k.draw(d)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("figure %q: %w", fig.Name, err)
	}
	return f.Told(cmp.Or(fig.Title, fig.Name, fig.Kind), altText(fig.Kind, values)), values, nil
}

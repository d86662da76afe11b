// Package plots draws the figures of an experiment from its record files: a
// run's manifest says which figures it has, and Draw makes one of them.
//
// All figures share one style, made for the columns of a two-column paper:
// colours that colour-blind readers can tell apart, combined with dashes and
// markers so that a grey print stays readable, no text below 8 pt, and a legend
// outside the data. The same records give the same SVG, byte for byte.
package plots

import (
	"fmt"
	"sort"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"modebench/experiments/record"
)

// A Figure is a finished drawing. It can be written any number of times.
type Figure struct {
	width, height vg.Length
	paint         func(draw.Canvas)
}

// kinds holds how each kind of figure is made from the variants it shows.
var kinds = map[string]func(fig record.Figure, shown []sample) (*Figure, error){
	"curve":   curveFigure,
	"modes":   modesFigure,
	"k-curve": kCurveFigure,
	"grid":    gridFigure,

	"bars":      barsFigure,
	"positions": positionsFigure,
}

// poolKinds holds the same for the kinds that draw answers to one problem.
var poolKinds = map[string]func(fig record.Figure, shown []*pooled) (*Figure, error){
	"answers": answersFigure,
	"front":   frontFigure,
	"map":     mapFigure,
}

// Kinds lists the kinds of figures, in alphabetical order.
func Kinds() []string {
	names := make([]string, 0, len(kinds)+len(poolKinds))
	for name := range kinds {
		names = append(names, name)
	}
	for name := range poolKinds {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Draw makes one figure of the run's manifest. It reads the evaluation records
// of the variants that the figure keeps; an unknown kind, a filter that keeps
// nothing, a metric or a variant that does not exist, and records that are
// missing or broken are errors that say which figure asked for what.
func Draw(run *record.Run, fig record.Figure) (*Figure, error) {
	made, err := drawn(run, fig)
	if err != nil {
		return nil, fmt.Errorf("figure %q: %w", fig.Name, err)
	}
	return made, nil
}

func drawn(run *record.Run, fig record.Figure) (*Figure, error) {
	kind, known := kinds[fig.Kind]
	poolKind, ofAnswers := poolKinds[fig.Kind]
	if !known && !ofAnswers {
		return nil, fmt.Errorf("unknown kind %q; known kinds: %s", fig.Kind, strings.Join(Kinds(), ", "))
	}
	variants, err := chosen(run.Variants, fig)
	if err != nil {
		return nil, err
	}
	shown, err := load(run, variants)
	if err != nil {
		return nil, err
	}
	if ofAnswers {
		pools, err := loadPools(run, fig, shown)
		if err != nil {
			return nil, err
		}
		return poolKind(fig, pools)
	}
	return kind(fig, ceilingsLast(shown))
}

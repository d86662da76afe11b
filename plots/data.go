package plots

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
)

// Data is what a figure shows, without the records it comes from: a few kilobytes that
// can be kept beside the drawing, and from which it is drawn again, byte for byte. Write
// gives it the form of a file, ReadData reads one. Its fields are those of the file.
type Data struct {
	Version int           // of the form: DataVersion
	Spec    string        // that the records are of
	Policy  string        // its kind of policy
	Figure  record.Figure // what was asked for
	// Variants are those shown, in the order of the manifest, exact optima last; of a
	// figure of claims there are none.
	Variants []Variant
	Claims   []ClaimRow // of the kind claims
}

// A Variant is one variant in a figure: how the manifest calls it, and what its records
// came to. Which of the last four fields it has depends on the kind of the figure.
type Variant struct {
	Label, Name, Method string
	Trains              bool
	Axes                []record.Axis
	Seeds               []int // their numbers, in the order of the manifest
	Steps               []int // the evaluations shown, ascending; all seeds have them
	Short               bool  // some seed has evaluations that another lacks

	Series []Series // curve, k-curve, grid, bars, positions
	Rivers *Rivers  // modes
	Scores []Scores // profiles
	Pools  *Pools   // answers, front, map, tree

	known []string // metrics of the records, for errors
}

// A Series is a metric of a variant at each of its steps, over its seeds.
type Series struct {
	Metric string
	At     []stats.Interval // N is 0 where no seed has the metric; the bounds are infinite for one seed
}

// Scores are a metric of each seed of a variant at the last step. A metric that some
// seed lacks has none.
type Scores struct {
	Metric string
	Values []float64 // in the order of the seeds
}

// A kind is a kind of figure that shows metrics.
type kind struct {
	pick   func(fig record.Figure, shown []seeded) []seeded // nil: all are shown
	gather func(fig record.Figure, s *seeded)               // works out what the figure shows of a variant
	draw   func(fig record.Figure, shown []sample) (*draw.Figure, error)
	values func(fig record.Figure, shown []sample) (Values, error)
}

// kinds holds the kinds of figures that show metrics.
var kinds = map[string]kind{
	"curve":     {gather: gatherCurve, draw: curveFigure, values: curveValues},
	"modes":     {pick: pickModes, gather: gatherModes, draw: modesFigure, values: modesValues},
	"k-curve":   {gather: gatherFamilies, draw: kCurveFigure, values: kCurveValues},
	"grid":      {gather: gatherLast, draw: gridFigure, values: gridValues},
	"bars":      {gather: gatherLast, draw: barsFigure, values: gridValues},
	"positions": {gather: gatherPositions, draw: positionsFigure, values: positionsValues},
	"profiles":  {gather: gatherScores, draw: profilesFigure, values: profilesValues},
}

// Gather reads from the records of a run what one figure of its manifest shows. Its
// errors are those of Draw that are about records.
func Gather(run *record.Run, fig record.Figure) (*Data, error) {
	d, err := gather(run, fig)
	if err != nil {
		return nil, fmt.Errorf("figure %q: %w", fig.Name, err)
	}
	return d, nil
}

func gather(run *record.Run, fig record.Figure) (*Data, error) {
	d := &Data{Version: DataVersion, Spec: run.Spec, Figure: fig}
	of, known := kinds[fig.Kind]
	ofPools, pools := poolKinds[fig.Kind]
	switch {
	case fig.Kind == claimsKind:
		return d, d.gatherClaims(run)
	case !known && !pools:
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
	shown = ceilingsLast(shown)
	if d.Policy, err = policyOf(run, shown); err != nil {
		return nil, err
	}
	if pools {
		return d, d.gatherPools(run, ofPools, shown)
	}
	if of.pick != nil {
		shown = of.pick(fig, shown)
	}
	for i := range shown {
		s := &shown[i]
		s.known = s.metricsOf()
		of.gather(fig, s)
		d.Variants = append(d.Variants, told(s.sample))
		d.Variants[i].known = s.known
	}
	return d, nil
}

// policyOf is the kind of policy of what is trained, or of the first variant; "" where no
// cell says.
func policyOf(run *record.Run, shown []seeded) (string, error) {
	v := shown[max(0, slices.IndexFunc(shown, func(s seeded) bool { return s.variant.Trains }))].variant
	cell, err := run.Cell(v.Cells[0])
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return cell.Policy.Name, err
}

// samples are the variants as a figure draws them.
func (d *Data) samples() []sample {
	out := make([]sample, len(d.Variants))
	for i := range d.Variants {
		out[i] = d.Variants[i].sample()
	}
	return out
}

func (v *Variant) sample() sample {
	s := sample{
		variant: record.Variant{Label: v.Label, Name: v.Name, Method: v.Method, Trains: v.Trains, Axes: v.Axes},
		label:   v.Label, steps: v.Steps, short: v.Short, known: v.known,
		metrics: map[string][]stats.Interval{}, rivers: v.Rivers, scores: map[string][]float64{},
	}
	for _, seed := range v.Seeds {
		s.variant.Cells = append(s.variant.Cells, record.Ref{Seed: seed})
	}
	for _, line := range v.Series {
		s.metrics[line.Metric] = line.At
	}
	for _, list := range v.Scores {
		s.scores[list.Metric] = list.Values
	}
	return s
}

// told is a sample as data.
func told(s sample) Variant {
	v := Variant{
		Label: s.variant.Label, Name: s.variant.Name, Method: s.variant.Method, Trains: s.variant.Trains, Axes: s.variant.Axes,
		Steps: s.steps, Short: s.short, Rivers: s.rivers,
	}
	for _, ref := range s.variant.Cells {
		v.Seeds = append(v.Seeds, ref.Seed)
	}
	for _, metric := range slices.Sorted(maps.Keys(s.metrics)) {
		v.Series = append(v.Series, Series{metric, s.metrics[metric]})
	}
	for _, metric := range slices.Sorted(maps.Keys(s.scores)) {
		v.Scores = append(v.Scores, Scores{metric, s.scores[metric]})
	}
	return v
}

// Draw draws the figure. The errors are those of the function Draw that are about what
// the figure asks for.
func (d *Data) Draw() (*draw.Figure, error) {
	made, _, err := d.draw(false)
	return made, err
}

// DrawValues is Draw with the numbers that the figure shows. Of a curve with many
// evaluations it picks some, evenly.
func (d *Data) DrawValues() (*draw.Figure, Values, error) { return d.draw(true) }

func (d *Data) draw(tabled bool) (made *draw.Figure, values Values, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("figure %q: %w", d.Figure.Name, err)
		}
	}()
	if d.Figure.Kind == claimsKind {
		if made, err = claimsFigure(d.Figure, d.Claims); err == nil && tabled {
			values = claimsValues(d.Claims)
		}
		return made, values, err
	}
	if of, ok := poolKinds[d.Figure.Kind]; ok {
		pools, err := d.pooled()
		if err != nil {
			return nil, nil, err
		}
		if made, err = of.draw(d.Figure, pools); err == nil && tabled {
			values, err = of.values(d.Figure, pools)
		}
		return made, values, err
	}
	of := kinds[d.Figure.Kind]
	if made, err = of.draw(d.Figure, d.samples()); err == nil && tabled {
		values, err = of.values(d.Figure, d.samples())
	}
	return made, values, err
}

package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/metrics"
)

// Ends are the metrics of a run's seeds after training, and during it for AtEqual, which claims of the run ask
// for. A cell is read once.
type Ends struct {
	run   *record.Run
	paths bool            // a claim asks AtEqual, for which all evaluations are kept
	cells map[string]cell // by id
}

type cell struct {
	end   map[string]float64 // by metric, after training
	evals []record.Eval
}

// NewEnds is of that run.
func NewEnds(run *record.Run) Ends {
	paths := slices.ContainsFunc(run.Claims, func(c record.Claim) bool { return c.Equal != "" })
	return Ends{run, paths, map[string]cell{}}
}

// read reads a cell the first time it is asked for.
func (e Ends) read(ref record.Ref) (cell, error) {
	if c, known := e.cells[ref.ID]; known {
		return c, nil
	}
	evals, err := evaluations(e.run, ref)
	if err != nil {
		return cell{}, err
	}
	c := cell{end: map[string]float64{}}
	maps.Copy(c.end, evals[len(evals)-1].Metrics)
	if step := collapseStep(evals); finite(step) {
		c.end[metrics.CollapseMetric] = step
	}
	if e.paths {
		c.evals = evals
	}
	e.cells[ref.ID] = c
	return c, nil
}

// A final has the metrics of one seed of a variant after training; if seeds are nested, of one
// draw of problems, whose number then takes the place of the seed's.
type final struct {
	seed  int
	value map[string]float64 // by metric; those that are not defined are missing
}

// metric is NaN if it is not defined (the coverage of problems without a solution).
func (f final) metric(name string) float64 {
	if x, ok := f.value[name]; ok {
		return x
	}
	return math.NaN()
}

// finals lists the metrics of every seed of the variant after training: those of the last
// evaluation, and the collapse step, which takes all evaluations. For nested seeds it lists
// their means by draw.
func (e Ends) finals(v record.Variant) ([]final, error) {
	var out []final
	for _, ref := range v.Cells {
		c, err := e.read(ref)
		if err != nil {
			return nil, err
		}
		out = append(out, final{ref.Seed, c.end})
	}
	return perDraw(e.run.Nested, out), nil
}

// Values lists a metric of the variant after training, one value a seed, in the order of its
// cells; NaN if it is not defined.
func (e Ends) Values(v record.Variant, metric string) ([]float64, error) {
	finals, err := e.finals(v)
	xs := each.Map(finals, func(f final) float64 { return f.metric(metric) })
	return xs, err
}

// Paired lists a metric of two variants after training over the seeds that both have and for
// which it is defined on both sides: as[i] and bs[i] are of one seed. missing counts the seeds
// of both for which it is not defined on both sides.
func (e Ends) Paired(a, b record.Variant, metric string) (as, bs []float64, missing int, err error) {
	endsA, err := e.finals(a)
	if err != nil {
		return nil, nil, 0, err
	}
	endsB, err := e.finals(b)
	if err != nil {
		return nil, nil, 0, err
	}
	valuesB := valuesBySeed(endsB, metric)
	for _, f := range endsA {
		y, shared := valuesB[f.seed]
		x := f.metric(metric)
		switch {
		case !shared:
		case math.IsNaN(x) || math.IsNaN(y):
			missing++
		default:
			as, bs = append(as, x), append(bs, y)
		}
	}
	return as, bs, missing, nil
}

// AtEqual lists a metric of two variants over the seeds they share, at equal values of another metric, way, during
// training: each is a mean over the values of way that both runs went through (metrics.Path.AtEqual). missing counts
// the seeds on which their range is below least.
func (e Ends) AtEqual(a, b record.Variant, metric, way string, least float64) (as, bs []float64, missing int, err error) {
	var shared []final
	for _, refA := range a.Cells {
		i := slices.IndexFunc(b.Cells, func(ref record.Ref) bool { return ref.Seed == refA.Seed })
		if i < 0 {
			continue
		}
		cellA, errA := e.read(refA)
		cellB, errB := e.read(b.Cells[i])
		if err := cmp.Or(errA, errB); err != nil {
			return nil, nil, 0, err
		}
		pathA, pathB := cellA.path(metric, way), cellB.path(metric, way)
		f := final{refA.Seed, map[string]float64{}}
		if len(pathA) > 0 && len(pathB) > 0 {
			for x, y := range pathA.AtEqual(pathB, max(pathA[0].Way, pathB[0].Way), math.Inf(1), least) {
				f.value["a"] += x / metrics.PathPlaces
				f.value["b"] += y / metrics.PathPlaces
			}
		}
		shared = append(shared, f)
	}
	for _, f := range perDraw(e.run.Nested, shared) {
		if x, y := f.metric("a"), f.metric("b"); math.IsNaN(x) {
			missing++
		} else {
			as, bs = append(as, x), append(bs, y)
		}
	}
	return as, bs, missing, nil
}

// path is a metric of a cell's evaluations by another metric, way. Evaluations that lack one of them are left out.
func (c cell) path(metric, way string) (out metrics.Path) {
	for _, eval := range c.evals {
		x, has := eval.Metrics[way]
		y, too := eval.Metrics[metric]
		if has && too {
			out = append(out, metrics.PathPoint{Way: x, Value: y})
		}
	}
	return out
}

// valuesBySeed is one metric of finals; NaN for a seed without it.
func valuesBySeed(finals []final, metric string) map[int]float64 {
	out := map[int]float64{}
	for _, f := range finals {
		out[f.seed] = f.metric(metric)
	}
	return out
}

// evaluations reads the evaluations of a cell, of which there is one at least.
func evaluations(run *record.Run, ref record.Ref) ([]record.Eval, error) {
	evals, err := run.Evals(ref)
	if err == nil && len(evals) == 0 {
		err = fmt.Errorf("%s holds no evaluation", run.Folder(ref))
	}
	return evals, err
}

func finalValue(evals []record.Eval, metric string) float64 {
	if metric == metrics.CollapseMetric {
		return collapseStep(evals)
	}
	if x, ok := evals[len(evals)-1].Metrics[metric]; ok {
		return x
	}
	return math.NaN()
}

// collapseStep is the step of entropyCollapse; NaN for a method that is evaluated only once, or
// has no entropy.
func collapseStep(evals []record.Eval) float64 {
	if len(evals) < 2 || evals[0].Metrics["entropy_token"] == 0 {
		return math.NaN()
	}
	step, _ := entropyCollapse(evals)
	return float64(step)
}

// entropyCollapse is metrics.CollapseStep of the entropy per token, of evaluations that
// all have one.
func entropyCollapse(evals []record.Eval) (step int, collapsed bool) {
	var steps []int
	var entropies []float64
	for _, e := range evals {
		steps, entropies = append(steps, e.Step), append(entropies, e.Metrics["entropy_token"])
	}
	return metrics.CollapseStep(steps, entropies)
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

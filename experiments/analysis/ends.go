package analysis

import (
	"fmt"
	"maps"
	"math"

	"modebench/experiments/record"
	"modebench/metrics"
)

// ends are the metrics of a run's cells after training. Every cell is read once,
// however many claims or comparisons look at it.
type ends struct {
	run   *record.Run
	cells map[string]map[string]float64 // by cell and metric
}

func newEnds(run *record.Run) ends { return ends{run, map[string]map[string]float64{}} }

// A final has the metrics of one seed of a variant after training; if seeds are nested, of one
// draw of problems, whose number then takes the place of the seed's.
type final struct {
	seed  int
	value map[string]float64 // by metric; those that are not defined are missing
}

// at is a metric; NaN if it is not defined (the coverage of problems without a solution).
func (f final) at(metric string) float64 {
	if x, ok := f.value[metric]; ok {
		return x
	}
	return math.NaN()
}

// finals lists the metrics of every seed of the variant after training: those of the last
// evaluation, and the collapse step, which takes all evaluations. For nested seeds it lists
// their means by draw.
func (f ends) finals(v record.Variant) ([]final, error) {
	var out []final
	for _, ref := range v.Cells {
		cell := f.cells[ref.ID]
		if cell == nil {
			evals, err := evaluations(f.run, ref)
			if err != nil {
				return nil, err
			}
			cell = maps.Clone(evals[len(evals)-1].Metrics)
			if step := collapseStep(evals); finite(step) {
				if cell == nil {
					cell = map[string]float64{}
				}
				cell[metrics.CollapseMetric] = step
			}
			f.cells[ref.ID] = cell
		}
		out = append(out, final{ref.Seed, cell})
	}
	return perDraw(f.run.Nested, out), nil
}

// values lists a metric after training, one value per final of the variant; NaN if it is not
// defined.
func (f ends) values(v record.Variant, metric string) ([]float64, error) {
	finals, err := f.finals(v)
	if err != nil {
		return nil, err
	}
	var xs []float64
	for _, one := range finals {
		xs = append(xs, one.at(metric))
	}
	return xs, nil
}

// valuesBySeed is one metric of finals; NaN for a seed without it.
func valuesBySeed(finals []final, metric string) map[int]float64 {
	out := map[int]float64{}
	for _, one := range finals {
		out[one.seed] = one.at(metric)
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

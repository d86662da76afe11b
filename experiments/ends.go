package experiments

import (
	"maps"
	"math"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// ends are the metrics of a run's cells after training. Every cell is read once,
// however many claims look at it.
type ends struct {
	run   *record.Run
	cells map[string]map[string]float64 // by cell and metric
}

func newEnds(run *record.Run) ends { return ends{run, map[string]map[string]float64{}} }

// values lists a metric after training, one value per cell of the variant: that
// of the last evaluation, or what collapseStep makes of them all. NaN is a cell where
// the metric is not defined (the coverage of problems without a solution).
func (f ends) values(v record.Variant, metric string) ([]float64, error) {
	var xs []float64
	for _, ref := range v.Cells {
		cell := f.cells[ref.ID]
		if cell == nil {
			evals, err := evaluations(f.run, ref)
			if err != nil {
				return nil, err
			}
			cell = map[string]float64{collapseMetric: collapseStep(evals)}
			maps.Copy(cell, evals[len(evals)-1].Metrics)
			f.cells[ref.ID] = cell
		}
		x, ok := cell[metric]
		if !ok {
			x = math.NaN()
		}
		xs = append(xs, x)
	}
	return xs, nil
}

// interval is a metric after training, over the variant's seeds.
func (f ends) interval(v record.Variant, metric string) (stats.Interval, error) {
	xs, err := f.values(v, metric)
	return stats.MeanInterval(xs), err
}

package analysis

import (
	"math"

	"modebench/experiments/record"
)

// Ends are the metrics of a run's seeds after training. Every cell is read once.
type Ends struct{ ends }

// NewEnds is of that run.
func NewEnds(run *record.Run) Ends { return Ends{newEnds(run)} }

// Values lists a metric of the variant after training, one value a seed, in the order of its
// cells; NaN if it is not defined.
func (e Ends) Values(v record.Variant, metric string) ([]float64, error) { return e.values(v, metric) }

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
	byOther := valuesBySeed(endsB, metric)
	for _, one := range endsA {
		y, shared := byOther[one.seed]
		x := one.at(metric)
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

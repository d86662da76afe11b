package metrics

import (
	"iter"
	"math"
	"slices"
)

// A Path is two numbers of each evaluation of a run, in order: how far the run got, such as its pass@1, and
// a number that is compared with another run's at the same pass@1.
type Path []PathPoint

// A PathPoint is an evaluation.
type PathPoint struct{ Way, Value float64 }

// ValueAt is the value when the run first got that far, on the straight line between two evaluations; NaN if it
// never did.
func (p Path) ValueAt(way float64) float64 {
	i := slices.IndexFunc(p, func(point PathPoint) bool { return point.Way >= way })
	switch {
	case i < 0:
		return math.NaN()
	case i == 0:
		return p[0].Value
	}
	from, to := p[i-1], p[i]
	return Between(from.Value, to.Value, (way-from.Way)/(to.Way-from.Way))
}

// Between is the number at a part of the way from one number to another.
func Between(from, to, part float64) float64 { return from + float64(part*(to-from)) }

// PathPlaces is the number of values of Way at which two runs are compared.
const PathPlaces = 50

// AtEqual yields the values of two runs at the middles of PathPlaces equal parts of the range of Way that both went
// through. It begins at from, and ends at the lower of both highest ways, or at to if that is lower still. It yields
// nothing if the range is below least. Two runs of one method have the same mean.
func (p Path) AtEqual(o Path, from, to, least float64) iter.Seq2[float64, float64] {
	return func(yield func(float64, float64) bool) {
		end := min(p.farthest(), o.farthest(), to)
		if !(end-from >= least) {
			return
		}
		for i := range PathPlaces {
			way := from + float64((end-from)*(float64(i)+.5))/PathPlaces
			if !yield(p.ValueAt(way), o.ValueAt(way)) {
				return
			}
		}
	}
}

// farthest is how far the run got at best; -Inf without an evaluation.
func (p Path) farthest() float64 {
	out := math.Inf(-1)
	for _, point := range p {
		out = max(out, point.Way)
	}
	return out
}

package board

import (
	"cmp"
	"math"
	"slices"

	"modebench/internal/lined"
	"modebench/metrics"
)

// A Neighbour is a method of the board, and the distance of another method's behaviour from it.
type Neighbour struct {
	Method string
	Same   []string // others that have its evaluations on every task
	// Distance is 0 for the same behaviour. 1 is the whole scale: from the base policy's
	// accuracy to the optimum's, from no diversity to all there is.
	Distance float64
	Tasks    int // that both fit
}

// Distance is how far two methods are apart on a task: the root of the mean of three mean squares.
// They are of the differences in accuracy and in diversity along the mean traces, at each tenth
// of the budget, and of the differences in area, seed by seed.
func (e *Evaluated) Distance(f *Evaluated) float64 {
	if e.Same == f.Same && e.Same != "" { // the mean trace of one may be of more seeds
		return 0
	}
	var accuracy, diversity, area []float64
	for i := range traced {
		a, b := e.point(float64(i)/(traced-1)), f.point(float64(i)/(traced-1))
		accuracy = append(accuracy, square(a.Accuracy-b.Accuracy))
		diversity = append(diversity, square(a.Diversity-b.Diversity))
	}
	areas, areasF := e.BySeed("area"), f.BySeed("area")
	for i := range min(len(areas), len(areasF)) {
		area = append(area, square(areas[i]-areasF[i]))
	}
	return math.Sqrt((Mean(accuracy) + Mean(diversity) + Mean(area)) / 3)
}

// point is the mean trace when a share of the budget was drawn, on the line between two evaluations.
func (e *Evaluated) point(share float64) Point {
	kept := func(i int) Point {
		p := e.Trace[i]
		return Point{Drawn: float64(p[0]), Accuracy: float64(p[1]), Diversity: float64(p[2])}
	}
	i := slices.IndexFunc(e.Trace, func(p [4]lined.Number) bool { return float64(p[0]) >= share })
	switch {
	case len(e.Trace) == 0:
		return Point{Accuracy: math.NaN(), Diversity: math.NaN()}
	case i < 0: // the last evaluation may be a little before the budget's end
		return kept(len(e.Trace) - 1)
	case i == 0:
		return kept(0)
	}
	from, to := kept(i-1), kept(i)
	part := (share - from.Drawn) / (to.Drawn - from.Drawn)
	return Point{Drawn: share, Accuracy: metrics.Between(from.Accuracy, to.Accuracy, part), Diversity: metrics.Between(from.Diversity, to.Diversity, part)}
}

func square(x float64) float64 { return float64(x * x) }

// neighbours lists the other methods of the table, the nearest first, by the root of the mean
// square of Distance over the tasks that both fit.
func (t *Table) neighbours(method string) []Neighbour {
	var out []Neighbour
	for _, line := range t.Rows {
		names := referenceFirst(slices.DeleteFunc(line.Methods(), func(n string) bool { return n == method }))
		if len(names) == 0 {
			continue
		}
		n := Neighbour{Method: names[0], Same: names[1:]}
		var squares []float64
		for _, r := range t.Results {
			row, near := r.Tuned(method), r.Tuned(n.Method)
			if row == nil || near == nil {
				continue
			}
			if d := row.Distance(near); !math.IsNaN(d) {
				squares = append(squares, square(d))
			}
		}
		if n.Tasks = len(squares); n.Tasks > 0 {
			n.Distance = math.Sqrt(Mean(squares))
			out = append(out, n)
		}
	}
	slices.SortStableFunc(out, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(b.Tasks, a.Tasks), cmp.Compare(a.Method, b.Method))
	})
	return out
}

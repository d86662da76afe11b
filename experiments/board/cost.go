package board

import (
	"maps"
	"slices"
	"strings"

	"modebench/experiments/record"
)

// Cost is the cost of a training step on the tuning seeds of one run: the mean over tasks of
// the median over cells. The median keeps out cells of few steps that waited for others.
type Cost struct {
	Seconds, Reference float64 // of a step of the method, and of the reference
	Estimate           float64 // seconds of its step that are the estimator's
}

// CostOf reads the costs of the method's steps in the runs of each task, by task, and those of
// the reference in the same runs; nil if they are unknown.
func CostOf(runs map[string][]*record.Run, method string) (*Cost, error) {
	var medians [3][]float64 // by task, in the order of Cost
	for _, task := range slices.Sorted(maps.Keys(runs)) {
		var seconds, reference, estimate []float64
		for _, run := range runs[task] {
			for _, v := range run.Variants {
				for _, ref := range v.Cells {
					t, ok, err := run.Timings(ref)
					switch {
					case err != nil:
						return nil, err
					case !ok || t.Total() == 0:
					case isOf(v.Name, method):
						seconds, estimate = append(seconds, t.Total()), append(estimate, t.Estimate)
					case isOf(v.Name, Reference):
						reference = append(reference, t.Total())
					}
				}
			}
		}
		if seconds != nil && reference != nil {
			for i, xs := range [][]float64{seconds, reference, estimate} {
				medians[i] = append(medians[i], median(xs))
			}
		}
	}
	if medians[0] == nil {
		return nil, nil
	}
	return &Cost{Mean(medians[0]), Mean(medians[1]), Mean(medians[2])}, nil
}

// isOf reports whether a label (Entry.label) belongs to a method.
func isOf(label, method string) bool { return strings.HasPrefix(label, Entry{Method: method}.label()) }

// Timed is the reference as it is not tuned, to be run beside a method so that its steps are
// timed on the same machine.
func (t Task) Timed(g *Grid) Entry {
	row := g.row(Reference)
	return row.entry(g.Rates[t.board()].paper(row), 1)
}

// median is the middle one of some numbers, the lower one of two.
func median(xs []float64) float64 {
	sorted := slices.Sorted(slices.Values(xs))
	return sorted[(len(sorted)-1)/2]
}

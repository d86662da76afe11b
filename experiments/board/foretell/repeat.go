package foretell

import (
	"fmt"
	"math"
	"slices"

	"modebench/experiments/board"
	"modebench/internal/plural"
	"modebench/metrics/stats"
)

// repeats holds a board against itself: on other seeds, on the seeds that it was tuned on, on another
// task.
func repeats(t *board.Table, name string) (out []Repeat) {
	methods := everywhere(t)
	if len(methods) < fewestMethods {
		return nil
	}
	for _, column := range splitColumns {
		s := newSheet(t.Results, methods, column, false)
		add := func(occasions string, tau stats.Interval, pairs int, top float64) {
			if pairs > 0 {
				out = append(out, Repeat{Board: name, Column: column, Occasions: occasions, Tau: tau, Pairs: pairs, Ceiling: top})
			}
		}
		for _, taken := range slices.Compact([]int{t.Seeds / 2, min(2, t.Seeds/2)}) {
			tau, pairs := s.again(taken)
			add(fmt.Sprintf("%s and the other %d", plural.Count(taken, "seed"), t.Seeds-taken), tau, pairs, math.NaN())
		}
		if tuning := tuning(t, methods, column); tuning != nil {
			s.iqm = false // as tuning is kept
			add(plural.Count(t.Results[0].Tuning[1], "tuning seed")+" and "+plural.Count(t.Seeds, "evaluation seed"), tauOf(tuning, s.all()), 1, math.NaN())
		}
		tau, pairs, top := betweenTasks(t, methods, column)
		add("one task and another", tau, pairs, top)
	}
	return out
}

// tuning lists the methods' results at the tuned setting on tuning seeds, in the mean over
// tasks: areas in units of the Reference's on evaluation seeds, or accuracies. It is nil for other
// columns, which tuning does not keep.
func tuning(t *board.Table, methods []string, column string) (out []float64) {
	if column != scoreColumn && column != "accuracy" {
		return nil
	}
	units, _ := board.Units(t.Results) // the table has them
	for _, method := range methods {
		var xs []float64
		for _, r := range t.Results {
			s := r.Standing(method)
			tried := board.First(s.Tried, func(tried *board.Tried) bool { return tried.Setting == s.Row(board.Tuned).Setting })
			switch {
			case tried == nil:
			case column == scoreColumn:
				xs = append(xs, float64(tried.Score)/units[r.Task])
			default:
				xs = append(xs, float64(tried.Accuracy))
			}
		}
		out = append(out, board.Mean(xs))
	}
	return out
}

// betweenTasks is tau between every two tasks of the board, and the mean of the ceilings.
func betweenTasks(t *board.Table, methods []string, column string) (tau stats.Interval, n int, top float64) {
	var columns [][]float64
	var reliabilities, tops []float64
	var pairs [][2][]float64
	for i := range t.Results {
		s := newSheet(t.Results[i:i+1], methods, column, true)
		_, whole := s.halves()
		values := s.all()
		for j := range columns {
			pairs, tops = append(pairs, [2][]float64{values, columns[j]}), append(tops, ceiling(whole, reliabilities[j]))
		}
		columns, reliabilities = append(columns, values), append(reliabilities, whole)
	}
	tau, n = meanTau(len(methods), pairs)
	return tau, n, board.Mean(tops)
}

func within(t *board.Table, name string) Within {
	methods := everywhere(t)
	score := tuned(t, methods, scoreColumn)
	return Within{Board: name, Accuracy: tauOf(score, tuned(t, methods, "accuracy")), Diversity: tauOf(score, tuned(t, methods, "diversity"))}
}

// tuned is a column of a board by method.
func tuned(t *board.Table, methods []string, column string) []float64 {
	return newSheet(t.Results, methods, column, false).all()
}

// untuned is one of splitColumns by method without tuning. Its score is the mean over tasks of areas
// in units of the tuned Reference's.
func untuned(t *board.Table, methods []string, column string) (out []float64) {
	units, _ := board.Units(t.Results) // the table has them
	for _, method := range methods {
		var xs []float64
		for _, r := range t.Results {
			row := r.Standing(method).Row(board.Paper)
			if column == scoreColumn {
				xs = append(xs, row.Mean("area")/units[r.Task])
			} else {
				xs = append(xs, row.Mean(column))
			}
		}
		out = append(out, board.Mean(xs))
	}
	return out
}

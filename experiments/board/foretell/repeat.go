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
func repeats(t *board.Table, name string) (out []Repeat, err error) {
	methods := everywhere(t)
	if len(methods) < fewestMethods {
		return nil, nil
	}
	for _, column := range splitColumns {
		s, err := newSheet(t.Results, methods, column, false)
		if err != nil {
			return nil, err
		}
		add := func(what string, tau stats.Interval, of int, top float64) {
			if of > 0 {
				out = append(out, Repeat{Board: name, Column: column, Occasions: what, Tau: tau, Pairs: of, Ceiling: top})
			}
		}
		for _, taken := range slices.Compact([]int{t.Seeds / 2, min(2, t.Seeds/2)}) {
			tau, of, err := s.again(taken)
			if err != nil {
				return nil, err
			}
			add(fmt.Sprintf("%s and the other %d", plural.Of(taken, "seed"), t.Seeds-taken), tau, of, math.NaN())
		}
		if tuning, known := tuning(t, methods, column); known {
			plain := *s
			plain.iqm = false // as tuning is kept
			tau, err := tauOf(tuning, plain.all())
			if err != nil {
				return nil, err
			}
			add(plural.Of(t.Results[0].Tuning[1], "tuning seed")+" and "+plural.Of(t.Seeds, "evaluation seed"), tau, 1, math.NaN())
		}
		tau, of, top, err := otherTask(t, methods, column)
		if err != nil {
			return nil, err
		}
		add("one task and another", tau, of, top)
	}
	return out, nil
}

// tuning lists the methods' results at the tuned setting on tuning seeds, in the mean over
// tasks: areas in units of the Reference's on evaluation seeds, or accuracies. Other columns
// are not known.
func tuning(t *board.Table, methods []string, column string) (out []float64, known bool) {
	if column != scoreColumn && column != "accuracy" {
		return nil, false
	}
	scales, _ := board.Units(t.Results) // the table has them
	for _, method := range methods {
		var xs []float64
		for _, r := range t.Results {
			s := r.Standing(method)
			i := slices.IndexFunc(s.Tried, func(tried board.Tried) bool { return tried.Setting == s.Row(board.Tuned).Setting })
			if i < 0 {
				continue
			}
			if column == scoreColumn {
				xs = append(xs, float64(s.Tried[i].Score)/scales[r.Task])
			} else {
				xs = append(xs, float64(s.Tried[i].Accuracy))
			}
		}
		out = append(out, board.Mean(xs))
	}
	return out, true
}

// otherTask is tau between every two tasks of the board, and the mean of the ceilings.
func otherTask(t *board.Table, methods []string, column string) (tau stats.Interval, of int, top float64, err error) {
	var by [][]float64
	var whole, tops []float64
	var pairs [][2][]float64
	for i := range t.Results {
		s, err := newSheet(t.Results[i:i+1], methods, column, true)
		if err != nil {
			return tau, 0, 0, err
		}
		_, own, err := s.halves()
		if err != nil {
			return tau, 0, 0, err
		}
		values := s.all()
		for j := range by {
			pairs, tops = append(pairs, [2][]float64{values, by[j]}), append(tops, ceiling(own, whole[j]))
		}
		by, whole = append(by, values), append(whole, own)
	}
	tau, of, err = meanTau(len(methods), pairs)
	return tau, of, board.Mean(tops), err
}

func within(t *board.Table, name string) (w Within, err error) {
	methods := everywhere(t)
	score := splitColumn(t, methods, 0, false)
	if w.Accuracy, err = tauOf(score, splitColumn(t, methods, 1, false)); err != nil {
		return w, err
	}
	w.Diversity, err = tauOf(score, splitColumn(t, methods, 2, false))
	w.Board = name
	return w, err
}

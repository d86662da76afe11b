package foretell

import (
	"math"
	"slices"

	"modebench/experiments/board"
	"modebench/metrics/stats"
)

// The columns that boards are compared by. Score is the interquartile mean of areas over tasks and
// seeds, in units of the Reference's; over a single task it is "area", the mean over seeds. The
// others are those of Columns in the mean over tasks.
const scoreColumn = "score"

var (
	// splitColumns are those of which results keep every seed, all of them.
	splitColumns = []string{scoreColumn, "accuracy", "diversity"}
	// meanColumns are known in the mean over seeds, or over those that reach a level.
	meanColumns = board.Names(board.Compared)
)

// fewestMethods is how many methods a tau takes.
const fewestMethods = 3

// noTau is a missing tau of n methods.
func noTau(n int) stats.Interval {
	return stats.Interval{N: n, Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
}

// tauOf is Kendall's tau over the methods that have a value in both lists. Of fewer than three it is
// NaN.
func tauOf(x, y []float64) stats.Interval {
	x, y = known(x, y)
	if len(x) < fewestMethods {
		return noTau(len(x))
	}
	tau, _ := stats.KendallTau(x, y) // which has as many finite scores in both
	return tau
}

// known are the entries of two lists that have a value in both.
func known(x, y []float64) (a, b []float64) {
	for i := range x {
		if d := x[i] - y[i]; d-d == 0 { // both are finite
			a, b = append(a, x[i]), append(b, y[i])
		}
	}
	return a, b
}

// meanTau is the mean of taus of pairs of lists, between the lowest and the highest of them, and how
// many there are. Pairs with fewer than three methods, or without a tau, do not count.
func meanTau(n int, pairs [][2][]float64) (stats.Interval, int) {
	var taus []float64
	for _, p := range pairs {
		x, y := known(p[0], p[1])
		if len(x) < fewestMethods {
			continue
		}
		if tau, _ := stats.Tau(x, y); !math.IsNaN(tau) {
			taus = append(taus, tau)
		}
	}
	if taus == nil {
		return noTau(n), 0
	}
	return stats.Interval{N: n, Mean: board.Mean(taus), Low: slices.Min(taus), High: slices.Max(taus)}, len(taus)
}

package board

import "math"

// A Column is a number that the board has of each seed of a method on a task.
type Column struct {
	Name string // as results files and tables name it
	of   func(f *final) float64
}

// final is what a seed came to.
type final struct {
	trace  Trace
	last   map[string]float64 // the metrics after training
	seed   scale
	budget float64 // tokens
}

// metric is a metric of an evaluation; NaN where it has none of the name.
func metric(of map[string]float64, name string) float64 {
	if x, ok := of[name]; ok {
		return x
	}
	return math.NaN()
}

// A scale says what 0 and 1 are of a seed: the base policy and the exact optimum on its
// problems.
type scale struct{ base, optimum map[string]float64 }

// reward is a reward on the scale of the expected reward.
func (s scale) reward(x float64) float64 { return s.of("reward", x) }

// of is a value of a metric on the scale of that metric.
func (s scale) of(name string, x float64) float64 {
	from, to := s.base[name], s.optimum[name]
	return (x - from) / (to - from)
}

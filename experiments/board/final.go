package board

import "math"

// Final is the state of a seed at the end of training.
type Final struct {
	Last map[string]float64 // the metrics after training
	Scale
	trace  Trace
	budget float64 // tokens
}

// Metric is a metric of an evaluation; NaN if the evaluation lacks it.
func Metric(metrics map[string]float64, name string) float64 {
	if x, ok := metrics[name]; ok {
		return x
	}
	return math.NaN()
}

// A Scale fixes 0 and 1 for a seed: the metrics of the base policy and of the exact optimum on
// its problems.
type Scale struct{ Base, Optimum map[string]float64 }

// Scaled is a value of a metric on the scale of that metric.
func (s Scale) Scaled(name string, x float64) float64 {
	from, to := s.Base[name], s.Optimum[name]
	return (x - from) / (to - from)
}

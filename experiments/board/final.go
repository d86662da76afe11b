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
func Metric(of map[string]float64, name string) float64 {
	if x, ok := of[name]; ok {
		return x
	}
	return math.NaN()
}

// A Scale fixes 0 and 1 for a seed: the metrics of the base policy and of the exact optimum on
// its problems.
type Scale struct{ Base, Optimum map[string]float64 }

// reward is a reward on the scale of the expected reward.
func (s Scale) reward(x float64) float64 { return s.Scaled("reward", x) }

// Scaled is a value of a metric on the scale of that metric.
func (s Scale) Scaled(name string, x float64) float64 {
	from, to := s.Base[name], s.Optimum[name]
	return (x - from) / (to - from)
}

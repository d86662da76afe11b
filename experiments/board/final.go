package board

import "math"

// Final is what a seed came to.
type Final struct {
	Last map[string]float64 // the metrics after training
	Scale
	trace  Trace
	budget float64 // tokens
}

// Metric is a metric of an evaluation; NaN where it has none of the name.
func Metric(of map[string]float64, name string) float64 {
	if x, ok := of[name]; ok {
		return x
	}
	return math.NaN()
}

// A Scale says what 0 and 1 are of a seed: the metrics of the base policy and of the exact optimum on
// its problems.
type Scale struct{ Base, Optimum map[string]float64 }

// reward is a reward on the scale of the expected reward.
func (s Scale) reward(x float64) float64 { return s.Of("reward", x) }

// Of is a value of a metric on the scale of that metric.
func (s Scale) Of(name string, x float64) float64 {
	from, to := s.Base[name], s.Optimum[name]
	return (x - from) / (to - from)
}

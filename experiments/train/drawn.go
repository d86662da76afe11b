package train

import (
	"modebench/metrics"
	"modebench/policies"
)

// This file counts the tokens that training draws, and reports when it has drawn its share.

// tokensOf counts the tokens of all rollouts, whatever becomes of them.
func tokensOf(groups []policies.Group) int {
	n := 0
	for g := range groups {
		for i := range groups[g].Rollouts {
			n += len(groups[g].Rollouts[i].Tokens)
		}
	}
	return n
}

// enough reports that the drawn tokens use up the budget, so that no step is to be made.
func (t *trainer) enough(drawn int) bool {
	return t.Train.Tokens > 0 && drawn >= t.Train.Tokens
}

// addDrawn adds how many tokens training has drawn, if that is measured.
func (e *evaluator) addDrawn(to map[string]float64) {
	if !e.measures(metrics.MeasureDrawn) || e.optimum {
		return
	}
	to[metrics.DrawnMetric] = 0
	if e.drawn != nil {
		to[metrics.DrawnMetric] = float64(*e.drawn)
	}
}

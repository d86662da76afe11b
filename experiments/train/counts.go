package train

import (
	"math"

	"modebench/estimators/loss"
	"modebench/experiments/cells"
	"modebench/metrics"
	"modebench/policies"
)

// This file counts the effects of clips and corrections, if they are measured.

func counted(objective policies.TokenLoss, to *cells.Updates) policies.TokenLoss {
	return func(l *loss.Tokens) error {
		if err := objective(l); err != nil {
			return err
		}
		to.Clipped += l.Clipped
		to.Corrected += l.Corrected
		for s := range l.Sequences() {
			if len(l.Stored) > 0 && l.Stored[s] { // no policy of a step drew it
				continue
			}
			to.Tokens += l.Start[s+1] - l.Start[s]
			for k := l.Start[s]; k < l.Start[s+1]; k++ {
				to.LogRatio += math.Abs(l.Logp[k] - l.Old[k])
			}
		}
		return nil
	}
}

func (e *evaluator) addUpdates(to map[string]float64) {
	if !e.measures(metrics.MeasureUpdates) || e.optimum {
		return
	}
	n, counts := 1.0, cells.Updates{}
	if e.updates != nil && e.updates.Tokens > 0 {
		n, counts = float64(e.updates.Tokens), *e.updates
	}
	to["clipped"] = float64(counts.Clipped) / n
	to["corrected"] = float64(counts.Corrected) / n
	to["log_ratio"] = counts.LogRatio / n
}

// This file counts the tokens that training draws, and reports when it has drawn its share.

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

func (e *evaluator) addDrawn(to map[string]float64) {
	if !e.measures(metrics.MeasureDrawn) || e.optimum {
		return
	}
	to[metrics.DrawnMetric] = 0
	if e.drawn != nil {
		to[metrics.DrawnMetric] = float64(*e.drawn)
	}
}

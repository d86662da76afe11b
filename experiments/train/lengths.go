package train

import (
	"modebench/envs"
	"modebench/experiments/record"
	"modebench/metrics"
)

// This file tells the lengths of right rollouts from those of wrong ones.

// lengths adds up the tokens of an evaluation's rollouts and their weights: of those with a
// correct answer, and of the others. Wrong ones are not averaged by problem, for as a policy
// gets better there are problems with one or none. nil: they are not asked for.
type lengths struct{ right, wrong length }

type length struct{ tokens, weight float64 }

// add takes up a rollout. The weights of a problem's add up to 1.
func (l *lengths) add(chain []*envs.Verdict, tokens int, weight float64) {
	if l == nil {
		return
	}
	to := &l.wrong
	for _, v := range chain {
		if v.Correct {
			to = &l.right
		}
	}
	to.tokens += float64(weight * float64(tokens))
	to.weight += weight
}

// finish puts the means of an evaluation into its record, and forgets the rollouts.
func (l *lengths) finish(rec *record.Eval) {
	if l == nil {
		return
	}
	if l.right.weight > 0 {
		rec.Metrics[metrics.TokensRightMetric] = l.right.tokens / l.right.weight
	}
	if l.wrong.weight > 0 {
		rec.Metrics[metrics.TokensWrongMetric] = l.wrong.tokens / l.wrong.weight
	}
	*l = lengths{}
}

package metrics

import "modebench/envs"

func init() {
	perRollout := Delta{1, "one token a rollout"}
	register(
		Metric{rank: 380, Name: "tokens", Doc: "tokens of a rollout (SD-E2's #TOK)", Detail: "count, >= 0",
			Label: "tokens per rollout", Axis: AxisFromZero, Delta: perRollout, Measure: MeasureRollouts, Policy: true},
		Metric{rank: 620, Name: "tokens_right", Doc: "tokens of a rollout with a correct answer, mean over all of them", Detail: "count, >= 0; over the rollouts of all problems",
			Label: "tokens of right rollouts", Axis: AxisFromZero, Delta: perRollout, Measure: MeasureLengths, Policy: true},
		Metric{rank: 630, Name: "tokens_wrong", Doc: "tokens of a rollout without one, mean over all of them (Dr. GRPO fig. 1)", Detail: "count, >= 0; over the rollouts of all problems",
			Label: "tokens of wrong rollouts", Axis: AxisFromZero, Delta: perRollout, Measure: MeasureLengths, Policy: true},
	)
}

// Lengths adds up the tokens of an evaluation's rollouts and their weights: of rollouts with a
// correct answer, and of rollouts without. Wrong rollouts are not averaged by problem, for as a
// policy gets better some problems have one or none.
type Lengths struct{ right, wrong length }

type length struct{ tokens, weight float64 }

// Add adds a rollout. The weights of the rollouts to a problem add up to 1.
func (l *Lengths) Add(chain []*envs.Verdict, tokens int, weight float64) {
	to := &l.wrong
	for _, v := range chain {
		if v.Correct {
			to = &l.right
		}
	}
	to.tokens += float64(weight * float64(tokens))
	to.weight += weight
}

// Put adds tokens_right and tokens_wrong, if there are such rollouts.
func (l *Lengths) Put(to map[string]float64) {
	if l.right.weight > 0 {
		to["tokens_right"] = l.right.tokens / l.right.weight
	}
	if l.wrong.weight > 0 {
		to["tokens_wrong"] = l.wrong.tokens / l.wrong.weight
	}
}

package similarity

import (
	"modebench/estimators"
	"modebench/internal/exact"
)

// MMRGRPO rewards rollouts in the order of maximal marginal relevance (MMR-GRPO,
// 2601.09085; WeiKangda/MMR-GRPO, grpo_trainer.py). The first picked is the one of the largest
// reward, which it keeps. Then, one by one, the rollout with the largest
//
//	r'_i = lambda r_i - (1 - lambda) max(0, the largest cos(e_i, e_j) with j picked before)
//
// is picked and rewarded with that; ties go to the rollout drawn first. The advantage is
// the z-score of r'. By default lambda = 1/(1 + exp(-sd r)), where sd divides by N: it is
// at least 1/2 and grows with the spread of the rewards. The equations are the code's.
//
// As the first keeps its reward whole and all others have lambda times theirs, even equal
// rewards and unlike embeddings set one rollout above all others. The code goes through
// all rollouts of a step in one pass, with one lambda: over "batch". Its rule that averages
// lambda over steps is rule "averaged" (averaged.go). A rollout without an embedding is like none. A group of one
// has the advantage 0, or under singleton "raw" its reward.
type MMRGRPO struct {
	similar
	Rule   string  `param:"rule" doc:"where lambda comes from: the logistic function of the rewards' deviation, the field lambda, or an average over steps from the rewards' relative deviation, under which r' is brought to the mean and the deviation of the rewards" choices:"deviation,fixed,averaged" when:"train.group>1"`
	Lambda float64 `param:"lambda" doc:"weight of the reward against similarity" min:"0" max:"1" when:"rule=fixed,train.group>1"`

	Temperature float64 `param:"lambda_temperature" doc:"what the relative deviation is multiplied by" min:"0" late:"1" when:"rule=averaged"`
	Share       float64 `param:"lambda_share" doc:"weight of the step's lambda in the average" min:"0" max:"1" late:"0.2" when:"rule=averaged"`

	average *float64  // of lambda over the steps so far; nil: no steps
	alike   []float64 // the largest cosine with a rollout picked, at least 0
	left    []int     // rollouts not picked yet, in order
}

func (e *MMRGRPO) Advantages(dst [][]float64, b *estimators.Batch) error {
	if e.Rule == "averaged" {
		return e.each(dst, b, func() {
			e.pick(e.averaged(e.rewards))
			e.match()
		})
	}
	return e.each(dst, b, func() { e.pick(e.lambda()) })
}

func (e *MMRGRPO) lambda() float64 {
	if e.Rule == "fixed" || len(e.rewards) == 0 {
		return e.Lambda
	}
	_, sd := estimators.Deviation(e.rewards, 0)
	return 1 / (1 + exact.Exp(-sd))
}

func (e *MMRGRPO) pick(lambda float64) {
	if len(e.rewards) == 0 {
		return
	}
	e.alike, e.left = e.alike[:0], e.left[:0]
	for i := range e.rewards {
		e.shaped = append(e.shaped, e.rewards[i])
		e.alike, e.left = append(e.alike, 0), append(e.left, i)
	}
	e.remove(e.best())
	for len(e.left) > 0 {
		for _, i := range e.left {
			e.shaped[i] = float64(lambda*e.rewards[i]) - float64((1-lambda)*e.alike[i])
		}
		e.remove(e.best())
	}
}

// best is the place in e.left of the rollout with the largest r'.
func (e *MMRGRPO) best() int {
	pick := 0
	for k, i := range e.left {
		if e.shaped[i] > e.shaped[e.left[pick]] {
			pick = k
		}
	}
	return pick
}

// remove takes the rollout at a place of e.left out of it: all others are compared with it.
func (e *MMRGRPO) remove(index int) {
	picked := e.left[index]
	e.left = append(e.left[:index], e.left[index+1:]...)
	row := e.row(picked)
	for _, i := range e.left {
		if k := e.member[i]; row != nil && k >= 0 {
			e.alike[i] = max(e.alike[i], row[k])
		}
	}
}

func init() {
	estimators.Register(estimators.SetDiversity, 60, estimators.Method{
		Name: "mmr-grpo", Summary: "rewards less the largest cosine with a rollout picked before, z-score", Trains: true,
		Source:    "MMR-GRPO 2026 (2601.09085); WeiKangda/MMR-GRPO",
		Estimator: estimators.From(MMRGRPO{similar: similar{GRPO: sampleDeviation, Over: "group"}, Rule: "deviation", Lambda: 0.7, Temperature: 1, Share: 0.2}),
		Loss:      openRS,
		Properties: estimators.Properties{
			Scale: estimators.Neither, ZeroSum: true, OrderMatters: true, MovesEqualRewards: true,
			Why: "a z-score of rewards less similarities; ties go to the first drawn",
		},
		Target: noTarget,
	})
}

package similarity

import (
	"errors"
	"fmt"
	"io"
	"math"

	"modebench/estimators"
	"modebench/internal/exact"
	"modebench/internal/params"
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
// lambda over steps is rule "averaged". A rollout without an embedding is like none. A group of one
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

// lambda is the weight of the gathered rewards under the rules without a state.
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

// MMR-GRPO has a rule "averaged" (diverse_adjust_rewards_fast_std in
// grpo_trainer.py at db07f71). Of all rewards of a step, with sd dividing by their number,
//
//	x = lambda_temperature sd r / (abs(mean r) + 1e-8)
//	lambda_step = x / (1 + x)
//	lambda = lambda_share lambda_step + (1 - lambda_share) (the lambda of the step before)
//
// and the first step's lambda is lambda_step. It is 0 where rewards are equal. r' is then
// brought to the mean and the deviation of r, so that equal rewards teach next to nothing.
// The temperature is the code's mmr_std_temp, whose default is 1, and the share its ema_alpha, 0.2. There
// the average is lost where a run stops; here it is kept.

// tiny is the code's epsilon in this rule.
const tiny = 1e-8

// Check returns the first contradiction between fields.
func (e *MMRGRPO) Check() error {
	if e.Rule == "averaged" && e.Over != "batch" {
		return params.Errorf("over", "got %s, want batch beside rule averaged, which has one lambda for a step", e.Over)
	}
	return nil
}

func (e *MMRGRPO) averaged(rewards []float64) float64 {
	if len(rewards) == 0 {
		return 0
	}
	mean, sd := estimators.Deviation(rewards, 0)
	x := float64(e.Temperature*sd) / (math.Abs(mean) + tiny)
	lambda := 1.0 // where x overflows
	if !math.IsInf(x, 1) {
		lambda = x / (1 + x)
	}
	if e.average == nil {
		return lambda
	}
	return float64(e.Share*lambda) + float64((1-e.Share)**e.average)
}

// match brings e.shaped to the mean and the deviation of the rewards, unless all are equal.
func (e *MMRGRPO) match() {
	if len(e.rewards) == 0 {
		return
	}
	mean, sd := estimators.Deviation(e.rewards, 0)
	from, spread := estimators.Deviation(e.shaped, 0)
	if spread <= tiny {
		return
	}
	for i, s := range e.shaped {
		e.shaped[i] = float64((s-from)/(spread+tiny)*(sd+tiny)) + mean
	}
}

func (e *MMRGRPO) Remembers() bool { return e.Rule == "averaged" }

func (e *MMRGRPO) Remember(b *estimators.Batch) error {
	e.clear()
	err := e.Each(estimators.NewAdvantages(b), b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		e.rewards = append(e.rewards, rewards...)
		clear(dst)
		return nil
	})
	if err != nil || len(e.rewards) == 0 {
		return err
	}
	lambda := e.averaged(e.rewards)
	e.average = &lambda
	return nil
}

// Save implements estimators.Stateful: the average as JSON.
func (e *MMRGRPO) Save(w io.Writer) error {
	if e.average == nil {
		return nil
	}
	return estimators.SaveJSON(w, *e.average)
}

func (e *MMRGRPO) Load(r io.Reader) error {
	e.average = nil
	var average *float64
	if found, err := estimators.LoadJSON(r, &average); !found {
		return err
	}
	if average == nil {
		return errors.New("the average of lambda: got null, want a number from 0 to 1")
	}
	if !(*average >= 0 && *average <= 1) {
		return fmt.Errorf("the average of lambda: got %v, want a number from 0 to 1", *average)
	}
	e.average = average
	return nil
}

package similarity

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"modebench/estimators"
	"modebench/internal/params"
	"modebench/internal/strictjson"
)

// This file has MMR-GRPO's rule "averaged" (diverse_adjust_rewards_fast_std in
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
	text, err := json.Marshal(*e.average)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

func (e *MMRGRPO) Load(r io.Reader) error {
	e.average = nil
	text, err := io.ReadAll(r)
	if err != nil || len(text) == 0 {
		return err
	}
	var average *float64
	if err := strictjson.Decode(text, "", &average); err != nil {
		return err
	}
	if average == nil || !(*average >= 0 && *average <= 1) {
		return fmt.Errorf("the average of lambda: got %s, want a number from 0 to 1", text)
	}
	e.average = average
	return nil
}

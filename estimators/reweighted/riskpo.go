package reweighted

import (
	"cmp"
	"io"
	"math"
	"slices"

	"modebench/estimators"
	"modebench/estimators/loss"
	"modebench/internal/each"
	"modebench/internal/params"
)

// RiskPO raises the low part of the distribution of scores (Ren et al., 2510.00911; RTkenny/RiskPO at
// 65ec40c, verl/trainer/ppo/core_algos.py and ray_trainer.py). Scores are of bundles: of bundle
// prompts, in the batch's order, the i-th rollouts of all have the score S_i, the sum of their rewards.
// With the quantiles a and b of scores at the levels low and high, and rollout i of a prompt,
//
//	tail_i = -max(0, a - S_i) / (low + epsilon)
//	range_i = (max(0, S_i - a) - max(0, S_i - b) + a - b) / (high - low + epsilon)
//	A_i = (weight tail_i + range_i) / (weight + 1) / (sd(S) + epsilon) / (sd(r) + epsilon)
//
// sd(S) is the deviation of the bundle's scores, 1 for a single one, and sd(r) that of the prompt's
// rewards, 1 in place of 0.001 or less (ddof 1). Where a <= b no advantage is above 0: the lowest
// scores are avoided most. A prompt with more rollouts than another of its bundle has 0 for the last
// of them.
//
// The quantiles are tracked over steps, q += rate (level - share of scores below q), from the first
// step's on. In the first step each bundle has its own. The released trainer tracks them too, but does
// not hand them on to the next batch: its bundles have their own in every step, as at rate 0.
// The paper's levels are 0.2 and 0.8. The one published script with these weights and this credit
// (run_qwen2.5_1.5b_MVaR_math.sh) has 0.9 in place of 0.8. Where all scores of a bundle are the same
// the code divides by epsilon alone, and such a bundle below b outweighs all others a million times;
// here it has the advantage 0.
type RiskPO struct {
	estimators.Groupwise
	Bundle  int     `param:"bundle" doc:"prompts whose rewards are added; the last bundle of a batch may have fewer" min:"1" max:"65536"`
	Low     float64 `param:"low" doc:"level of the quantile below which scores count most" min:"0" max:"1"`
	High    float64 `param:"high" doc:"level of the quantile above which scores do not differ" min:"0" max:"1"`
	Weight  float64 `param:"tail_weight" doc:"weight of scores below the lower quantile, beside 1 for those between the quantiles" min:"0"`
	Rate    float64 `param:"track_rate" doc:"how far the quantiles go in a step; 0: each bundle has its own in every step" min:"0"`
	Epsilon float64 `param:"epsilon" doc:"added to deviations and to differences of levels" min:"0"`

	tracked *quantiles
	bundles []bundle // of the batch; reused
	sorted  []float64
}

// quantiles are those of scores at the two levels.
type quantiles struct{ Low, High float64 }

// A bundle is some prompts of a batch.
type bundle struct {
	scores []float64
	sd     float64 // 0: no signal
	quantiles
}

// Check returns the first contradiction between fields.
func (e *RiskPO) Check() error {
	if e.High <= e.Low {
		return params.Errorf("high", "got %v, want more than low, %v", e.High, e.Low)
	}
	if e.Low+e.Epsilon == 0 {
		return params.Errorf("low", "got 0 beside epsilon 0, and scores below the quantile are divided by their sum")
	}
	return nil
}

func (e *RiskPO) Advantages(dst [][]float64, b *estimators.Batch) error {
	if err := e.score(b); err != nil {
		return err
	}
	g := -1
	return e.Each(dst, b, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		for g++; &b.Groups[g] != e.Gathered(); g++ {
		}
		bundled := &e.bundles[g/e.Bundle]
		_, sd := estimators.Deviation(rewards, 1)
		if sd <= 1e-3 {
			sd = 1
		}
		clear(dst)
		if bundled.sd != 0 { // NaN where a sum of rewards overflowed
			scale := cmp.Or(1/float64((bundled.sd+e.Epsilon)*(sd+e.Epsilon)), math.NaN()) // the squares overflowed: reported, not taken for no signal
			for i, s := range bundled.scores {
				dst[i] = e.advantage(s, bundled.quantiles) * scale
			}
		}
		return nil
	})
}

// advantage is that of a score, before it is divided by deviations.
func (e *RiskPO) advantage(s float64, q quantiles) float64 {
	tail := -max(0, q.Low-s) / (e.Low + e.Epsilon)
	within := (max(0, s-q.Low) - max(0, s-q.High) + q.Low - q.High) / (e.High - e.Low + e.Epsilon)
	return (float64(e.Weight*tail) + within) / (e.Weight + 1)
}

// score fills bundles.
func (e *RiskPO) score(b *estimators.Batch) error {
	e.bundles = slices.Grow(e.bundles[:0], (len(b.Groups)+e.Bundle-1)/e.Bundle)
	for g := range b.Groups {
		if g%e.Bundle == 0 {
			e.bundles = e.bundles[:len(e.bundles)+1]
			e.bundles[len(e.bundles)-1].scores = e.bundles[len(e.bundles)-1].scores[:0]
		}
		rewards, _, err := e.Gather(&b.Groups[g], b.Groups[g].Scalarisation(b))
		if err != nil {
			return b.InGroup(g, err)
		}
		e.bundles[len(e.bundles)-1].add(rewards)
	}
	for i := range e.bundles {
		bundled := &e.bundles[i]
		bundled.sd = 1
		if len(bundled.scores) > 1 {
			if _, bundled.sd = estimators.Deviation(bundled.scores, 1); bundled.sd < estimators.Rounding(bundled.scores) {
				bundled.sd = 0
			}
		}
		if e.tracked != nil {
			bundled.quantiles = *e.tracked
		} else if len(bundled.scores) > 0 {
			bundled.quantiles = e.quantiles(bundled.scores)
		}
	}
	return nil
}

// add adds the rewards of a prompt, as far as both have rollouts. A prompt without any is left out.
func (b *bundle) add(rewards []float64) {
	switch {
	case len(rewards) == 0:
		return
	case len(b.scores) == 0:
		b.scores = append(b.scores, rewards...)
		return
	}
	b.scores = b.scores[:min(len(b.scores), len(rewards))]
	for i := range b.scores {
		b.scores[i] += rewards[i]
	}
}

// quantiles are those of scores, linear between neighbours.
func (e *RiskPO) quantiles(scores []float64) quantiles {
	e.sorted = append(e.sorted[:0], scores...)
	slices.Sort(e.sorted)
	return quantiles{Low: loss.Quantile(e.sorted, e.Low), High: loss.Quantile(e.sorted, e.High)}
}

func (e *RiskPO) Remembers() bool { return e.Rate > 0 }

// Remember implements Stateful: the quantiles go towards those of the batch's scores.
func (e *RiskPO) Remember(b *estimators.Batch) error {
	if err := e.score(b); err != nil {
		return err
	}
	var scores []float64
	for _, bundled := range e.bundles {
		scores = append(scores, bundled.scores...)
	}
	if len(scores) == 0 {
		return nil
	}
	if e.tracked == nil {
		q := e.quantiles(scores)
		e.tracked = &q
		return nil
	}
	e.tracked.Low += e.step(scores, e.tracked.Low, e.Low)
	e.tracked.High += e.step(scores, e.tracked.High, e.High)
	return nil
}

// step is how far the quantile q of a level goes.
func (e *RiskPO) step(scores []float64, q, level float64) float64 {
	below := each.Count(scores, func(s float64) bool { return s < q })
	return float64(e.Rate * (level - float64(below)/float64(len(scores))))
}

// Save implements Stateful: the quantiles as JSON.
func (e *RiskPO) Save(w io.Writer) error {
	if e.tracked == nil {
		return nil
	}
	return estimators.SaveJSON(w, e.tracked)
}

func (e *RiskPO) Load(r io.Reader) error {
	e.tracked = nil
	var q quantiles
	found, err := estimators.LoadJSON(r, &q)
	if found {
		e.tracked = &q
	}
	return err
}

func init() {
	estimators.Register(estimators.Reweighted, 130, estimators.Method{
		Name: "riskpo", Summary: "the low part of the scores of bundles of prompts: rollouts below tracked quantiles are avoided", Trains: true,
		Source:    "RiskPO 2025 (2510.00911); RTkenny/RiskPO (2025)",
		Estimator: estimators.From(RiskPO{Bundle: 5, Low: 0.2, High: 0.8, Weight: 1.5, Rate: 0.1, Epsilon: 1e-6}),
		Loss:      loss.Function{ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "token", Aggregation: "token-mean", KL: "k3"},
		Properties: estimators.Properties{
			ShiftInvariant: true, Scale: estimators.Neither, AcrossGroups: true, OrderMatters: true, MovesEqualRewards: true,
			Why: "it adds the rewards of several prompts; prompts' deviations of 0.001 or less are not divided by",
		},
		Target: estimators.NoTarget("its quantiles depend on the rewards of other prompts"),
	})
}

package bandit

import (
	"fmt"
	"math"

	"modebench/internal/exact"
)

// sumTolerance is how far the probabilities of a policy may add up to something
// else than 1.
const sumTolerance = 1e-9

// ExpectedReward returns the expected scalar reward of a policy and its exact
// gradient with respect to the logits of a softmax over the arms. prob has one
// probability per arm, w one weight per reward component. With s_a = w.r_a,
//
//	value   = sum_a p_a s_a
//	grad[a] = p_a (s_a - value)
//
// REINFORCE and every baseline of it estimate it without bias (Williams 1992). Lengths that
// do not fit, an entry that is no finite number and probabilities that do not add up to 1
// (within 1e-9) are errors.
func (p *Problem) ExpectedReward(prob, w []float64) (value float64, grad []float64, err error) {
	if err := p.checkProbabilities(prob); err != nil {
		return 0, nil, err
	}
	if len(w) != p.env.config.Components {
		return 0, nil, fmt.Errorf("weights: got %d, want one per reward component, %d", len(w), p.env.config.Components)
	}
	for i, x := range w {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return 0, nil, fmt.Errorf("weights[%d]: got %v, want a finite number", i, x)
		}
	}
	for a := range prob {
		value += float64(prob[a] * p.verdicts[a].Scalar(w))
	}
	grad = make([]float64, len(prob))
	for a := range prob {
		grad[a] = float64(prob[a] * (p.verdicts[a].Scalar(w) - value))
	}
	return value, grad, nil
}

// PassAtK returns the probability that at least one of k independent draws from
// a policy is correct, and its exact gradient with respect to the logits of a
// softmax over the arms. With s = sum of p_a over the correct arms,
//
//	value   = 1 - (1-s)^k
//	grad[a] = k (1-s)^(k-1) p_a ([a is correct] - s)
//
// The value keeps its relative accuracy for small s. For k = 1 it is the
// accuracy. Errors: as for ExpectedReward, and k < 1.
func (p *Problem) PassAtK(prob []float64, k int) (value float64, grad []float64, err error) {
	if err := p.checkDraws(prob, k); err != nil {
		return 0, nil, err
	}
	inside := make([]float64, len(prob)) // 1 for a correct arm
	var hits []float64
	for a := range prob {
		if p.verdicts[a].Correct {
			inside[a], hits = 1, append(hits, prob[a])
		}
	}
	s := mass(hits)
	value, slope := hitAtK(s, k)
	grad = make([]float64, len(prob))
	for a := range prob {
		grad[a] = float64(slope * float64(prob[a]*(inside[a]-s)))
	}
	return value, grad, nil
}

// Coverage returns the expected number of distinct correct modes among k
// independent draws from a policy, between 0 and min(k, len(Truth().Modes)),
// and its exact gradient with respect to the logits of a softmax over the arms.
// With q_m = sum of p_a over the arms of the correct mode m,
//
//	value   = sum_m [1 - (1-q_m)^k]
//	grad[a] = p_a (D_a - sum_m D_m q_m),  D_m = k (1-q_m)^(k-1),
//
// where D_a is D of the arm's mode if that is correct, else 0. Dividing by
// min(k, len(Truth().Modes)) gives the metric coverage@k. Errors: as for
// PassAtK.
func (p *Problem) Coverage(prob []float64, k int) (value float64, grad []float64, err error) {
	if err := p.checkDraws(prob, k); err != nil {
		return 0, nil, err
	}
	arms := p.env.config.ArmsPerMode
	slopes := make([]float64, len(p.correct)) // D of each mode
	mean := 0.0
	for m, correct := range p.correct {
		if !correct {
			continue
		}
		q := mass(prob[m*arms : (m+1)*arms])
		var hit float64
		hit, slopes[m] = hitAtK(q, k)
		value += hit
		mean += float64(slopes[m] * q)
	}
	grad = make([]float64, len(prob))
	for a := range prob {
		grad[a] = float64(prob[a] * (slopes[a/arms] - mean))
	}
	return value, grad, nil
}

// hitAtK returns 1 - (1-q)^k and its derivative with respect to q.
func hitAtK(q float64, k int) (value, slope float64) {
	value = -exact.Expm1(float64(k) * exact.Log1p(-q))
	return value, float64(float64(k) * exact.PowInt(1-q, k-1))
}

// mass sums probabilities in order. A rounded sum above 1 becomes 1: above it
// the complement has no logarithm.
func mass(prob []float64) float64 {
	sum := 0.0
	for _, x := range prob {
		sum += x
	}
	return min(1, sum)
}

func (p *Problem) checkDraws(prob []float64, k int) error {
	if k < 1 {
		return fmt.Errorf("k is %d, want at least 1", k)
	}
	return p.checkProbabilities(prob)
}

func (p *Problem) checkProbabilities(prob []float64) error {
	if len(prob) != len(p.verdicts) {
		return fmt.Errorf("probabilities: got %d, want one per arm, %d", len(prob), len(p.verdicts))
	}
	for a, x := range prob {
		if !(x >= 0 && x <= 1) {
			return fmt.Errorf("probabilities[%d]: got %v, want a number from 0 to 1", a, x)
		}
	}
	if total := exact.Sum(prob); math.Abs(total-1) > sumTolerance {
		return fmt.Errorf("probabilities: they add up to %v, want 1", total)
	}
	return nil
}

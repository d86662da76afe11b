package audit

import (
	"fmt"
	"slices"

	"modebench/estimators"
	"modebench/internal/exact"
)

const maxOutcomes = 1_000_000

// gradient is the exact gradient of a target objective in the logits of the problem's
// softmax. An expectation over more than limit outcomes is an error.
func (a *problem) gradient(target estimators.Target, limit int) ([]float64, error) {
	out := make([]float64, len(a.p))
	for _, term := range target.Terms {
		if term.Scores != nil {
			a.addLargest(out, term)
		} else if err := a.addWorth(out, term, limit); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// addLargest is for E[largest of n scores]. With the scores' values v_0 < v_1 < ... and
// F_l the chance of at most v_l it is
//
//	v_top - sum over l of (v_(l+1) - v_l) F_l^n
//
// and the gradient of F_l by the logit of arm j is p_j ([score of j <= v_l] - F_l).
func (a *problem) addLargest(dst []float64, term estimators.TargetTerm) {
	values := slices.Clone(term.Scores)
	slices.Sort(values)
	values = slices.Compact(values)
	for l, v := range values[:len(values)-1] {
		below := 0.0
		for arm, s := range term.Scores {
			if s <= v {
				below += a.p[arm]
			}
		}
		factor := float64(term.Weight * (values[l+1] - v) * float64(term.Draws) * exact.PowInt(below, term.Draws-1))
		for arm, s := range term.Scores {
			inside := -below
			if s <= v {
				inside++
			}
			dst[arm] -= float64(factor * a.p[arm] * inside)
		}
	}
}

// addWorth sums over all counts c of n draws: the gradient of E[f] is
// E[f (c - n p)], since log P(c) has the gradient c - n p.
func (a *problem) addWorth(dst []float64, term estimators.TargetTerm, limit int) error {
	if compositions(term.Draws, len(a.p), limit) > limit {
		return fmt.Errorf("the exact gradient of its objective sums over more than %d outcomes", limit)
	}
	return eachCount(a.p, term.Draws, func(counts []int, chance float64) error {
		worth, err := term.Worth(counts)
		if err != nil {
			return err
		}
		factor := float64(term.Weight * worth * chance)
		for arm, c := range counts {
			dst[arm] += float64(factor * (float64(c) - float64(float64(term.Draws)*a.p[arm])))
		}
		return nil
	})
}

// passGradients are the gradients of pass@k of all problems, by k, averaged over problems.
func passGradients(problems []*problem, ks []int) [][]float64 {
	var out [][]float64
	for _, k := range ks {
		var pass []float64
		for _, p := range problems {
			gradient := make([]float64, len(p.p))
			p.addLargest(gradient, estimators.TargetTerm{Weight: 1, Draws: k, Scores: p.correct()})
			for _, x := range gradient {
				pass = append(pass, x/float64(len(problems)))
			}
		}
		out = append(out, pass)
	}
	return out
}

// parallel reports whether the gradients have one direction, up to rounding, which 0 has not.
func parallel(gradients [][]float64) bool {
	for _, g := range gradients[1:] {
		if c := cosineOf(gradients[0], g); c < 1-1e-9 {
			return false
		}
	}
	return true
}

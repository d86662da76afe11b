package envtest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"modebench/envs"
	"modebench/internal/rng"
)

func sameTruth(a, b envs.Truth) bool {
	return slices.Equal(a.Modes, b.Modes) && a.Solutions == b.Solutions && slices.EqualFunc(a.Front, b.Front, slices.Equal[[]float64])
}

// checkTruth: the truth is well formed, and no answer found belies it.
func checkTruth(s *suite) error {
	return s.each(func(p envs.Problem, key rng.Key) error {
		truth := p.Truth()
		if err := wellFormed(truth); err != nil {
			return err
		}
		answers, err := s.answers(p, key)
		if err != nil {
			return err
		}
		weights, known := keyedWeights(s, key), map[envs.Mode]bool{}
		for _, m := range truth.Modes {
			known[m] = true
		}
		for _, tokens := range answers {
			v := p.Judge(tokens)
			if v.Correct && truth.Solutions == 0 {
				return fmt.Errorf("answer %v is correct, but the truth knows no solution", tokens)
			}
			if v.Correct && v.Mode != envs.Degenerate && !known[v.Mode] {
				return fmt.Errorf("answer %v is correct in the mode %q, which is not among the %d of the truth", tokens, v.Mode, len(truth.Modes))
			}
			if v.Err != nil {
				continue
			}
			if !slices.ContainsFunc(truth.Front, func(u []float64) bool { return covers(u, v.Reward) }) {
				return fmt.Errorf("answer %v reaches %v, outside of the front %v", tokens, v.Reward, truth.Front)
			}
			// No tolerance: Best and Scalar round alike, and rounding is monotone.
			for _, w := range weights {
				if got, best := v.Scalar(w), truth.Best(w); got > best {
					return fmt.Errorf("answer %v reaches %v under %v, above the best, %v", tokens, got, w, best)
				}
			}
		}
		return nil
	})
}

func wellFormed(truth envs.Truth) error {
	listed := map[envs.Mode]bool{envs.Degenerate: true}
	for _, m := range truth.Modes {
		if listed[m] {
			return fmt.Errorf("truth lists mode %q, which is degenerate or stands there twice", m)
		}
		listed[m] = true
	}
	if n := int64(len(truth.Modes)); truth.Solutions < -1 || truth.Solutions >= 0 && truth.Solutions < n {
		return fmt.Errorf("%d solutions with %d modes", truth.Solutions, n)
	}
	return nil
}

// checkFront: one or more finite vectors, in strict lexicographic order, none
// at least as good as another everywhere.
func checkFront(s *suite) error {
	return s.each(func(p envs.Problem, key rng.Key) error {
		front := p.Truth().Front
		if len(front) == 0 {
			return errors.New("the front is empty")
		}
		for i, u := range front {
			if len(u) != len(s.info.Components) {
				return fmt.Errorf("front vector %v, want one number per component of %v", u, s.info.Components)
			}
			for _, x := range u {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					return fmt.Errorf("front vector %v, want finite numbers", u)
				}
			}
			if i > 0 && slices.Compare(front[i-1], u) >= 0 {
				return fmt.Errorf("front vectors %v and %v are not in lexicographic order", front[i-1], u)
			}
			for j, v := range front {
				if i != j && covers(u, v) {
					return fmt.Errorf("%v and %v both lie on the front, but the first dominates the second", u, v)
				}
			}
		}
		for _, w := range keyedWeights(s, key) {
			highest := math.Inf(-1)
			for _, u := range front {
				highest = max(highest, (&envs.Verdict{Reward: u}).Scalar(w))
			}
			if best := p.Truth().Best(w); best != highest {
				return fmt.Errorf("the best under %v is %v, but the front reaches %v", w, best, highest)
			}
		}
		return nil
	})
}

// covers reports whether u is at least v in every component.
func covers(u, v []float64) bool {
	for j := range v {
		if !(u[j] >= v[j]) {
			return false
		}
	}
	return true
}

// checkEnumeration: if all answers can be listed, they are judged, and the truth has to be
// exactly the result. Solutions are equal if their variants are or, without variants, their
// texts.
func checkEnumeration(s *suite) error {
	return s.each(func(p envs.Problem, _ rng.Key) error {
		answers, ok, err := enumerate(p)
		if err != nil || !ok {
			return err
		}
		truth := p.Truth()
		found, solutions := map[envs.Mode]bool{}, map[string]bool{}
		var rewards [][]float64
		for _, tokens := range answers {
			v := p.Judge(tokens)
			if v.Err == nil {
				rewards = append(rewards, v.Reward)
			}
			if v.Correct {
				solution := v.Variant
				if !s.info.Variants {
					solution = p.AnswerText(tokens)
				}
				if solution != "" {
					solutions[solution] = true
				}
				if v.Mode != envs.Degenerate {
					found[v.Mode] = true
				}
			}
		}
		if truth.Solutions >= 0 && truth.Solutions != int64(len(solutions)) {
			return fmt.Errorf("truth knows %d solutions; listing all answers gives %d", truth.Solutions, len(solutions))
		}
		for _, m := range truth.Modes {
			if !found[m] {
				return fmt.Errorf("truth knows the mode %q, but no correct answer has it", m)
			}
		}
		if len(found) != len(truth.Modes) {
			return fmt.Errorf("truth knows %d modes; listing all answers gives %d", len(truth.Modes), len(found))
		}
		for _, u := range truth.Front {
			if !slices.ContainsFunc(rewards, func(v []float64) bool { return slices.Equal(u, v) }) {
				return fmt.Errorf("front vector %v is reached by no answer", u)
			}
		}
		for _, v := range rewards {
			if !slices.ContainsFunc(truth.Front, func(u []float64) bool { return covers(u, v) }) {
				return fmt.Errorf("%v is reached, but lies outside of the front %v", v, truth.Front)
			}
		}
		return nil
	})
}

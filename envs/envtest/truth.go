package envtest

import (
	"math"
	"slices"

	"modebench/envs"
	"modebench/internal/rng"
)

// checkTruth: the truth is well formed, and no answer found belies it.
func checkTruth(s *suite) {
	s.each(func(p envs.Problem, key rng.Key) {
		truth := p.Truth()
		known := map[envs.Mode]bool{}
		for _, m := range truth.Modes {
			want(m != envs.Degenerate && !known[m], "truth lists mode %q, which is degenerate or listed twice", m)
			known[m] = true
		}
		want(truth.Solutions == -1 || truth.Solutions >= int64(len(known)), "%d solutions with %d modes", truth.Solutions, len(known))
		weights := keyedWeights(s, key)
		for _, tokens := range s.answers(p, key) {
			v := p.Judge(tokens)
			want(!v.Correct || truth.Solutions != 0, "answer %v is correct, but the truth knows no solution", tokens)
			want(!v.Correct || v.Mode == envs.Degenerate || known[v.Mode],
				"answer %v is correct in the mode %q, which is not among the %d of the truth", tokens, v.Mode, len(truth.Modes))
			if v.Err != nil {
				continue
			}
			want(covered(v.Reward, truth.Front), "answer %v reaches %v, outside of the front %v", tokens, v.Reward, truth.Front)
			// No tolerance: Best and Scalar round alike, and rounding is monotone.
			for _, w := range weights {
				got, best := v.Scalar(w), truth.Best(w)
				want(got <= best, "answer %v reaches %v under %v, above the best, %v", tokens, got, w, best)
			}
		}
	})
}

// covered reports whether a vector of the front is at least v in every component.
func covered(v []float64, front [][]float64) bool {
	return slices.ContainsFunc(front, func(u []float64) bool { return envs.Covers(u, v) })
}

// checkFront: one or more finite vectors, in strict lexicographic order, none
// at least as good as another everywhere.
func checkFront(s *suite) {
	s.each(func(p envs.Problem, key rng.Key) {
		front := p.Truth().Front
		want(len(front) > 0, "the front is empty")
		for i, u := range front {
			want(len(u) == len(s.info.Components), "front vector %v, want one number per component of %v", u, s.info.Components)
			for _, x := range u {
				want(x-x == 0, "front vector %v, want finite numbers", u)
			}
			if i > 0 {
				want(slices.Compare(front[i-1], u) < 0, "front vectors %v and %v are not in lexicographic order", front[i-1], u)
			}
			for j, v := range front {
				want(i == j || !envs.Covers(u, v), "%v and %v both lie on the front, but the first dominates the second", u, v)
			}
		}
		for _, w := range keyedWeights(s, key) {
			highest := math.Inf(-1)
			for _, u := range front {
				highest = max(highest, (&envs.Verdict{Reward: u}).Scalar(w))
			}
			best := p.Truth().Best(w)
			want(best == highest, "the best under %v is %v, but the front reaches %v", w, best, highest)
		}
	})
}

// checkEnumeration: if all answers can be listed, they are judged, and the truth has to be exactly
// the result. Solutions are equal if their variants are or, without variants, their texts.
func checkEnumeration(s *suite) {
	s.each(func(p envs.Problem, _ rng.Key) {
		answers, ok := enumerate(p)
		if !ok {
			return
		}
		truth := p.Truth()
		found, solutions := map[envs.Mode]bool{}, map[string]bool{}
		var rewards [][]float64
		for _, tokens := range answers {
			v := p.Judge(tokens)
			if v.Err == nil {
				rewards = append(rewards, v.Reward)
			}
			if !v.Correct {
				continue
			}
			found[v.Mode] = true
			if s.info.Variants {
				solutions[v.Variant] = true
			} else {
				solutions[p.AnswerText(tokens)] = true
			}
		}
		delete(found, envs.Degenerate)
		delete(solutions, "")
		want(truth.Solutions < 0 || truth.Solutions == int64(len(solutions)), "truth knows %d solutions; listing all answers gives %d", truth.Solutions, len(solutions))
		for _, m := range truth.Modes {
			want(found[m], "truth knows the mode %q, but no correct answer has it", m)
		}
		want(len(found) == len(truth.Modes), "truth knows %d modes; listing all answers gives %d", len(truth.Modes), len(found))
		for _, u := range truth.Front {
			want(slices.ContainsFunc(rewards, func(v []float64) bool { return slices.Equal(u, v) }), "front vector %v is reached by no answer", u)
		}
		for _, v := range rewards {
			want(covered(v, truth.Front), "%v is reached, but lies outside of the front %v", v, truth.Front)
		}
	})
}

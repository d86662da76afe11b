package metrics

import "fmt"

// AddOptimum adds the ceiling of each metric (Metric): the best that any policy could reach on a
// problem, given its ground truth as Pool has it. Metrics without a ceiling, or whose ground truth is
// not given, are left out. Of ew_best@k no more than maxSubsets sets of front vectors are tried.
//
// The ceilings of different metrics, and of one metric at different k, are reached by different
// policies, if at all: k independent answers cannot be sure to cover k modes.
func (t *Table) AddOptimum(modes int, front [][]float64) error {
	if modes < -1 {
		return fmt.Errorf("modes is %d, want a count, or -1 if it is not known", modes)
	}
	if err := checkFront(front, t.opt.Weights); err != nil {
		return err
	}
	t.optimum = true
	g := &truth{modes, front}
	for _, m := range t.given {
		switch {
		case m.ceiling == nil:
		case m.atEachK():
			for i, k := range t.opt.K {
				if best, ok := m.ceiling(t, g, k); ok {
					t.addAt(m.Family(), i, best)
				}
			}
		default:
			if best, ok := m.ceiling(t, g, 0); ok {
				t.AddValue(m.Name, best)
			}
		}
	}
	return nil
}

// truth is the ground truth of a problem, as Pool has it.
type truth struct {
	modes int
	front [][]float64
}

// solvable is the ceiling of probabilities of a correct answer.
func solvable(_ *Table, g *truth, _ int) (float64, bool) {
	return float64(min(1, g.modes)), g.modes >= 0
}

// maxSubsets bounds the sets of front vectors that AddOptimum tries, counting
// the smaller ones it builds them from: C(n+1, k) for sets of k out of n.
const maxSubsets = 1 << 14

// bestSubset returns the highest mean over the draws of max w.r over a set of at most k vectors.
func bestSubset(front, draws [][]float64, k int) (float64, bool) {
	// Another vector never lowers a maximum, so only sets of the full size matter.
	k = min(k, len(front))
	if len(draws) == 0 || choose(len(front)+1, k) > maxSubsets {
		return 0, false
	}
	s := search{draws: draws, scores: make([][]float64, len(front)), best: make([][]float64, k+1)}
	for i, r := range front {
		for _, w := range draws {
			s.scores[i] = append(s.scores[i], dot(w, r))
		}
	}
	for size := range s.best {
		s.best[size] = make([]float64, len(draws))
	}
	s.extend(0, 0)
	return s.highest / float64(len(draws)), true
}

// choose returns C(n, k), or a number above maxSubsets if it is above.
func choose(n, k int) int {
	count := 1
	for i := 1; i <= min(k, n-k); i++ {
		if count = count * (n - i + 1) / i; count > maxSubsets {
			break
		}
	}
	return count
}

// A search tries the sets of front vectors of one size.
type search struct {
	draws   [][]float64
	scores  [][]float64 // of each vector under each draw
	best    [][]float64 // by size: the best score of the set so far under each draw
	highest float64
	found   bool
}

// extend adds vectors from number `from` on to a set of the given size.
func (s *search) extend(size, from int) {
	if size == len(s.best)-1 {
		sum := total(s.best[size])
		if !s.found || sum > s.highest {
			s.found, s.highest = true, sum
		}
		return
	}
	missing := len(s.best) - 1 - size
	for i := from; i+missing <= len(s.scores); i++ {
		for draw, score := range s.scores[i] {
			if size > 0 {
				score = max(score, s.best[size][draw])
			}
			s.best[size+1][draw] = score
		}
		s.extend(size+1, i+1)
	}
}

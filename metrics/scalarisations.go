package metrics

import (
	"math"
	"slices"

	"modebench/envs"
	"modebench/internal/rng"
)

func init() {
	register(Metric{rank: 40, Name: "ew_best@k", Doc: "best@k averaged over random scalarisations w ~ Dir(1)", Detail: "over the weights of Options.Draws; reward units; VPO eq. 1",
		Label: "E_w[best@k]", Unit: "w ~ Dir(1)", Axis: AxisShare, Delta: rewardDelta, Reads: envs.HasReward, Vectors: true, Setting: "draws", add: (*Table).addScalarisations,
		ceiling: func(t *Table, g *truth, k int) (float64, bool) {
			best, ok := bestSubset(g.front, t.opt.Draws, k)
			if !ok { // an average over the other problems would bound nothing
				best = math.NaN()
			}
			return best, len(g.front) > 0
		}})
}

// Scalarisations returns n draws of w ~ Dir(1), the uniform distribution on the simplex, in d >= 1
// dimensions: the w of E_w[best@k] (VPO eq. 1, which trains on this distribution). They are always
// the same ones, and the first of a longer list too, so that all methods and runs share them.
//
// Every draw comes with its d-1 rotations, so that where d divides n all components weigh the same
// on average: ew_best@1 is then best@1 under uniform weights, exactly, and no component is favoured
// for k > 1 either. The remaining error of a finite list is the same for all methods; intervals
// over seeds do not show it.
func Scalarisations(d, n int) [][]float64 {
	key := rng.New(0).Str("scalarisations").Int(uint64(d))
	out := make([][]float64, 0, max(0, n))
	var w []float64
	for i := range n {
		turn := 0
		if d > 0 {
			turn = i % d
		}
		if turn == 0 {
			w = make([]float64, max(0, d))
			rng.Dirichlet(key.Int(uint64(i)).Rand(), 1, w)
		}
		out = append(out, slices.Concat(w[turn:], w[:turn]))
	}
	return out
}

// addScalarisations adds ew_best@k.
func (t *Table) addScalarisations(a *answers) {
	if len(t.opt.Draws) == 0 || len(t.opt.K) == 0 {
		return
	}
	s := &t.scratch
	s.sums = zeros(s.sums, len(t.opt.K))
	for _, w := range t.opt.Draws {
		s.scores = s.scores[:0]
		for _, r := range a.vectors {
			s.scores = append(s.scores, dot(w, r))
		}
		ascending, tails := t.climb(a, s.scores)
		for i := range s.sums {
			s.sums[i] += tails.best(&t.plan.choices[i], ascending)
		}
	}
	for i, sum := range s.sums {
		t.addAt("ew_best", i, sum/float64(len(t.opt.Draws)))
	}
}

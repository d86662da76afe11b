package metrics

import "modebench/envs"

func init() {
	register(
		Metric{rank: 20, Name: "best@k", Doc: "expected highest scalar reward w*.r among k answers", Detail: "reward units; VPO sec. 4.3, by PKPO (arXiv 2505.15201) eq. 14",
			Label: "best@k", Axis: AxisShare, Delta: rewardDelta, Reads: envs.HasReward, add: (*Table).addScalar, ceiling: bestOfFront},
		Metric{rank: 30, Name: "best_first@k", Doc: "highest scalar reward among the first k answers drawn (S_k of VPO sec. 4.3)", Detail: "reward units",
			Label: "best of the first k drawn", Axis: AxisShare, Delta: rewardDelta, Reads: envs.HasReward, ceiling: bestOfFront},
		Metric{rank: 50, Name: "regret@k", Doc: "highest scalar reward on the exact Pareto front, less best@k", Detail: "reward units, >= 0; needs the front, and w >= 0, or no front bounds w.r",
			Label: "regret@k", Axis: AxisFromZero, Delta: rewardDelta, Reads: envs.HasReward,
			ceiling: func(t *Table, g *truth, k int) (float64, bool) {
				_, bounded := bestOfFront(t, g, k)
				return 0, bounded
			}},
		Metric{rank: 110, Name: "reward", Doc: "expected scalar reward w*.r", Detail: "reward units",
			Label: "reward", Axis: AxisShare, Delta: rewardDelta, Reads: envs.HasReward, ceiling: bestOfFront},
	)
}

// addScalar adds best@k, best_first@k, regret@k and reward.
func (t *Table) addScalar(a *answers) {
	top, bounded := frontBest(a.front, t.opt.Weights)
	scores, tails := t.climb(a, a.scores)
	for i, k := range t.opt.K {
		best := tails.best(&t.plan.choices[i], scores)
		t.addAt("best", i, best)
		first := best // a distribution has no order
		if !a.exact {
			first = a.bestFirst(k)
		}
		t.addAt("best_first", i, first)
		if bounded {
			t.addAt("regret", i, max(0, top-best)) // below 0 by rounding alone: see checkReached
		}
	}
	t.AddValue("reward", dot(a.weight, a.scores)/a.candidates())
}

// bestFirst is the highest score of the first k candidates in draw order.
func (a *answers) bestFirst(k int) float64 {
	best := a.scores[a.vector[0]]
	for _, number := range a.vector[1:k] {
		best = max(best, a.scores[number])
	}
	return best
}

// bestOfFront is the ceiling of rewards: the highest w.r on the front.
func bestOfFront(t *Table, g *truth, _ int) (float64, bool) { return frontBest(g.front, t.opt.Weights) }

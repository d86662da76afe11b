package metrics

import "modebench/envs"

func init() {
	const detail = "with two such candidates in a pool (or Options.Samples)"
	register(
		Metric{rank: 180, Name: "reward_l1", Doc: "mean L1 distance between the reward vectors of two answers of a pool", Detail: "reward units, >= 0; VPO sec. 4.3; " + detail,
			Label: "reward diversity", Unit: "mean pairwise L1", Axis: AxisFromZero, Delta: Delta{0.05, "a twentieth of the range of one component; a base policy has .7"},
			Reads: envs.HasReward, Vectors: true, add: func(t *Table, a *answers) { t.addDistance("reward_l1", a, false) }},
		Metric{rank: 190, Name: "reward_l1_correct", Doc: "mean L1 distance between the reward vectors of two correct answers of a pool", Detail: "reward units, >= 0; " + detail,
			Label: "reward diversity of correct answers", Unit: "mean pairwise L1", Axis: AxisFromZero, Delta: Delta{0.05, "a twentieth of the range of one component; a base policy has .4"},
			Reads: envs.HasReward | envs.HasCorrect, Vectors: true, add: func(t *Table, a *answers) { t.addDistance("reward_l1_correct", a, true) }},
	)
}

// addDistance adds the mean distance of two candidates, or of two correct candidates. In a
// distribution it is the expected sum of the distances of the pairs of a pool of Options.Samples
// candidates, over the expected number of such pairs. The package comment has the formula.
func (t *Table) addDistance(name string, a *answers, correct bool) {
	sum, pairs, least := 0.0, 0.0, rareMass
	if a.exact {
		sum, pairs = t.exactDistances(a, correct)
	} else {
		s := &t.scratch
		s.masses[0] = a.vectorMass(s.masses[0], a.m, correct)
		n := total(s.masses[0])
		// Both are over ordered pairs.
		sum, pairs, least = t.distance(a, s.masses[0], s.masses[0]), float64(n*(n-1)), 1
	}
	if pairs > least {
		t.AddValue(name, sum/pairs)
	}
}

// distance returns the sum over all pairs of vectors of f*g times their L1
// distance, for masses f and g of the vectors: the expected distance of two
// independent draws where f and g are distributions. With F and G the masses up
// to a gap between neighbouring values of a component, and F', G' those above it,
//
//	sum over components and gaps of gap * (F G' + G F')
//
// which takes O(n log n) per component and has no difference of large numbers.
func (t *Table) distance(a *answers, f, g []float64) float64 {
	sum := 0.0
	for j := range t.opt.Weights {
		order := a.order(j)
		// above holds the two masses above each gap, summed from the top.
		above := zeros(t.scratch.above, 2*len(order))
		t.scratch.above = above
		for i := len(order) - 1; i > 0; i-- {
			above[2*i-2] = above[2*i] + f[order[i]]
			above[2*i-1] = above[2*i+1] + g[order[i]]
		}
		belowF, belowG := 0.0, 0.0
		for i := range len(order) - 1 {
			belowF += f[order[i]]
			belowG += g[order[i]]
			gap := a.vectors[order[i+1]][j] - a.vectors[order[i]][j]
			sum += float64(gap * (float64(belowF*above[2*i+1]) + float64(belowG*above[2*i])))
		}
	}
	return sum
}

// rareMass is the mass of pairs below which a mean over them is not reliable, since its
// terms underflow.
const rareMass = 1e-200

// exactDistances is the expected sum of distances in a pool, and the expected number of pairs.
func (t *Table) exactDistances(a *answers, correct bool) (sum, pairs float64) {
	q, r := float64(t.plan.samples.q), t.plan.samples.r
	s := &t.scratch
	pairsOfChains := q * (q - 1) / 2
	// Masses of the vectors within whole chains (adding up to m, or m times
	// the accuracy) and within the first r candidates of a chain.
	s.masses[2] = a.vectorMass(s.masses[2], a.m, correct)
	s.masses[3] = a.vectorMass(s.masses[3], r, correct)
	whole, part := total(s.masses[2]), total(s.masses[3])

	sum = float64(pairsOfChains * t.distance(a, s.masses[2], s.masses[2]))
	pairs = float64(pairsOfChains * float64(whole*whole))
	if r > 0 {
		sum += float64(q * t.distance(a, s.masses[2], s.masses[3]))
		pairs += float64(q * float64(whole*part))
	}
	if a.m > 1 {
		within, count := a.withinChains(a.m, correct)
		sum += float64(q * within)
		pairs += float64(q * count)
		within, count = a.withinChains(r, correct)
		sum += within
		pairs += count
	}
	return sum, pairs
}

// withinChains returns, for the pairs among the first candidates of a chain (the correct ones of
// them), the expected sum of their distances and the expected number of pairs.
func (a *answers) withinChains(first int, correct bool) (sum, pairs float64) {
	for chain, mass := range a.mass {
		distance, count := 0.0, 0.0
		for i := range first {
			index := chain*a.m + i
			if correct && !a.all[index].Correct {
				continue
			}
			for before := chain * a.m; before < index; before++ {
				if correct && !a.all[before].Correct {
					continue
				}
				distance += l1(a.vectors[a.vector[before]], a.vectors[a.vector[index]])
				count++
			}
		}
		sum += float64(mass * distance)
		pairs += float64(mass * count)
	}
	return sum, pairs
}

// l1 returns the L1 distance of two vectors.
func l1(u, v []float64) float64 {
	sum := 0.0
	for j := range u {
		sum += max(u[j]-v[j], v[j]-u[j])
	}
	return sum
}

func total(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum
}

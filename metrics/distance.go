package metrics

import "modebench/envs"

// addPoolVectors adds the metrics of reward vectors that only pools have, and those that
// are computed differently for distributions.
func (t *Table) addPoolVectors(a *answers) {
	s := &t.scratch
	for i, correct := range []bool{false, true} {
		s.masses[i] = a.vectorMass(s.masses[i], a.m, correct)
		n := 0.0
		for _, mass := range s.masses[i] {
			n += mass
		}
		if n < 2 || correct && !t.has(envs.HasCorrect) {
			continue
		}
		// The sum over ordered pairs, over their number n(n-1).
		t.addPlain(rewardL1+plainMetric(i), t.distance(a, s.masses[i], s.masses[i])/float64(n*(n-1)))
	}
	if ratio, ok := hypervolumeRatio(a.vectors, a.front); ok {
		t.addPlain(hypervolume, ratio)
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

// addExactDistances adds reward_l1 and reward_l1_correct of a distribution: the
// expected sum of the distances of the pairs of a pool of Options.Samples
// candidates, over the expected number of such pairs. The package comment has
// the formula.
func (t *Table) addExactDistances(a *answers) {
	q, r := float64(t.plan.samples.q), t.plan.samples.r
	m, s := float64(a.m), &t.scratch
	pairsOfChains := q * (q - 1) / 2
	for i, correct := range []bool{false, true} {
		// Masses of the vectors within whole chains (adding up to m, or m times
		// the accuracy) and within the first r candidates of a chain.
		s.masses[2] = a.vectorMass(s.masses[2], a.m, correct)
		s.masses[3] = a.vectorMass(s.masses[3], r, correct)
		whole, part := total(s.masses[2]), total(s.masses[3])

		sum := float64(pairsOfChains * t.distance(a, s.masses[2], s.masses[2]))
		pairs := float64(pairsOfChains * float64(whole*whole))
		if r > 0 {
			sum += float64(q * t.distance(a, s.masses[2], s.masses[3]))
			pairs += float64(q * float64(whole*part))
		}
		if m > 1 {
			within, count := a.withinChains(a.m, correct)
			sum += float64(q * within)
			pairs += float64(q * count)
			within, count = a.withinChains(r, correct)
			sum += within
			pairs += count
		}
		if pairs > rareMass {
			t.addPlain(rewardL1+plainMetric(i), sum/pairs)
		}
	}
}

// withinChains returns, for the pairs among the first so many candidates of a
// chain (the correct ones of them), the expected sum of their distances and the
// expected number of pairs.
func (a *answers) withinChains(first int, correct bool) (sum, pairs float64) {
	for chain, mass := range a.mass {
		distance, count := 0.0, 0.0
		for i := range first {
			at := chain*a.m + i
			if correct && !a.all[at].Correct {
				continue
			}
			for before := chain * a.m; before < at; before++ {
				if correct && !a.all[before].Correct {
					continue
				}
				distance += l1(a.vectors[a.vector[before]], a.vectors[a.vector[at]])
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

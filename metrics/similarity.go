package metrics

import (
	"slices"

	"modebench/envs"
	"modebench/internal/exact"
)

// The metrics of embeddings. H is the embeddings of all candidates in draw order, without the
// candidates that are not compared (type embeddings). Copies stay in, since these metrics are there
// to show them; SD-E2 (app. E) drops copied strategies before it rewards the others. The metrics
// within rollouts are about the H of one rollout, as in SD-E2, the others about that of the pool.
func init() {
	embedding := func(m Metric) Metric {
		m.Measure, m.Reads = MeasureEmbeddings, envs.HasEmbedding
		return m
	}
	chainUniq := Delta{0.1, "one answer more in every tenth rollout; a base policy has 1.4"}
	register(
		embedding(Metric{rank: 280, Name: "div", Doc: "1 less the mean cosine of two answers of a pool (Div of SD-E2)", Detail: "[0, 1]; SD-E2 eqs. 13-14",
			Label: "Div", Unit: "1 − mean cosine", Axis: AxisShare, Delta: shareDelta, add: (*Table).addSimilarities}),
		embedding(Metric{rank: 290, Name: "uniq", Doc: "answers of a pool that repeat no earlier one (Uniq of SD-E2)", Detail: "in draw order, each if its cosine with all taken before is at most Options.Delta; count, [0, candidates]; SD-E2 eq. 15",
			Label: "Uniq", Unit: "distinct answers", Axis: AxisFromZero, Setting: "delta", Delta: countDelta, Pools: true,
			add: func(t *Table, a *answers) {
				t.AddValue("uniq", float64(a.embedded.unique(a.embedded.number, t.opt.Delta)))
			}}),
		embedding(Metric{rank: 300, Name: "redundancy", Doc: "share of pairs of answers of a pool that repeat each other (RR of SD-E2)", Detail: "with a cosine above Options.Delta; [0, 1]; RR@delta of SD-E2 app. D; needs two embeddings in a pool, one in a distribution",
			Label: "redundancy", Unit: "share of pairs", Axis: AxisShare, Setting: "delta", Delta: shareDelta}),
		embedding(Metric{rank: 310, Name: "setpo_diversity", Doc: "SetPO's diversity of a set, D", Detail: "mean of -log(1 + mean cosine with the others, from 0 up); nats, [-log 2, 0]; SetPO eq. 3, F(P) of its eqs. 6-7; needs embeddings as redundancy does",
			Label: "SetPO's diversity D", Delta: shareDelta}),
		embedding(Metric{rank: 330, Name: "chain_div", Doc: "div within a rollout", Detail: "averaged over rollouts, of chains of two candidates or more; [0, 1]",
			Label: "Div of a rollout", Unit: "1 − mean cosine", Axis: AxisShare, Delta: shareDelta,
			add: func(t *Table, a *answers) {
				if a.m > 1 {
					t.addWithinRollouts(a)
				}
			}}),
		embedding(Metric{rank: 340, Name: "chain_uniq", Doc: "uniq within a rollout", Detail: "the same average; [0, m]",
			Label: "Uniq of a rollout", Unit: "distinct answers", Axis: AxisFromZero, Setting: "delta", Delta: chainUniq}),
		embedding(Metric{rank: 350, Name: "chain_redundancy", Doc: "redundancy within a rollout", Detail: "over the rollouts with two embeddings; [0, 1]",
			Label: "redundancy of a rollout", Unit: "share of pairs", Axis: AxisShare, Setting: "delta", Delta: shareDelta}),
	)
}

// addSimilarities adds div, redundancy and setpo_diversity, which are sums over pairs of the n embedded
// candidates of a pool, each pair i, j of different candidates having the same weight:
//
//	div             = clamp(1 - mean of cos_ij, 0, 1)
//	redundancy      = share of the pairs with cos_ij > delta (SD-E2 app. D names it without a formula)
//	setpo_diversity = mean over i of g(mean over j != i of clamp(cos_ij, 0, 1)), g(x) = -log(1+x)
//
// In a distribution they are of two independent answers y and y', given that both have an embedding:
// 1 - E[cos] clamped, P(cos > delta), and SetPO's F(P) = E_y g(E_y' clamp(cos, 0, 1)) (its eqs. 2 and
// 6-7). With m = 1 the mean cosine and the share of a pool are unbiased for those (div itself if the
// clamp does not bind), and D is too high by the order of 1/n, since g is convex. Pairs within a chain
// depend on each other, so for m > 1 all three merely tend there.
//
// One embedding has div 1 and no embedding has div 0 (below eq. 14). The other two are left out below
// two in a pool, below one in a distribution.
func (t *Table) addSimilarities(a *answers) {
	e := &a.embedded
	// A candidate of a pool is not compared with itself. Two draws from a distribution
	// are independent and may be the same answer.
	itself := 1.0
	if a.exact {
		itself = 0
	}
	switch {
	case e.total == 0:
		t.AddValue("div", 0)
		return
	case e.total == itself:
		t.AddValue("div", 1)
		return
	}
	cosines, repeats := e.pairs(itself, t.opt.Delta)
	pairs := float64(e.total * (e.total - itself))
	t.AddValue("div", clamp(1-cosines/pairs))
	t.AddValue("redundancy", clamp(repeats/pairs))
	sum := 0.0
	for i, local := range e.local {
		sum -= float64(e.mass[i] * exact.Log1p(clamp(local/(e.total-itself))))
	}
	t.AddValue("setpo_diversity", sum/e.total)
}

// pairs returns two sums over ordered pairs of candidates: of their cosines, and of the
// pairs whose cosine is above delta. It leaves the sum of each vector's cosines, those below
// 0 counted as 0, in local.
func (e *embeddings) pairs(itself, delta float64) (cosines, repeats float64) {
	e.local = slices.Grow(e.local[:0], len(e.mass))[:len(e.mass)]
	for i, mass := range e.mass {
		e.local[i] = mass - itself
		row, above := 0.0, 0.0
		for j, other := range e.mass[:i] {
			c := e.cosine(i, j)
			row += float64(other * c)
			if c > delta {
				above += other
			}
			if c > 0 {
				e.local[i] += float64(other * c)
				e.local[j] += float64(mass * c)
			}
		}
		copies := float64(mass * (mass - itself))
		cosines += copies + float64(2*float64(mass*row))
		repeats += float64(2 * float64(mass*above))
		if 1 > delta {
			repeats += copies
		}
	}
	return cosines, repeats
}

// clamp takes x to [0, 1].
func clamp(x float64) float64 { return min(1, max(0, x)) }

// unique is Uniq(H; delta): how many candidates are chosen when each one, in order, is
// chosen if its cosine with every one chosen before is at most delta; a count, from 1
// up to the number of embeddings, 0 without any (SD-E2 eq. 15). It takes time
// proportional to the number of distinct vectors, times that of the chosen ones.
func (e *embeddings) unique(h []int32, delta float64) int {
	e.chosen, e.visited = e.chosen[:0], slices.Grow(e.visited[:0], len(e.vectors))[:len(e.vectors)]
	clear(e.visited)
	count := 0
	for _, number := range h {
		switch {
		case number < 0:
		case delta >= 1: // no cosine is above it, not even that of copies
			count++
		case e.visited[number]: // already chosen, or too close to a chosen vector
		default:
			e.visited[number] = true
			if !slices.ContainsFunc(e.chosen, func(j int32) bool { return e.cosine(int(number), int(j)) > delta }) {
				e.chosen = append(e.chosen, number)
				count++
			}
		}
	}
	return count
}

// addWithinRollouts adds chain_div, chain_uniq and chain_redundancy: div, uniq and redundancy of
// one rollout's candidates in their order, averaged over the rollouts of a pool, or the expectation
// over those of a distribution. A rollout without an embedding has div 0 and uniq 0; redundancy is
// averaged over those with two or more, and left out without any.
func (t *Table) addWithinRollouts(a *answers) {
	e := &a.embedded
	for i := range e.averages {
		e.averages[i] = e.averages[i][:0]
	}
	several := 0.0 // mass of the rollouts with two embeddings or more
	for chain, mass := range a.mass {
		d, u, r, n := e.rollout(e.number[chain*a.m:(chain+1)*a.m], t.opt.Delta)
		e.averages[0] = append(e.averages[0], float64(mass*d))
		e.averages[1] = append(e.averages[1], float64(mass*u))
		if n > 1 {
			e.averages[2] = append(e.averages[2], float64(mass*r))
			several += mass
		}
	}
	if !a.exact {
		// In ascending order, whatever the order of the chains.
		for _, values := range e.averages {
			slices.Sort(values)
		}
	}
	rollouts := a.candidates() / float64(a.m)
	t.AddValue("chain_div", clamp(total(e.averages[0])/rollouts))
	t.AddValue("chain_uniq", min(float64(a.m), total(e.averages[1])/rollouts))
	if several > 0 {
		t.AddValue("chain_redundancy", clamp(total(e.averages[2])/several))
	}
}

// rollout returns div, uniq and redundancy of one rollout's candidates, and how many
// have an embedding.
func (e *embeddings) rollout(candidates []int32, delta float64) (div, uniq, redundancy float64, n int) {
	e.chain = e.chain[:0]
	cosines, repeats, pairs := 0.0, 0.0, 0.0
	for _, i := range candidates {
		if i < 0 {
			continue
		}
		for _, j := range e.chain {
			c := e.cosine(int(i), int(j))
			cosines += c
			if c > delta {
				repeats++
			}
			pairs++
		}
		e.chain = append(e.chain, i)
	}
	switch len(e.chain) {
	case 0:
		return 0, 0, 0, 0
	case 1:
		return 1, 1, 0, 1
	}
	return clamp(1 - cosines/pairs), float64(e.unique(candidates, delta)), repeats / pairs, len(e.chain)
}

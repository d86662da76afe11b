package estimators

import (
	"fmt"
	"math"
	"slices"

	"modebench/envs"
	"modebench/estimators/internal/cosine"
)

// A chain holds the facts of a rollout that the rewards of SD-E2 and its baselines read (SD-E2 sec.
// 3.1). Its candidates are the strategies (r, o): the reasoning r is there if the judge finds a
// strategy in it (its mode is not degenerate), the outcome o is its answer, and it is valid if both
// are there (eq. 8). An answer without a way to it, or an answer that does not parse, is no valid
// strategy, but an answer that is correct solves the problem after any reasoning (eq. 42).
//
// The paper's parser (app. E) leaves out blocks that are copies of others, and so does
// withoutCopies. A verdict does not hold the text of an answer, so a copy is a candidate
// with an equal verdict, to the last bit of the embedding. Where copies are not dropped,
// each counts in n_strat and in H, where its cosine of 1 lowers Div.
type chain struct {
	strategies int     // n_strat, the valid ones (eq. 9)
	solved     bool    // chi: some outcome is correct
	final      bool    // there is a final answer (eq. 20)
	right      bool    // the final answer is the gold one
	tokens     int     // length of the whole rollout
	novelty    float64 // g(H) = Uniq(H; delta) Div(H) (eq. 43); 0 for methods without embeddings
}

// withoutCopies appends the candidates of a chain, nil in place of those that are
// copies of earlier ones.
func withoutCopies(dst, candidates []*envs.Verdict) []*envs.Verdict {
	for _, c := range candidates {
		if slices.ContainsFunc(dst, func(earlier *envs.Verdict) bool { return earlier != nil && earlier.SaysSame(c) }) {
			c = nil
		}
		dst = append(dst, c)
	}
	return dst
}

// readChain fills in all but the embeddings.
func readChain(r *Rollout, strategies []*envs.Verdict, gold []string) chain {
	c := chain{final: r.Final != "", right: r.Final != "" && slices.Contains(gold, r.Final), tokens: r.Tokens}
	for _, s := range strategies {
		if s == nil {
			continue // a copy
		}
		c.solved = c.solved || s.Correct
		if s.Mode != envs.Degenerate && s.Answer != "" {
			c.strategies++
		}
	}
	return c
}

// goldAnswers appends the distinct answers that some candidate of the group shows to be correct, in
// order of appearance. A batch does not state the gold answer of a problem: a final answer is taken
// to be right where a candidate of the group that gives this very answer is correct, be it of a
// rollout that only votes. So a final answer that no candidate of the group gave is wrong; the
// protocol's own, an outcome of the chain, always is one.
func goldAnswers(dst []string, g *Group) []string {
	for i := range g.Rollouts {
		for _, c := range g.Rollouts[i].Candidates {
			if c.Correct && c.Answer != "" && !slices.Contains(dst, c.Answer) {
				dst = append(dst, c.Answer)
			}
		}
	}
	return dst
}

// reasonings is H, the embeddings of a chain's reasonings in their order, with or without an
// outcome (eqs. 11-12). An embedding of length 0 has no direction and is left out.
type reasonings struct {
	vectors [][]float32
	square  []float64 // inner product of each with itself
	cosine  []float64 // of i and each j < i, row after row
	chosen  []int     // U of eq. 15
}

// gather fills H and its cosines; an error continues the name of the rollout.
func (h *reasonings) gather(candidates []*envs.Verdict) error {
	h.vectors, h.square, h.cosine = h.vectors[:0], h.square[:0], h.cosine[:0]
	for k, c := range candidates {
		if c == nil || c.Mode == envs.Degenerate {
			continue
		}
		square := cosine.Dot(c.Embedding, c.Embedding)
		switch {
		case square-square != 0:
			return fmt.Errorf(", candidate %d, has an embedding that is not finite", k)
		case square == 0:
			continue
		case len(h.vectors) > 0 && len(c.Embedding) != len(h.vectors[0]):
			return fmt.Errorf(", candidate %d, has an embedding of %d numbers, the chain's first has %d", k, len(c.Embedding), len(h.vectors[0]))
		}
		// One root of the product: the cosine of a vector with a copy of itself is
		// exactly 1. Squares of float32 do not overflow here.
		for j, v := range h.vectors {
			h.cosine = append(h.cosine, cosine.Dot(c.Embedding, v)/math.Sqrt(float64(square*h.square[j])))
		}
		h.vectors, h.square = append(h.vectors, c.Embedding), append(h.square, square)
	}
	return nil
}

// diversity is Div(H), 1 less the mean cosine of the pairs, clamped to [0, 1]; 1
// for one reasoning and 0 for none (eqs. 13-14).
func (h *reasonings) diversity() float64 {
	switch len(h.vectors) {
	case 0:
		return 0
	case 1:
		return 1
	}
	return min(max(1-Mean(h.cosine), 0), 1)
}

// unique is Uniq(H; delta): how many reasonings are chosen when each one, in order,
// is chosen if its cosine with every one chosen before is at most delta (eq. 15).
func (h *reasonings) unique(delta float64) int {
	h.chosen = h.chosen[:0]
	for i := range h.vectors {
		row := h.cosine[i*(i-1)/2:]
		if !slices.ContainsFunc(h.chosen, func(j int) bool { return row[j] > delta }) {
			h.chosen = append(h.chosen, i)
		}
	}
	return len(h.chosen)
}

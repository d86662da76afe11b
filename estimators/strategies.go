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

// withoutCopies appends the candidates of a chain, nil in place of copies of earlier ones.
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

// A component is one reward of a scheme, and its weight in their sum.
type component struct {
	weight float64
	score  func(*chain) float64
}

// scheme turns several rewards of chains into advantages as SD-E2 does (app. A): every component is
// normalised over all trained rollouts of the batch (eqs. 27-29),
//
//	R'_k = (R_k - mean R_k) / (sd R_k + epsilon)  where sd R_k > epsilon, else R_k - mean R_k
//
// their weighted sum is a rollout's reward (eq. 30), and its advantage is that of
// GRPO in its group (eqs. 31-32). The paper writes one epsilon and population deviations
// for both steps, so ddof and epsilon apply to both, and scale and singleton to the last
// one. The groups of a batch are not independent.
type scheme struct {
	GRPO
	Duplicates string `param:"duplicates" doc:"drop: of a chain's exact copies only the first counts, as the paper's parser has it; keep: all count" choices:"drop,keep" when:"train.candidates>1"`

	chains   []chain // of the trained rollouts, group after group
	trained  []int   // how many there are in each group
	gold     []string
	distinct []*envs.Verdict // a rollout's candidates, nil for copies
	column   []float64       // one component
	rewards  []float64       // the weighted sum
}

// Requirements lists the facts that every reward of a chain reads.
func (*scheme) Requirements() Requirements {
	return Requirements{
		CandidateFields: envs.HasCorrect | envs.HasAnswer | envs.HasMode, RolloutFields: RolloutFinal,
		MinGroup: 1, Chains: true, NoPenalty: true,
	}
}

// when: ddof and epsilon apply to the components too, under every scale.
func (*scheme) when() map[string]string { return map[string]string{"ddof": "", "epsilon": ""} }

// read fills the chains of the batch. look, unless nil, adds to a chain from its candidates.
func (s *scheme) read(b *Batch, look func([]*envs.Verdict, *chain) error) error {
	s.chains, s.trained = s.chains[:0], s.trained[:0]
	for g := range b.Groups {
		before := len(s.chains)
		if err := s.readGroup(&b.Groups[g], look); err != nil {
			return b.InGroup(g, err)
		}
		s.trained = append(s.trained, len(s.chains)-before)
	}
	return nil
}

func (s *scheme) readGroup(g *Group, look func([]*envs.Verdict, *chain) error) error {
	s.gold = goldAnswers(s.gold[:0], g)
	for i := range g.Rollouts {
		r := &g.Rollouts[i]
		if !r.Train {
			continue
		}
		if len(r.Candidates) == 0 {
			return fmt.Errorf("rollout %d has 0 candidates; this estimator takes one or more", i)
		}
		strategies := r.Candidates
		if s.Duplicates == "drop" {
			s.distinct = withoutCopies(s.distinct[:0], r.Candidates)
			strategies = s.distinct
		}
		s.chains = append(s.chains, readChain(r, strategies, s.gold))
		if look != nil {
			if err := look(strategies, &s.chains[len(s.chains)-1]); err != nil {
				return fmt.Errorf("rollout %d%w", i, err)
			}
		}
	}
	return nil
}

func (s *scheme) advantages(dst [][]float64, b *Batch, look func([]*envs.Verdict, *chain) error, components []component) error {
	if err := checkShape(dst, b); err != nil {
		return err
	}
	if err := s.read(b, look); err != nil {
		return err
	}
	s.rewards = Resize(s.rewards, len(s.chains))
	clear(s.rewards)
	for _, k := range components {
		s.column = s.column[:0]
		for i := range s.chains {
			s.column = append(s.column, k.score(&s.chains[i]))
		}
		s.normalise(s.column)
		for i, r := range s.column {
			s.rewards[i] += float64(k.weight * r)
		}
	}
	rest := s.rewards
	for _, n := range s.trained {
		s.Relative(rest[:n], rest[:n])
		rest = rest[n:]
	}
	return scatter(dst, b, s.rewards)
}

// normalise is eq. 29, in place. A deviation of the size of rounding counts as 0.
func (s *scheme) normalise(column []float64) {
	if _, sd := Deviation(column, s.DDoF); sd > s.Epsilon {
		Standardise(column, column, s.DDoF, s.Epsilon)
	} else {
		Centre(column, column)
	}
}

package estimators

import (
	"fmt"

	"modebench/envs"
)

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

// read fills the chains of the batch. look reads a rollout's candidates and adds to its
// chain; nil: there is nothing to add.
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

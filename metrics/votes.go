package metrics

import "modebench/envs"

func init() {
	register(
		Metric{rank: 80, Name: "maj@k", Doc: "probability that the majority's answer among k rollouts is correct, ties split equally", Detail: "0 where all abstain; [0, 1]; Poly-EPO fig. 4, unbiased; a pool of chains has fewer rollouts than candidates",
			Label: "maj@k", Axis: AxisShare, Delta: shareDelta, Measure: MeasureVotes, Reads: envs.HasCorrect | envs.HasAnswer, add: (*Table).addVotes, ceiling: solvable},
		Metric{rank: 90, Name: "majority_share@k", Doc: "expected share of k rollouts that give the majority's answer", Detail: "abstainers count among the k; [0, 1]; Poly-EPO fig. 4",
			Label: "majority share@k", Axis: AxisShare, Delta: shareDelta, Measure: MeasureVotes, Reads: envs.HasCorrect | envs.HasAnswer},
	)
}

// addVotes adds maj@k and majority_share@k. Rollouts vote, and k counts rollouts: a pool
// of chains has no value for a k above the number of its chains.
func (t *Table) addVotes(a *answers) {
	s := &t.scratch
	a.fillBallot(&s.ballot, &s.tally)
	for i, k := range t.opt.K {
		if !a.exact && k > a.n {
			continue
		}
		if maj, share, ok := electionAt(&s.elections, i, k).hold(&s.ballot); ok {
			t.addAt("maj", i, maj)
			t.addAt("majority_share", i, share)
		}
	}
}

// A tally counts votes by answer, in the order in which answers come up.
type tally struct {
	number         map[string]int
	votes, correct []float64
}

// fillBallot replaces b by the votes of the rollouts: the answer of each one's final verdict.
func (a *answers) fillBallot(b *ballot, c *tally) {
	if c.number == nil {
		c.number = map[string]int{}
	}
	clear(c.number)
	c.votes, c.correct = c.votes[:0], c.correct[:0]
	*b = ballot{classes: b.classes[:0]}
	if !a.exact {
		b.n = a.n
	}
	for i, mass := range a.mass {
		v := a.final(i)
		if v == nil {
			b.abstained += mass
			continue
		}
		number, known := c.number[v.Answer]
		if !known {
			number = len(c.votes)
			c.number[v.Answer] = number
			c.votes, c.correct = append(c.votes, 0), append(c.correct, 0)
		}
		c.votes[number] += mass
		if v.Correct {
			c.correct[number] += mass
		}
	}
	for i, votes := range c.votes {
		b.add(votes, c.correct[i])
	}
	b.close()
}

// chain is the candidates of a rollout.
func (a *answers) chain(rollout int) []*envs.Verdict {
	return a.all[rollout*a.m : (rollout+1)*a.m]
}

// final is the verdict of a rollout's final answer; nil if it has no answer.
func (a *answers) final(rollout int) *envs.Verdict {
	return envs.FinalVerdict(a.chain(rollout), a.named[rollout])
}

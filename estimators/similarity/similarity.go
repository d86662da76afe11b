// Package similarity holds methods that make a rollout's reward smaller the more its
// embedding is like those of others.
package similarity

import (
	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/internal/cosine"
	"modebench/estimators/loss"
)

// similar makes rewards of rewards and of cosines, among the rollouts of a group or of the
// whole batch, and then the group-relative advantage of these. A rollout without an
// embedding is like none but itself.
type similar struct {
	estimators.GRPO
	Over string `param:"over" doc:"whose embeddings a rollout's is compared with: those of its group, or of the whole batch" choices:"group,batch" when:"train.group>1|singleton=raw"`

	rewards    []float64 // of the trained rollouts, of the group or of the batch
	embeddings [][]float32
	shaped     []float64
	cosines    cosine.Kernel // of those that have an embedding
	member     []int         // the place of each rollout in the kernel, or -1
}

func (*similar) Requirements() estimators.Requirements {
	return estimators.Reads(envs.HasReward | envs.HasEmbedding)
}

// each fills dst with the advantages of e.shaped, which shape fills from e.rewards.
func (e *similar) each(dst [][]float64, b *estimators.Batch, shape func()) error {
	e.clear()
	if e.Over == "batch" {
		if err := e.Each(dst, b, func(dst, rewards []float64, rollouts []*estimators.Rollout) error {
			e.add(rewards, rollouts)
			clear(dst)
			return nil
		}); err != nil {
			return err
		}
		if err := e.compare(func(i int) int { return i }); err != nil {
			return err
		}
		shape()
	}
	next := 0 // of the batch's shaped rewards
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*estimators.Rollout) error {
		if e.Over == "group" {
			e.clear()
			e.add(rewards, rollouts)
			if err := e.compare(e.Number); err != nil {
				return err
			}
			shape()
			next = 0
		}
		e.Relative(dst, e.shaped[next:next+len(dst)])
		next += len(dst)
		return nil
	})
}

func (e *similar) clear() {
	e.rewards, e.embeddings, e.shaped = e.rewards[:0], e.embeddings[:0], e.shaped[:0]
}

func (e *similar) add(rewards []float64, rollouts []*estimators.Rollout) {
	e.rewards = append(e.rewards, rewards...)
	for _, r := range rollouts {
		e.embeddings = append(e.embeddings, r.Candidates[0].Embedding)
	}
}

func (e *similar) compare(number func(int) int) error {
	if err := e.cosines.Fill(e.embeddings, -1, number); err != nil {
		return err
	}
	e.member = e.member[:0]
	for range e.embeddings {
		e.member = append(e.member, -1)
	}
	for k, i := range e.cosines.Members {
		e.member[i] = k
	}
	return nil
}

// row is the cosines of rollout i with all that have an embedding, itself among them; nil if it
// has no embedding.
func (e *similar) row(i int) []float64 {
	k, n := e.member[i], len(e.cosines.Members)
	if k < 0 {
		return nil
	}
	return e.cosines.Values[k*n : (k+1)*n]
}

// sampleDeviation is TRL's z-score of the time, which both methods are built on.
var sampleDeviation = estimators.GRPO{Scale: "group", DDoF: 1, Epsilon: 1e-4, Singleton: "zero"}

// openRS is the loss that both run with: TRL's of the time, for rollouts that are used
// once, with its default weight of the divergence.
var openRS = loss.Function{Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3", KLCoef: 0.04}

// noTarget: the reward of an answer depends on the other rollouts.
var noTarget = estimators.NoTarget("its rewards are made within the group")

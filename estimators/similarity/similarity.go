// Package similarity holds methods that make a rollout's reward smaller the more its
// embedding is like those of others.
package similarity

import (
	"slices"

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

// row is the cosines of rollout i with all that have an embedding; nil if it has no embedding.
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

// DRAGRPO divides rewards by how much a rollout is like all others (DRA-GRPO, 2505.09655;
// xiwenc1/DRA-GRPO, grpo_trainer.py, SMI reweighting):
//
//	r'_i = r_i / (sum over j of cos(e_i, e_j) + 1e-6)
//
// over all N rollouts, itself with its cosine 1 among them, and then the z-score of r'.
// Cosines are not clamped: a negative sum turns a reward's sign, and one near -1e-6
// blows it up. Equal rewards still differ after that. The equation is the code's.
//
// The code compares the rollouts of one device's batch, which in the published runs is one
// group; over "batch" compares all of the step. A rollout without an embedding, whose sum
// there is 0 and its reward 1,000,000 times as large, is here like itself alone. A group of
// one has the advantage 0, or under singleton "raw" its r'.
type DRAGRPO struct {
	similar
	terms []float64
}

func (e *DRAGRPO) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.each(dst, b, func() {
		for i, r := range e.rewards {
			e.shaped = append(e.shaped, r/(e.alike(i)+1e-6))
		}
	})
}

// alike is the sum of a rollout's cosines, in order of size: sums near 0 are divided by,
// and must not depend on the order of rollouts.
func (e *DRAGRPO) alike(i int) float64 {
	row := e.row(i)
	if row == nil {
		return 1
	}
	e.terms = append(e.terms[:0], row...)
	slices.Sort(e.terms)
	sum := 0.0
	for _, c := range e.terms {
		sum += c
	}
	return sum
}

func init() {
	estimators.Register(estimators.SetDiversity, 50, estimators.Method{
		Name: "dra-grpo", Summary: "rewards over the sum of a rollout's cosines with all of the group, z-score", Trains: true,
		Source:    "DRA-GRPO 2025 (2505.09655); xiwenc1/DRA-GRPO",
		Estimator: estimators.From(DRAGRPO{similar: similar{GRPO: sampleDeviation, Over: "group"}}),
		Loss:      openRS,
		Properties: estimators.Properties{
			Scale: estimators.Invariant, ZeroSum: true, MovesEqualRewards: true,
			Why: "a z-score of rewards over similarities: a constant is worth what they are",
		},
		Target: noTarget,
	})
}

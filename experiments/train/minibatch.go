package train

import (
	"slices"

	"modebench/internal/rng"
	"modebench/policies"
)

// minibatches splits the rollouts of a batch into equal parts. It may split a group, so
// that a batch of one problem has parts too.
type minibatches struct {
	parts  [][]place // rollouts of each part, in the order of the batch
	groups []policies.Group
	adv    [][]float64
	right  [][]bool
	tokens [][][]float64
}

// A place is a rollout of a batch.
type place struct{ group, rollout int }

// deal draws which rollout goes to which of n parts; their sizes differ by one at most.
// Where dynamic sampling left fewer than n rollouts there is a part for each of them, so
// that no update is made of nothing.
func (m *minibatches) deal(b *policies.Batch, n int, key rng.Key) {
	var all []place
	for g := range b.Groups {
		for i := range b.Groups[g].Rollouts {
			all = append(all, place{g, i})
		}
	}
	n = min(n, len(all))
	order := key.Rand().Perm(len(all))
	m.parts = m.parts[:0]
	for p := range n {
		own := order[p*len(all)/n : (p+1)*len(all)/n]
		slices.Sort(own)
		var part []place
		for _, at := range own {
			part = append(part, all[at])
		}
		m.parts = append(m.parts, part)
	}
}

// take makes dst one part of the whole batch, by its number.
func (m *minibatches) take(dst, whole *policies.Batch, part int) {
	m.groups, m.adv, m.right, m.tokens = m.groups[:0], m.adv[:0], m.right[:0], m.tokens[:0]
	last := -1
	for _, at := range m.parts[part] {
		from := &whole.Groups[at.group]
		if at.group != last {
			last = at.group
			m.groups = append(m.groups, policies.Group{Task: from.Task})
			m.adv = append(m.adv, nil)
			m.right = append(m.right, nil)
			m.tokens = append(m.tokens, nil)
		}
		end := len(m.groups) - 1
		m.groups[end].Rollouts = append(m.groups[end].Rollouts, from.Rollouts[at.rollout])
		m.adv[end] = append(m.adv[end], whole.Advantages[at.group][at.rollout])
		if whole.TokenAdvantages != nil {
			m.tokens[end] = append(m.tokens[end], whole.TokenAdvantages[at.group][at.rollout])
		}
		if whole.Correct != nil {
			m.right[end] = append(m.right[end], whole.Correct[at.group][at.rollout])
		}
	}
	dst.Groups, dst.Advantages = m.groups, m.adv
	if whole.Correct != nil {
		dst.Correct = m.right
	}
	if whole.TokenAdvantages != nil {
		dst.TokenAdvantages = m.tokens
	}
}

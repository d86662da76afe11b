package train

import (
	"math"
	"slices"

	"modebench/estimators"
	"modebench/policies"
)

// cloneGroup copies what the policy's next call overwrites.
func cloneGroup(group *policies.Group) policies.Group {
	g := policies.Group{Task: group.Task}
	for _, r := range group.Rollouts {
		r.Tokens, r.Logp, r.Entropy, r.Sampler = slices.Clone(r.Tokens), slices.Clone(r.Logp), slices.Clone(r.Entropy), slices.Clone(r.Sampler)
		g.Rollouts = append(g.Rollouts, r)
	}
	return g
}

// Teaches reports whether a group passes DAPO's filter: the scalar rewards of its answers differ,
// among the rollouts that are trained on. A single rollout always passes. A method of the
// components of rewards may learn even if their sums are equal: such a group passes by its
// advantages.
func Teaches(m *estimators.Instance, b *estimators.Batch, g, trained int) (bool, error) {
	if trained == 1 || differs(b, g, trained) {
		return true, nil
	}
	if !m.Requirements().Vectors {
		return false, nil
	}
	alone := *b
	alone.Groups = b.Groups[g : g+1]
	advantages := estimators.NewAdvantages(&alone)
	if err := m.Advantages(advantages, &alone); err != nil {
		return false, err
	}
	return slices.ContainsFunc(advantages[0], func(a float64) bool { return a != 0 }), nil
}

// differs reports whether the scalar rewards of the first rollouts of a group differ.
func differs(b *estimators.Batch, g, trained int) bool {
	group := &b.Groups[g]
	weights := group.Scalarisation(b)
	low, high := math.Inf(1), math.Inf(-1)
	for i := range group.Rollouts[:trained] {
		for _, v := range group.Rollouts[i].Candidates {
			s := v.Scalar(weights)
			low, high = min(low, s), max(high, s)
		}
	}
	return high-low > 1e-12
}

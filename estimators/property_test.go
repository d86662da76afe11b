package estimators

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"modebench/envs"
)

// declared holds the properties of a method's registry entry, or those that a test names for other
// fields than the defaults.
type declared struct {
	method string
	set    []string
	Properties
}

// moreDeclared are about fields that are not the defaults. Each family's tests add theirs.
var moreDeclared []declared

// allDeclared has every method, as the registry declares it, and more. Where a property does
// not hold, TestMissingPropertiesFail shows it.
func allDeclared() []declared {
	var out []declared
	for _, m := range Methods() {
		l := declared{method: m.Name, Properties: m.Properties}
		if _, ok := m.New().Field("epsilon"); ok {
			l.set = []string{"epsilon=0"}
		}
		if _, ok := m.New().Field("gate"); ok {
			l.set = append(l.set, "gate=9") // above the entropies that the tests draw
		}
		// Defaults that take larger groups than the tests draw.
		for _, small := range []string{"n=2", "k=2", "order=2"} {
			name, _, _ := strings.Cut(small, "=")
			if f, ok := m.New().Field(name); ok && f.Type == "int" {
				l.set = append(l.set, small)
			}
		}
		out = append(out, l)
	}
	return append(out, moreDeclared...)
}

func init() {
	moreDeclared = append(moreDeclared,
		declared{"grpo-div", []string{"lambda=0"}, Properties{ShiftInvariant: true, Scale: Linear, ZeroSum: true, Why: "centred rewards"}},
		declared{"setpo+grpo", []string{"scale=none"}, Properties{ShiftInvariant: true, Scale: Neither, MovesEqualRewards: true, Why: "centred rewards plus credits"}},
		declared{"vpo", []string{"scale=none"}, Properties{ShiftInvariant: true, Scale: Linear, ZeroSum: true, Why: "weights sum to 1"}},
		declared{"max-at-k", []string{"k=2", "scale=none"}, Properties{ShiftInvariant: true, Scale: Linear, ZeroSum: true, Why: "centred credits"}},
	)
}

// notNegative: the method takes rewards of 0 or more only.
func (l declared) notNegative() bool { return l.method == "maxrl" || l.method == "maxrl-one-sided" }

// rewarded: the method reads rewards.
func (l declared) rewarded(t failer) bool {
	return l.estimator(t).Requirements().CandidateFields&envs.HasReward != 0
}

// draw is drawGroup with at least as many rollouts as the method needs, two or
// more, and rewards that it takes.
func (l declared) draw(t *rapid.T) Group {
	g := drawGroup(t, max(2, l.estimator(t).Requirements().MinGroup))
	if l.notNegative() {
		g = mapRewards(g, math.Abs)
	}
	return g
}

func (l declared) name() string { return fmt.Sprint(l.method, l.set) }

func (l declared) estimator(t failer) Estimator { return build(t, l.method, l.set...).Estimator }

func TestEveryMethodDeclaresProperties(t *testing.T) {
	for _, m := range Methods() {
		if m.Properties.Scale == "" || m.Properties.Why == "" {
			t.Errorf("method %s declares no properties", m.Name)
		}
	}
}

// drawGroup draws at least `size` rollouts with rewards in twelfths and embeddings in
// eighths, so that spreads are either zero or far from rounding: a z-score of numbers that
// differ by 1e-11 does not test the law.
func drawGroup(t *rapid.T, size int) Group {
	n := rapid.IntRange(size, 12).Draw(t, "rollouts")
	rewards, modes, vectors := make([]float64, n), make([]byte, n), make([][]float32, n)
	for i := range n {
		rewards[i] = float64(rapid.IntRange(-24, 24).Draw(t, "reward")) / 12
		modes[i] = rapid.SampledFrom([]byte("AABCDE-")).Draw(t, "mode")
		for _, x := range rapid.SliceOfN(rapid.IntRange(-8, 8), 4, 4).Draw(t, "embedding") {
			vectors[i] = append(vectors[i], float32(x)/8)
		}
		if slices.Max(vectors[i]) == 0 && slices.Min(vectors[i]) == 0 {
			vectors[i][0] = 1 // no direction has no cosine
		}
	}
	g := embed(groupOf(rewards, string(modes)), vectors)
	for i := range g.Rollouts {
		g.Rollouts[i].Tokens = rapid.IntRange(1, 9).Draw(t, "tokens")
		g.Rollouts[i].Logprob = -float64(rapid.IntRange(1, 24).Draw(t, "logprob")) / 4
		g.Rollouts[i].Entropy = float64(rapid.IntRange(1, 24).Draw(t, "entropy")) / 4
	}
	return g
}

// mapRewards is a copy of the group with other rewards.
func mapRewards(g Group, f func(float64) float64) Group {
	g.Rollouts = slices.Clone(g.Rollouts)
	for i := range g.Rollouts {
		c := *g.Rollouts[i].Candidates[0] // verdicts are shared
		c.Reward = []float64{f(c.Reward[0])}
		g.Rollouts[i].Candidates = []*envs.Verdict{&c}
	}
	return g
}

// broken measures by how much each property is missed on a group.
func (l declared) broken(t failer, g Group) (shift, scale, zeroSum float64) {
	e := l.estimator(t)
	plain := ofGroup(t, e, g)
	shifted := ofGroup(t, e, mapRewards(g, func(r float64) float64 { return r + 0.75 }))
	scaled := ofGroup(t, e, mapRewards(g, func(r float64) float64 { return 3 * r }))
	factor := 1.0
	if l.Scale == Linear {
		factor = 3
	}
	for i := range plain {
		shift = max(shift, math.Abs(shifted[i]-plain[i]))
		scale = max(scale, math.Abs(scaled[i]-float64(plain[i]*factor)))
	}
	return shift, scale, math.Abs(sum(plain))
}

func TestDeclaredPropertiesHold(t *testing.T) {
	for _, l := range allDeclared() {
		t.Run(l.name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				shift, scale, zeroSum := l.broken(t, l.draw(t))
				if l.ShiftInvariant && shift > 1e-12 {
					t.Errorf("%s: adding a constant to the rewards moves an advantage by %g", l.Why, shift)
				}
				if l.Scale != Neither && scale > 1e-12 {
					t.Errorf("%s: tripled rewards: %s is off by %g", l.Why, l.Scale, scale)
				}
				if l.ZeroSum && zeroSum > 1e-12 {
					t.Errorf("%s: the advantages sum to %g", l.Why, zeroSum)
				}
			})
		})
	}
}

// TestMissingPropertiesFail: a "no" in the table is a fact too, of one of these groups.
func TestMissingPropertiesFail(t *testing.T) {
	var groups []Group
	for _, rewards := range [][]float64{{1, 0, 0, 2, 0}, {0, 0, 0.25, 0, 0}, {0, 0, 0, 0, 0}, {0.5, 0, 0.5, 0, 0.25}} {
		g := embed(groupOf(rewards, "AABCC"), [][]float32{{1, 0}, {1, 1}, {0, 1}, {1, 2}, {1, 3}})
		for i := range g.Rollouts {
			g.Rollouts[i].Tokens = 1 + i%3 // some advantages sum to 0 over tokens only
			g.Rollouts[i].Logprob = -1 - float64(i)
		}
		groups = append(groups, g)
	}
	for _, l := range allDeclared() {
		worst := func(kind Scale) (shift, scale, zeroSum float64) {
			l := l
			l.Scale = kind
			for _, g := range groups {
				a, b, c := l.broken(t, g)
				shift, scale, zeroSum = max(shift, a), max(scale, b), max(zeroSum, c)
			}
			return shift, scale, zeroSum
		}
		shift, _, zeroSum := worst(l.Scale)
		if !l.ShiftInvariant && shift < 0.01 {
			t.Errorf("%s: a constant added to the rewards moves the advantages by %g alone", l.name(), shift)
		}
		if !l.ZeroSum && zeroSum < 1e-4 {
			t.Errorf("%s: the advantages sum to %g", l.name(), zeroSum)
		}
		if l.Scale != Neither {
			continue
		}
		for _, kind := range []Scale{Invariant, Linear} {
			if _, scale, _ := worst(kind); scale < 0.01 {
				t.Errorf("%s: the advantages are %s after all (%g)", l.name(), kind, scale)
			}
		}
	}
}

// TestPermutationEquivariance: who came first does not matter.
func TestPermutationEquivariance(t *testing.T) {
	for _, l := range allDeclared() {
		if l.OrderMatters {
			continue
		}
		t.Run(l.name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				e := l.estimator(t)
				g := l.draw(t)
				for i := range g.Rollouts {
					g.Rollouts[i].Train = i < e.Requirements().MinGroup || rapid.Bool().Draw(t, "train")
				}
				order := rapid.Permutation(identity(len(g.Rollouts))).Draw(t, "order")
				other := g
				other.Rollouts = nil
				for _, i := range order {
					other.Rollouts = append(other.Rollouts, g.Rollouts[i])
				}
				plain, moved := ofGroup(t, e, g), ofGroup(t, e, other)
				want := make([]float64, len(order))
				for at, i := range order {
					want[at] = plain[i]
				}
				// Sums in another order round differently by a few units of the
				// last place of numbers up to 12.
				near(t, "permuted", moved, want, 5e-15*float64(len(order)))
			})
		})
	}
}

// TestPolyEPOEquivarianceToTheLastPlace is the same for small 0/1 groups, where
// the closed form should lose nothing.
func TestPolyEPOEquivarianceToTheLastPlace(t *testing.T) {
	e := build(t, "poly-epo").Estimator
	rapid.Check(t, func(t *rapid.T) {
		rewards, modes := make([]float64, 8), make([]byte, 8)
		for i := range rewards {
			rewards[i] = float64(rapid.IntRange(0, 1).Draw(t, "reward"))
			modes[i] = rapid.SampledFrom([]byte("ABCDE-")).Draw(t, "mode")
		}
		plain := ofGroup(t, e, groupOf(rewards, string(modes)))
		order := rapid.Permutation(identity(8)).Draw(t, "order")
		r2, m2, want := make([]float64, 8), make([]byte, 8), make([]float64, 8)
		for at, i := range order {
			r2[at], m2[at], want[at] = rewards[i], modes[i], plain[i]
		}
		near(t, "permuted", ofGroup(t, e, groupOf(r2, string(m2))), want, 1e-15)
	})
}

func identity(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestGroupsAreIndependent: the groups beside a group in a batch, or in
// an earlier batch, have no influence: the same bits.
func TestGroupsAreIndependent(t *testing.T) {
	for _, l := range allDeclared() {
		if l.AcrossGroups {
			continue // TestGDPOCouplesGroups
		}
		t.Run(l.name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var groups []Group
				for range rapid.IntRange(1, 3).Draw(t, "groups") {
					groups = append(groups, l.draw(t))
				}
				together := advantages(t, l.estimator(t), batchOf(groups...))
				for i, g := range groups {
					near(t, fmt.Sprintf("group %d alone", i), ofGroup(t, l.estimator(t), g), together[i], 0)
				}
				slices.Reverse(groups)
				back := advantages(t, l.estimator(t), batchOf(groups...))
				for i := range groups {
					near(t, fmt.Sprintf("group %d from the end", i), back[i], together[len(groups)-1-i], 0)
				}
			})
		})
	}
}

// TestVotesHaveNoInfluence: rollouts with train false get 0, whatever their
// reward, and the others get what they get without them.
func TestVotesHaveNoInfluence(t *testing.T) {
	for _, l := range allDeclared() {
		if l.VotersMatter {
			continue
		}
		t.Run(l.name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				e := l.estimator(t)
				g := l.draw(t)
				mixed := Group{Problem: g.Problem}
				var want []float64
				for i, a := range ofGroup(t, e, g) {
					for rapid.Bool().Draw(t, "vote") {
						vote := drawGroup(t, 1).Rollouts[0]
						vote.Train = false
						mixed.Rollouts = append(mixed.Rollouts, vote)
						want = append(want, 0)
					}
					mixed.Rollouts = append(mixed.Rollouts, g.Rollouts[i])
					want = append(want, a)
				}
				near(t, "with votes", ofGroup(t, e, mixed), want, 0)
			})
		})
	}
}

package estimators

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/envs"
)

func init() {
	noGroup := func(with set) set { // no deviation of a group
		for _, name := range []string{"scale", "ddof", "epsilon", "singleton"} {
			if _, ok := with[name]; !ok {
				with[name] = nil
			}
		}
		return with
	}
	plusPlus := func(with set) set {
		with["ddof"], with["epsilon"] = 0, 1e-8
		with["aggregation"], with["kl"], with["kl_coef"], with["kl_in_reward"] = "token-mean", "k1", .01, true
		return noGroup(with)
	}
	onPolicy := func(with set) set {
		with["clip_low"], with["clip_high"], with["aggregation"] = 0., 0., "token-mean"
		return noGroup(with)
	}
	defaultRows = append(defaultRows, []defaultRow{
		{"reinforce++", plusPlus(set{}), "deviation over tokens as in OpenRLHF, k1 in the reward"},
		{"reinforce++-baseline", plusPlus(set{"singleton": "raw"}), "a lone rollout has the mean 0, as in verl"},
		{"remax", noGroup(set{"clip_low": 0., "clip_high": 0., "aggregation": "seq-mean-token-sum"}), "plain policy gradient"},
		{"opo", onPolicy(set{"singleton": "zero"}), "exactly on-policy: no clip, no KL"},
		{"gpg", onPolicy(set{"informative": "spread", "epsilon": 1e-5, "singleton": "zero", "ratio": "none"}), "the authors' code: share of groups with a spread, 1e-5, no ratio"},
		{"gpg@verl", onPolicy(set{"informative": "nonzero", "epsilon": 0., "singleton": "raw", "ratio": "none"}), "verl: alpha from rewards other than 0"},
		{"dapo", set{"clip_high": .28, "aggregation": "token-mean", "generations": 10}, "0.2/0.28, token mean, no KL, up to 10 batches"},
		{"dapo@setpo", set{"clip_high": .28, "aggregation": "token-mean", "generations": 10, "kl": "exact", "kl_coef": 1e-4}, "SetPO table 6"},
		{"gspo@setpo", set{"clip_low": 3e-4, "clip_high": 4e-4, "ratio": "sequence-norm", "kl": "exact", "kl_coef": 1e-4}, "SetPO table 5"},
		{"gspo", set{"clip_low": 3e-4, "clip_high": 4e-4, "ratio": "sequence-norm"}, "SetPO table 5: 3e-4/4e-4"},
		{"cispo", set{"clip_low": 0., "clip_high": 4., "ratio": "importance", "aggregation": "token-mean"}, "no lower bound, weight at most 5"},
		{"gmpo", set{"clip_low": .4, "clip_high": .4, "ratio": "geometric"}, "0.4 in log space"},
	}...)
	degenerateRows = append(degenerateRows, []degenerateRow{
		{"reinforce++", nil, nil, nil, "a batch without a spread"},
		{"reinforce++-baseline", nil, nil, nil, "a batch without a spread"},
		{"remax", nil, ones, nil, "the greedy rollout's reward is 0 here: 1 - b and -b"},
		{"opo", nil, nil, nil, "every token is worth the same"},
		{"gpg", nil, nil, nil, "not informative"},
		{"gpg@verl", nil, nil, nil, "informative where correct, but the centred reward is 0"},
		{"dapo", nil, nil, nil, "no spread"},
		{"gspo", nil, nil, nil, "no spread"},
		{"dapo@setpo", nil, nil, nil, "no spread"},
		{"gspo@setpo", nil, nil, nil, "no spread"},
		{"cispo", nil, nil, nil, "no spread"},
		{"gmpo", nil, nil, nil, "no spread"},
	}...)
	singletonRows = append(singletonRows, []singletonRow{
		{"reinforce++", nil, 0, "a batch of one rollout has no deviation"},
		{"reinforce++", []string{"ddof=1"}, 0, "a single token: no 0/0"},
		{"reinforce++-baseline", nil, 0, "its reward stays, but has no deviation"},
		{"remax", nil, 3, "needs no group: r - b with b = 0"},
		{"opo", nil, 0, "its own baseline"},
		{"opo", []string{"singleton=raw"}, 3, "verl: baseline 0"},
		{"gpg", nil, 0, "r - r"},
		{"gpg", []string{"singleton=raw"}, 3 / (1 + 1e-5), "the raw reward, over the whole batch"},
		{"gpg@verl", nil, 3, "mean 0, alpha 1"},
		{"dapo", nil, 0, "no spread"},
		{"gspo", nil, 0, "no spread"},
		{"dapo@setpo", nil, 0, "no spread"},
		{"gspo@setpo", nil, 0, "no spread"},
		{"cispo", nil, 0, "no spread"},
		{"gmpo", nil, 0, "no spread"},
	}...)
}

// long gives the rollouts of a group their numbers of tokens.
func long(g Group, tokens ...int) Group {
	for i := range g.Rollouts {
		g.Rollouts[i].Tokens = tokens[i]
	}
	return g
}

// randomLengths draws a group with rewards in fourths and lengths up to 30.
func randomLengths(r *rand.Rand, size int) (g Group, rewards []float64, tokens []int) {
	for range size {
		rewards = append(rewards, float64(r.IntN(9)-4)/4)
		tokens = append(tokens, 1+r.IntN(30))
	}
	return long(groupOf(rewards, ""), tokens...), rewards, tokens
}

// tokenSum is the sum over all trained tokens of their advantages.
func tokenSum(b *Batch, advantages [][]float64) float64 {
	total := 0.0
	for g := range b.Groups {
		for i, r := range b.Groups[g].Rollouts {
			total += float64(r.Tokens) * advantages[g][i]
		}
	}
	return total
}

// A dressed estimator sees one group at a time, to which dress adds what the small world
// leaves out.
type dressed struct {
	Estimator
	dress func(*Group)
}

func (d dressed) Advantages(dst [][]float64, b *Batch) error {
	one := *b
	for g := range b.Groups {
		d.dress(&b.Groups[g])
		one.Groups = b.Groups[g : g+1]
		if err := d.Estimator.Advantages(dst[g:g+1], &one); err != nil {
			return err
		}
	}
	return nil
}

// arm is the number of the arm that a rollout drew.
func (w *world) arm(r *Rollout) int { return slices.Index(w.verdicts, r.Candidates[0]) }

// greedy is the most probable arm.
func (w *world) greedy() int {
	best := 0
	for a, l := range w.logits {
		if l > w.logits[best] {
			best = a
		}
	}
	return best
}

// TestBaselinesFollowTheGradient: the expected step is this many times grad E[r].
func TestBaselinesFollowTheGradient(t *testing.T) {
	for _, modes := range []int{2, 3} {
		w := newWorld(t, modes, true)
		gradient := w.gradient(1, meanReward)
		for _, size := range []int{2, 3, 4} {
			n := float64(size)
			for _, c := range []struct {
				method string
				set    []string
				factor float64
				dress  func(*Group)
				reason string
			}{
				{"remax", nil, n, func(g *Group) { g.Greedy = w.verdicts[w.greedy()].Reward[0] }, "what the greedy rollout earns is a constant: N terms, each grad E[r]"},
				{"remax", nil, n, func(g *Group) { g.Greedy = -7 }, "so is anything else that does not depend on what was sampled"},
				{"opo", nil, n - 1, func(*Group) {}, "with equal lengths the own reward in the baseline costs one part in N"},
				{"gpg", []string{"epsilon=0"}, n - 1, func(*Group) {}, "in batches of one group the share is 1 wherever there is a signal"},
			} {
				got := w.expected(t, dressed{build(t, c.method, c.set...).Estimator, c.dress}, size)
				want := slices.Clone(gradient)
				for k := range want {
					want[k] *= c.factor
				}
				near(t, fmt.Sprintf("%s, N=%d: %s", c.method, size, c.reason), got, want, 1e-12)
			}
		}
	}
}

// TestBaselinesReadRewardsOnly: of a judge the baselines read the reward alone.
func TestBaselinesReadRewardsOnly(t *testing.T) {
	for method, facts := range map[string]RolloutFields{
		"reinforce++": RolloutTokens, "reinforce++-baseline": RolloutTokens, "opo": RolloutTokens, "remax": GroupGreedy,
		"gpg": 0, "gpg@verl": 0, "dapo": 0, "gspo": 0, "dapo@setpo": 0, "gspo@setpo": 0, "cispo": 0, "gmpo": 0,
	} {
		needs := build(t, method).Estimator.Requirements()
		if needs.CandidateFields != envs.HasReward || needs.RolloutFields != facts || needs.MinGroup != 1 {
			t.Errorf("%s needs %v and %v in groups of %d", method, needs.CandidateFields.Names(), needs.RolloutFields.Names(), needs.MinGroup)
		}
	}
}

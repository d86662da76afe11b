package estimators

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
)

// rewardedBatch draws groups of several problems, one of them without a name and one
// with weights of its own, in which some rollouts only vote.
func rewardedBatch(r *rand.Rand, components, candidates int) *Batch {
	b := batchOf()
	b.Seed, b.Step = r.Uint64(), r.IntN(100)
	b.Weights = randomWeights(r, components)
	for _, problem := range []string{"p", "q", ""} {
		size := 8 + r.IntN(4)
		g := embed(groupOf(make([]float64, size), randomModes(r, size, 0)), randomVectors(r, size, 3))
		g.Problem = problem
		if problem == "q" {
			g.Weights = randomWeights(r, components)
		}
		for i := range g.Rollouts {
			rollout := &g.Rollouts[i]
			rollout.Train = i < 6 || r.IntN(2) == 0
			rollout.Tokens = 1 + r.IntN(9)
			first := rollout.Candidates[0]
			rollout.Candidates = nil
			for range candidates {
				c := *first
				c.Reward = nil
				for range components {
					c.Reward = append(c.Reward, float64(r.IntN(5))/4)
				}
				rollout.Candidates = append(rollout.Candidates, &c)
			}
		}
		r.Shuffle(size, func(i, j int) { g.Rollouts[i], g.Rollouts[j] = g.Rollouts[j], g.Rollouts[i] })
		b.Groups = append(b.Groups, withTokens(g))
	}
	return b
}

func randomWeights(r *rand.Rand, components int) []float64 {
	out := make([]float64, components)
	for i := range out {
		out[i] = 0.1 + r.Float64()
	}
	return out
}

// rewardCases are the methods that read rewards and no greedy one; over sets
// also with drawn ones.
func rewardCases(t *testing.T) map[string][]string {
	out := map[string][]string{
		"set-rl, an expression":       {"set-rl", "n=3", "objective=mean(reward) * distinct(mode)"},
		"set-rl, an expression drawn": {"set-rl", "n=3", "sets=12", "objective=mean(reward) * distinct(mode)"},
	}
	for _, m := range Methods() {
		i := m.New()
		if needs := i.Requirements(); !m.Trains || needs.CandidateFields&envs.HasReward == 0 || needs.RolloutFields&GroupGreedy != 0 {
			continue
		}
		out[m.Name] = []string{m.Name}
		if _, ok := i.Field("sets"); ok {
			out[m.Name+", drawn"] = []string{m.Name, "sets=12"}
		}
	}
	if len(out) < 20 {
		t.Fatalf("%d methods", len(out))
	}
	return out
}

// TestRewardAsAShapingChangesNothing: the same bits as without an expression, for every
// method that takes one. Those that are refused are others by it.
func TestRewardAsAShapingChangesNothing(t *testing.T) {
	for name, c := range rewardCases(t) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(10, 22))
			plain, different := build(t, c[0], c[1:]...), false
			steps := 30
			if testing.Short() {
				steps = 9
			}
			for step := range steps {
				candidates := 1
				if plain.Requirements().Chains {
					candidates = 1 + step%3
				}
				b := rewardedBatch(r, 1+step%2, candidates)
				want := advantages(t, plain.Estimator, b)
				for _, pair := range []string{"shaping=reward", "scalarisation=reward"} {
					m, _ := Lookup(c[0])
					i := m.New()
					for _, set := range append(c[1:], pair) {
						if err := i.SetText(set); err != nil {
							t.Fatal(err)
						}
					}
					err := i.Check()
					if plain.Requirements().Vectors {
						wantError(t, err, `field "`+strings.Split(pair, "=")[0]+`"`, "reads the components of rewards themselves")
					} else if err != nil {
						t.Fatal(err)
					}
					got := NewAdvantages(b)
					if err := i.Advantages(got, b); err != nil {
						t.Fatal(err)
					}
					d := cmp.Diff(want, got)
					different = different || d != ""
					if d != "" && !plain.Requirements().Vectors {
						t.Fatalf("%s, step %d: -without +with\n%s", pair, step, d)
					}
				}
			}
			if different != plain.Requirements().Vectors {
				t.Errorf("its needs say that it reads components: %t; scalar rewards are all the same to it: %t", plain.Requirements().Vectors, !different)
			}
		})
	}
}

// TestVectorsBesideExpressions: an objective that reads components is refused beside an
// expression that leaves one number of them, and only then.
func TestVectorsBesideExpressions(t *testing.T) {
	for _, c := range []struct {
		reason, method string
		pairs          []string
		says           string
	}{
		{"the shaped number would pass for component 0", "set-rl", []string{"objective=max(map(vector, #[0]))", "shaping=reward - 0.1"}, `method set-rl: field "shaping": the method reads the components`},
		{"so would the scalarised one", "set-rl", []string{"objective=mean(reward) + vector[0][0]", "scalarisation=min(vector)"}, `field "scalarisation": the method reads the components`},
		{"alone it may", "set-rl", []string{"objective=max(map(vector, #[0]))"}, ""},
		{"an objective of scalars may be shaped", "set-rl", []string{"objective=mean(reward)", "shaping=reward - 0.1"}, ""},
		{"an expression itself may read components", "grpo", []string{"scalarisation=min(vector)"}, ""},
		{"weights of its own are in w.r", "goal-conditioned", []string{"shaping=reward * reward"}, ""},
		{"a draw of weights would have one component", "random-w", []string{"shaping=reward"}, `method random-w: field "shaping"`},
	} {
		m, _ := Lookup(c.method)
		i := m.New()
		for _, pair := range c.pairs {
			if err := i.SetText(pair); err != nil {
				t.Fatal(err)
			}
		}
		err := i.Check()
		if c.says == "" && err != nil {
			t.Errorf("%s: %v", c.reason, err)
		} else if c.says != "" {
			wantError(t, err, c.says)
		}
	}
}

// TestTrialSaysWhatItTried: in words of somebody who has trained nothing yet.
func TestTrialSaysWhatItTried(t *testing.T) {
	for _, c := range []struct{ method, pair, want string }{
		{"grpo", "scalarisation=vector[3]", `method grpo: field "scalarisation": on a made-up group with rewards of 2 components: column 7: index out of range: 3`},
		{"set-rl", "objective=vector[0][2]", `method set-rl: field "objective": on a made-up group with rewards of 2 components: column 10: index out of range: 2`},
	} {
		if err := build(t, c.method, c.pair).Try(2); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// TestShapingMistakes: a remainder of whole numbers alone.
func TestShapingMistakes(t *testing.T) {
	for text, good := range map[string]bool{"reward + n % (n - 6)": true, "reward + n % 4": true, "reward % 2": false} {
		i, _ := Lookup("grpo")
		if err := change(i.New(), "shaping="+text); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
}

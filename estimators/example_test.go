package estimators_test

import (
	"fmt"
	"slices"

	"modebench/envs"
	"modebench/estimators"
)

// rewarded returns a batch of one group, with one rollout for each reward.
func rewarded(rewards ...float64) *estimators.Batch {
	group := estimators.Group{Problem: "train/0"}
	for _, r := range rewards {
		group.Rollouts = append(group.Rollouts, estimators.Rollout{
			Train:      true,
			Candidates: []*envs.Verdict{{Reward: []float64{r}, Correct: r == 1}},
		})
	}
	return &estimators.Batch{
		Weights:         []float64{1},
		CandidateFields: envs.HasReward | envs.HasCorrect,
		Groups:          []estimators.Group{group},
	}
}

// A method is found by its name. One rollout of four is correct.
func ExampleMethod() {
	for _, name := range []string{"reinforce", "rloo", "grpo", "dr-grpo"} {
		method, err := estimators.Lookup(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		advantages, err := method.New().RolloutAdvantages(rewarded(1, 0, 0, 0))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-9s %6.3f\n", name, advantages[0])
	}
	// Output:
	// reinforce [ 1.000  0.000  0.000  0.000]
	// rloo      [ 1.000 -0.333 -0.333 -0.333]
	// grpo      [ 1.732 -0.577 -0.577 -0.577]
	// dr-grpo   [ 0.750 -0.250 -0.250 -0.250]
}

// An estimator fills a slice that is used again at every step.
func ExampleEstimator() {
	var e estimators.Estimator = &estimators.GRPO{Scale: "none"}
	batch := rewarded(1, 1, 0, 0)
	advantages := estimators.NewAdvantages(batch)
	if err := e.Advantages(advantages, batch); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(advantages)
	// Output: [[0.5 0.5 -0.5 -0.5]]
}

// GRPO compares the rollouts of a group with each other. A group of equal rewards teaches
// nothing, and a rollout that is not trained on gets 0.
func ExampleBatch() {
	batch := rewarded(1, 0, 0)
	batch.Groups = append(batch.Groups, rewarded(1, 1).Groups[0], rewarded(0, 1, 1).Groups[0])
	batch.Groups[2].Rollouts[2].Train = false
	grpo, err := estimators.Lookup("grpo")
	if err != nil {
		fmt.Println(err)
		return
	}
	advantages, err := grpo.New().RolloutAdvantages(batch)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, group := range advantages {
		fmt.Printf("%.3f\n", group)
	}
	// Output:
	// [1.414 -0.707 -0.707]
	// [0.000 0.000]
	// [-1.000 1.000 0.000]
}

// The fields of an instance have the names that specs and the command line use.
func ExampleInstance_SetText() {
	method, err := estimators.Lookup("grpo")
	if err != nil {
		fmt.Println(err)
		return
	}
	grpo := method.New()
	fmt.Println(grpo.SetText("scale=none"), grpo.Estimator.(*estimators.GRPO).Scale)
	fmt.Println(grpo.SetText("scale=batch"))
	// Output:
	// <nil> none
	// method grpo: field "scale": got "batch", want one of group, none
}

// Answers of a rare mode are rewarded more: two of the three correct answers share a mode.
func ExampleRewards() {
	batch := rewarded(1, 1, 1, 0)
	batch.CandidateFields |= envs.HasMode
	for i, mode := range []envs.Mode{"A", "A", "B", "C"} {
		batch.Groups[0].Rollouts[i].Candidates[0].Mode = mode
	}
	method, err := estimators.Lookup("reinforce")
	if err != nil {
		fmt.Println(err)
		return
	}
	shaped := method.New()
	shaped.Rewards.Shaping = "reward / same(group.mode, mode)"
	fmt.Println(shaped.RolloutAdvantages(batch))
	// Output: [[0.5 0.5 1 0]] <nil>
}

// Requirements name the first fact that a batch lacks.
func ExampleRequirements_Check() {
	method, err := estimators.Lookup("ttrl")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(method.New().Requirements().Check(rewarded(1, 0)))
	// Output: the candidates carry no answer
}

// A method names the objective that it climbs, and how many answers are drawn for it.
func ExampleTarget() {
	setting := estimators.TargetSetting{Group: 8, Candidates: 3, Weights: []float64{1}, Answers: []*envs.Verdict{
		{Reward: []float64{1}}, {Reward: []float64{0}},
	}}
	for _, name := range []string{"vpo", "multi-rlvr"} {
		method, err := estimators.Lookup(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		target, err := method.New().Target(setting)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %s, %d draws\n", name, target.Name, target.Terms[0].Draws)
	}
	// Output:
	// vpo: E_w best of 3, 3 draws
	// multi-rlvr: best of 3, 3 draws
}

// The kit goes through the groups: an estimator of your own is a function of the rewards of
// one group.
func ExampleGroupwise() {
	batch := rewarded(1, 0.25, 0.5)
	advantages := estimators.NewAdvantages(batch)
	var kit estimators.Groupwise
	err := kit.Each(advantages, batch, func(dst, rewards []float64, _ []*estimators.Rollout) error {
		best := slices.Max(rewards)
		for i, r := range rewards {
			dst[i] = r - best
		}
		return nil
	})
	fmt.Println(advantages, err)
	// Output: [[0 -0.75 -0.5]] <nil>
}

// Modes are numbered by their first appearance.
func ExampleClusters() {
	var rollouts []*estimators.Rollout
	for _, mode := range []envs.Mode{"B", "A", "B", envs.Degenerate} {
		rollouts = append(rollouts, &estimators.Rollout{Candidates: []*envs.Verdict{{Mode: mode}}})
	}
	var c estimators.Clusters
	c.Assign(rollouts)
	fmt.Println(c.Index, c.Size)
	// Output: [0 1 0 -1] [2 1]
}

// Each token of a rollout gains a share of the entropy that it was drawn with.
func ExampleTokenEstimator() {
	batch := rewarded(1, 0)
	batch.RolloutFields = estimators.RolloutTokens | estimators.TokenEntropy
	for i, entropies := range [][]float64{{0, 0.5, 2}, {0.25}} {
		r := &batch.Groups[0].Rollouts[i]
		r.Tokens = len(entropies)
		r.PerToken = &estimators.PerToken{Entropy: entropies}
	}
	method, err := estimators.Lookup("entropy-shaped")
	if err != nil {
		fmt.Println(err)
		return
	}
	advantages, err := method.New().AllTokenAdvantages(batch)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", advantages[0])
	// Output: [[1.00 1.20 1.50] [-0.90]]
}

// Three of four rollouts agree on an answer, which counts as right without a label.
func ExampleTTRL() {
	batch := rewarded(0, 1, 0, 0)
	batch.CandidateFields |= envs.HasAnswer
	for i, answer := range []string{"12", "7", "12", "12"} {
		batch.Groups[0].Rollouts[i].Candidates[0].Answer = answer
	}
	method, err := estimators.Lookup("ttrl")
	if err != nil {
		fmt.Println(err)
		return
	}
	advantages, err := method.New().RolloutAdvantages(batch)
	fmt.Printf("%.2f %v\n", advantages, err)
	// Output: [[0.58 -1.73 0.58 0.58]] <nil>
}

// A rare answer has a bonus, which shrinks once a step has shown the answer.
func ExampleStateful() {
	method, err := estimators.Lookup("outcome-ucb")
	if err != nil {
		fmt.Println(err)
		return
	}
	instance, batch := method.New(), rewarded(1, 0)
	batch.CandidateFields |= envs.HasAnswer
	for i, answer := range []string{"3", "4"} {
		batch.Groups[0].Rollouts[i].Candidates[0].Answer = answer
	}
	for range 4 {
		if err := instance.Remember(batch); err != nil {
			fmt.Println(err)
			return
		}
		advantages, err := instance.RolloutAdvantages(batch)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.2f\n", advantages[0])
	}
	// Output:
	// [1.20 -0.80]
	// [1.14 -0.86]
	// [1.12 -0.88]
	// [1.10 -0.90]
}

// The declared properties of GRPO, which a property test of all methods checks.
func ExampleProperties() {
	method, err := estimators.Lookup("grpo")
	if err != nil {
		fmt.Println(err)
		return
	}
	p := method.Properties
	fmt.Println(p.ShiftInvariant, p.Scale == estimators.Invariant, p.ZeroSum, p.OrderMatters)
	// Output: true true true false
}

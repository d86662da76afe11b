package tabular_test

import (
	"fmt"

	"modebench/envs"
	"modebench/envs/bandit"
	"modebench/estimators"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/tabular"
)

// choice is a bandit of three arms, of which the first is rewarded, and a policy for it that
// has not learned yet.
func choice() (envs.Problem, *tabular.Policy) {
	config := bandit.Default()
	config.Modes, config.Rewarded = 3, 1
	env, err := config.Build()
	if err != nil {
		panic(err)
	}
	problem, err := env.Problem(envs.Train, 0)
	if err != nil {
		panic(err)
	}
	return problem, tabular.New(*tabular.Default(), policies.Optimizer{Name: "sgd", LR: 1})
}

// The whole distribution of a policy over the answers to a problem.
func ExamplePolicy_Enumerate() {
	problem, policy := choice()
	answers, ok, err := policy.Enumerate(problem, policies.SampleOptions{Temperature: 1, TopP: 1}, 100)
	if err != nil || !ok {
		fmt.Println(ok, err)
		return
	}
	for _, a := range answers {
		fmt.Printf("%s %.3f\n", problem.AnswerText(a.Tokens), a.P)
	}
	// Output:
	// m0 0.333
	// m1 0.333
	// m2 0.333
}

// The draw depends on the key alone: the same key gives the same rollouts.
func ExamplePolicy_Sample() {
	problem, policy := choice()
	for _, seed := range []uint64{1, 1, 2} {
		groups, err := policy.Sample([]envs.Task{problem}, 4, policies.SampleOptions{Temperature: 1, TopP: 1, Key: rng.New(seed)})
		if err != nil {
			fmt.Println(err)
			return
		}
		var answers []string
		for _, r := range groups[0].Rollouts {
			answers = append(answers, problem.AnswerText(r.Tokens))
		}
		fmt.Println(answers)
	}
	// Output:
	// [m1 m2 m0 m0]
	// [m1 m2 m0 m0]
	// [m1 m1 m0 m1]
}

// One update. Two of the four rollouts chose the rewarded arm, which gets likelier.
func ExamplePolicy_Update() {
	problem, policy := choice()
	whole := policies.SampleOptions{Temperature: 1, TopP: 1}
	opt := whole
	opt.Key = rng.New(1)
	groups, err := policy.Sample([]envs.Task{problem}, 4, opt)
	if err != nil {
		fmt.Println(err)
		return
	}
	advantages := make([]float64, 4)
	for i, r := range groups[0].Rollouts {
		advantages[i] = problem.Judge(r.Tokens).Reward[0] - 0.5
	}
	objective := estimators.PlainLoss
	stats, err := policy.Update(policies.Batch{
		Groups: groups, Advantages: [][]float64{advantages}, Temperature: 1,
		Want: objective.Want(), Loss: objective.Learn,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("loss %.3f, norm of the gradient %.3f\n", stats.Loss, stats.GradNorm)
	answers, _, err := policy.Enumerate(problem, whole, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range answers {
		fmt.Printf("%s %.3f\n", problem.AnswerText(a.Tokens), a.P)
	}
	// Output:
	// loss 0.000, norm of the gradient 0.306
	// m0 0.421
	// m1 0.289
	// m2 0.289
}

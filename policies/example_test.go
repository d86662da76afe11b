package policies_test

import (
	"fmt"

	"modebench/envs"
	"modebench/envs/coins"
	"modebench/internal/loss"
	"modebench/policies"
)

// Two rollouts of two tokens and of one, token by token.
func ExampleBatch_Flatten() {
	env, err := coins.Default().Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	problem, err := env.Problem(envs.Train, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	batch := policies.Batch{
		Groups: []policies.Group{{Task: problem, Rollouts: []policies.Rollout{
			{Tokens: []envs.Token{0, 4}, Logp: []float64{-1.5, -0.5}},
			{Tokens: []envs.Token{1}, Logp: []float64{-2}},
		}}},
		Advantages: [][]float64{{1, -1}},
	}
	var t loss.Tokens
	if err := batch.Flatten(&t); err != nil {
		fmt.Println(err)
		return
	}
	for s := range t.Sequences() {
		fmt.Println(t.Old[t.Start[s]:t.Start[s+1]], t.Advantage[s])
	}
	// Output:
	// [-1.5 -0.5] 1
	// [-2] -1
}

// The default optimiser is Adam; a run may choose gradient descent without bounds on the gradient.
func ExampleOptimizer() {
	o := policies.DefaultOptimizer()
	fmt.Println(o.Name, o.Beta1, o.ClipNorm)
	o.Name, o.LR = "sgd", 0.5
	fmt.Println(o.Name, o.LR)
	// Output:
	// adam 0.9 0
	// sgd 0.5
}

package envs_test

import (
	"fmt"

	"modebench/envs"
	"modebench/envs/bandit"
	"modebench/envs/coins"
	"modebench/internal/rng"
)

// payment is problem train/0 of coins: pay 25 with coins of 3, 6, 10 and 12.
func payment() (envs.Env, envs.Problem) {
	env, err := coins.Default().Build()
	if err != nil {
		panic(err)
	}
	problem, err := env.Problem(envs.Train, 0)
	if err != nil {
		panic(err)
	}
	return env, problem
}

// An environment is found by its name, and has problems by split and number.
func ExampleEnv() {
	definition, err := envs.Lookup("coins")
	if err != nil {
		fmt.Println(err)
		return
	}
	env, err := definition.Default().Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(env.Info().Components, env.Info().Weights)
	for _, split := range envs.Splits() {
		problem, err := env.Problem(split, 0)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(problem.ID(), len(problem.Truth().Modes), "modes")
	}
	// Output:
	// [correct format] [0.9 0.1]
	// pretrain/0 4 modes
	// train/0 4 modes
	// test/0 6 modes
	// ood/0 4 modes
}

// A problem judges answers from anywhere. Two orders of the same coins are one mode.
func ExampleProblem() {
	_, problem := payment()
	fmt.Println(problem.Truth().Modes)
	for _, answer := range []string{"12+10+3", "3+12+10", "12+12"} {
		v := problem.JudgeText(answer)
		fmt.Println(answer, v.Correct, v.Mode)
	}
	// Output:
	// [12+10+3 10+6+6+3 10+6+3+3+3 10+3+3+3+3+3]
	// 12+10+3 true 12+10+3
	// 3+12+10 true 12+10+3
	// 12+12 false 12+12
}

// To take the first legal token at every step gives a whole answer, though not a correct answer.
func ExampleCursor() {
	env, problem := payment()
	var answer []envs.Token
	var words []string
	cursor := problem.Start()
	for !cursor.Done() {
		token := cursor.Legal()[0]
		if err := cursor.Push(token); err != nil {
			fmt.Println(err)
			return
		}
		answer = append(answer, token)
		words = append(words, env.Info().Vocabulary[token])
	}
	fmt.Println(words)
	fmt.Println(problem.AnswerText(answer), problem.Judge(answer).Reward)
	// Output:
	// [3 end]
	// 3 [0 1]
}

// A base policy is made of demonstrations: diverse answers, of which some are correct.
func ExampleProblem_demonstrate() {
	_, problem := payment()
	random, correct, modes := rng.New(1).Rand(), 0, map[envs.Mode]bool{}
	for range 1000 {
		if v := problem.Judge(problem.Demonstrate(random)); v.Correct {
			correct++
			modes[v.Mode] = true
		}
	}
	fmt.Println(correct, "of 1000 are correct, of", len(modes), "modes")
	// Output: 129 of 1000 are correct, of 4 modes
}

// Two reward components that no answer has both of: the best answer depends on the weights.
func ExampleTruth_Best() {
	config := bandit.Default()
	config.Components, config.Collinearity, config.Rewarded = 2, 0, 2
	env, err := config.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	problem, err := env.Problem(envs.Train, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	truth := problem.Truth()
	fmt.Println(truth.Front, truth.Best([]float64{0.5, 0.5}), truth.Best([]float64{0.9, 0.1}))
	// Output: [[0 1] [1 0]] 0.5 0.9
}

// A chain is a task of its own: several answers to one problem in one rollout.
func ExampleChain() {
	_, problem := payment()
	chain, err := envs.NewChain(problem, 2, envs.ChainOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var rollout []envs.Token
	for _, text := range []string{"12+10+3", "12+12"} {
		answer, err := problem.AnswerTokens(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		rollout = append(rollout, answer...)
	}
	fmt.Println(chain.ID())
	for _, v := range chain.Judge(nil, rollout) {
		fmt.Println(v.Correct, v.Mode)
	}
	// Output:
	// train/0*2
	// true 12+10+3
	// false 12+12
}

// Under a goal the weights are part of the task.
func ExampleGoal() {
	_, problem := payment()
	goals := envs.GoalWeights(2)
	for i := range goals {
		goal := envs.NewGoal(problem, goals, i)
		fmt.Println(goal.ID(), goal.Weights(), envs.ProblemOf(goal).ID())
	}
	// Output:
	// train/0@0 [1 0] train/0
	// train/0@1 [0 1] train/0
	// train/0@2 [0.5 0.5] train/0
}

// A vector that another vector equals or exceeds in every component is not on the front.
func ExampleParetoFront() {
	fmt.Println(envs.ParetoFront([][]float64{{1, 0}, {0.5, 0.5}, {0.25, 0.5}, {0, 1}}))
	// Output: [[0 1] [0.5 0.5] [1 0]]
}

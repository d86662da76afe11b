package derivation_test

import (
	"fmt"

	"modebench/envs"
	"modebench/envs/derivation"
)

// A problem, what solves it, and the verdicts of five answers: the first two are one mode.
func Example() {
	env, err := derivation.Default().Build()
	if err != nil {
		panic(err)
	}
	p, err := env.Problem(envs.Train, 0)
	if err != nil {
		panic(err)
	}
	fmt.Print(p.Picture())
	fmt.Println("modes:", p.Truth().Modes)
	for _, answer := range []string{"d=0, f=0, h=8, i=8", "h=8, d=0, f=0, i=8", "g=7, i=8", "d=1, i=9", "i=8, d=0"} {
		v := p.JudgeText(answer)
		fmt.Println(answer, v.Reward, v.Mode, v.Err)
	}
	// Output:
	// derivation train/0: what is i? 8 modes, 13262051 solutions
	//   a = 5
	//   b = 2
	//   c = 5
	//   d = b * c = 0  needed
	//   e = d - c = 5  distractor
	//   f = d * b = 0  needed
	//   g = c + b = 7  distractor
	//   h = f - b = 8  needed
	//   i = h + d = 8  asked
	// modes: [- d f d,f h d,h f,h d,f,h]
	// d=0, f=0, h=8, i=8 [1 1] d,f,h <nil>
	// h=8, d=0, f=0, i=8 [1 1] d,f,h <nil>
	// g=7, i=8 [1 1] - <nil>
	// d=1, i=9 [0 1] d <nil>
	// i=8, d=0 [0 0]  statement 2: d comes after i, which ends the answer
}

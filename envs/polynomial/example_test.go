package polynomial_test

import (
	"fmt"

	"modebench/envs"
	"modebench/envs/polynomial"
)

// A problem and the verdicts of four answers.
func Example() {
	env, err := polynomial.Default().Build()
	if err != nil {
		panic(err)
	}
	p, err := env.Problem(envs.Train, 0)
	if err != nil {
		panic(err)
	}
	fmt.Println(p.PromptText())
	for _, answer := range []string{"x=0, y=9", "x=1, y=10", "x=1, y=9", "x=1"} {
		v := p.JudgeText(answer)
		fmt.Println(answer, v.Reward, v.Mode, v.Err)
	}
	// Output:
	// Find a pair of numbers (x, y) that satisfies this relation:
	//
	// y = -2*x^2+3*x+9
	//
	// Write each number as an integer or a decimal such as -12.5, with at most 3 digits before the point and 2 after it, and no needless zero in front; expressions, fractions and exponents are not read.
	// Many pairs are right, and any of them will do. Give one inside <answer>...</answer> tags, in the form <answer>x=..., y=...</answer>.
	// x=0, y=9 [1 1] x=0, y=9 <nil>
	// x=1, y=10 [1 1] x=1, y=10 <nil>
	// x=1, y=9 [0 1] x=1, y=9 <nil>
	// x=1 [0 0]  the answer ends where there should be a comma before the other number
}

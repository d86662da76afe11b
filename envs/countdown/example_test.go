package countdown_test

import (
	"fmt"

	"modebench/envs"
	"modebench/envs/countdown"
)

// A problem and the verdicts of four answers: the first two are one mode.
func Example() {
	env, err := countdown.Default().Build()
	if err != nil {
		panic(err)
	}
	p, err := env.Problem(envs.Train, 0)
	if err != nil {
		panic(err)
	}
	fmt.Println(p.PromptText())
	for _, answer := range []string{"18+8+2-10", "8+18+2-10", "(10-8)/2*18", "18*10"} {
		v := p.JudgeText(answer)
		fmt.Println(answer, v.Reward, v.Mode, v.Err)
	}
	// Output:
	// Use the numbers 2, 8, 10, 18 to write an expression that equals 18. The operations are +, -, * and /, with parentheses where you need them, and each number is used exactly once. Give it inside <answer>...</answer> tags, for example <answer>(1 + 2) / 3</answer>.
	// 18+8+2-10 [1 1] 18+8+2-10 <nil>
	// 8+18+2-10 [1 1] 18+8+2-10 <nil>
	// (10-8)/2*18 [1 1] 18*(10-8)/2 <nil>
	// 18*10 [0 0]  2 is not used; the numbers are 2, 8, 10, 18
}

package multiplication_test

import (
	"fmt"
	"strings"

	"modebench/envs"
	"modebench/envs/multiplication"
)

// A problem and the verdicts of four derivations: the first two are one mode.
func Example() {
	env, err := multiplication.Default().Build()
	if err != nil {
		panic(err)
	}
	p, err := env.Problem(envs.Train, 0)
	if err != nil {
		panic(err)
	}
	task, _, _ := strings.Cut(p.PromptText(), "\n")
	fmt.Println(task)
	for _, answer := range []string{
		"15*(30+8) = 15*30+15*8 = 450+120 = 570",
		"15*(8+30) = 15*8+15*30 = 570",
		"(10+5)*38 = 10*38+5*38 = 380+190 = 570",
		"(10+5)*38 = 10*38+5*38 = 380+190 = 580",
	} {
		v := p.JudgeText(answer)
		fmt.Println(answer, v.Reward, v.Mode, v.Err)
	}
	// Output:
	// Compute 15*38 by taking the numbers apart and multiplying out.
	// 15*(30+8) = 15*30+15*8 = 450+120 = 570 [1 1 1] plain*place <nil>
	// 15*(8+30) = 15*8+15*30 = 570 [1 1 1] plain*place <nil>
	// (10+5)*38 = 10*38+5*38 = 380+190 = 570 [1 1 1] place*plain <nil>
	// (10+5)*38 = 10*38+5*38 = 380+190 = 580 [0 1 1] place*plain <nil>
}

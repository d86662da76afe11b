package bandit_test

import (
	"fmt"

	"modebench/envs"
	"modebench/envs/bandit"
)

// Twelve arms, of which the first four are rewarded: each is a mode.
func Example() {
	env, err := bandit.Default().Build()
	if err != nil {
		panic(err)
	}
	p, err := env.Problem(envs.Train, 0)
	if err != nil {
		panic(err)
	}
	fmt.Println("modes:", p.Truth().Modes)
	for _, answer := range []string{"m00", "m03", "m04", "m12"} {
		v := p.JudgeText(answer)
		fmt.Println(answer, v.Reward, v.Mode, v.Err)
	}
	// Output:
	// modes: [m00 m01 m02 m03]
	// m00 [1] m00 <nil>
	// m03 [1] m03 <nil>
	// m04 [0] m04 <nil>
	// m12 [0]  "m12" is no arm; arms are m00 to m11
}

package coins_test

import (
	"fmt"

	"modebench/envs"
	"modebench/envs/coins"
)

// A problem, what solves it, and the verdicts of four answers: the first two are one mode.
func Example() {
	env, err := coins.Default().Build()
	if err != nil {
		panic(err)
	}
	p, err := env.Problem(envs.Train, 0)
	if err != nil {
		panic(err)
	}
	fmt.Println(p.PromptText())
	truth := p.Truth()
	fmt.Println("modes:", truth.Modes)
	fmt.Println("orders:", truth.Solutions)
	for _, answer := range []string{"12+10+3", "3+12+10", "12+12", "20+5"} {
		v := p.JudgeText(answer)
		fmt.Println(answer, v.Reward, v.Mode, v.Err)
	}
	// Output:
	// Pay 25 with coins of 3, 6, 10, 12. Take as many of each kind as you like, but at most 6 coins in all. Give the coins inside <answer>...</answer> tags, for example, for 2000 with coins of 500 and 1000: <answer>1000+500+500</answer>.
	// modes: [12+10+3 10+6+6+3 10+6+3+3+3 10+3+3+3+3+3]
	// orders: 44
	// 12+10+3 [1 1] 12+10+3 <nil>
	// 3+12+10 [1 1] 12+10+3 <nil>
	// 12+12 [0 1] 12+12 <nil>
	// 20+5 [0 0]  coin 1: there is no coin of 20; coins are 3, 6, 10, 12
}

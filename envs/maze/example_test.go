package maze_test

import (
	"fmt"
	"strings"

	"modebench/envs"
	"modebench/envs/maze"
)

// A problem and the verdicts of three routes. The second route passes gold, the third stops early.
func Example() {
	env, err := maze.Default().Build()
	if err != nil {
		panic(err)
	}
	p, err := env.Problem(envs.Train, 0)
	if err != nil {
		panic(err)
	}
	fmt.Print(p.Picture())
	fmt.Println(env.Info().Components)
	words := strings.NewReplacer("L", "LEFT ", "D", "DOWN ")
	for _, answer := range []string{
		"LLLLLLDDDDLLDDDD", "LLLLLLDDLLDDDDDD", "L",
	} {
		v := p.JudgeText(strings.TrimSpace(words.Replace(answer)))
		fmt.Println(answer, v.Reward, v.Mode, v.Err)
	}
	// Output:
	// maze train/0: 9x9, 25 steps (shortest route 16), 4 gold, 5 diamond, 3 lava
	// ┌───────────────────────────────────┐
	// │ G   █   ·   ·   ·   ·   ·   ·   S │
	// │                                   │
	// │ G   G   ·   ·   ·   ·   ·   ·   █ │
	// │                                   │
	// │ G   ·   ·   ·   █████   ·   ·   · │
	// │                                   │
	// │ ·   ·   ·   L   ·   ·   ·   █   · │
	// │                                   │
	// │ ·   ·   ·   ·   B   ·   █   ·   · │
	// │                         █         │
	// │ ·   █   ·   ·   █   ·   █   ·   · │
	// │                                   │
	// │ ·   ·   L   █   L   ·   ·   ·   D │
	// │                                   │
	// │ ·   ·   ·   ·   ·   ·   ·   D   D │
	// │                                   │
	// │ E   ·   ·   ·   ·   ·   ·   D   D │
	// └───────────────────────────────────┘
	// [completion gold diamond avoid_lava]
	// LLLLLLDDDDLLDDDD [1 0 0 1] exit <nil>
	// LLLLLLDDLLDDDDDD [1 0.25 0 1] exit G4 <nil>
	// L [0 0 0 0] unfinished <nil>
}

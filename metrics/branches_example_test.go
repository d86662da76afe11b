package metrics_test

import (
	"fmt"

	"modebench/envs"
	"modebench/metrics"
)

// Four rollouts of which three begin alike and one ends after two tokens: two of them
// show 1.5 branches at the first token, and so on.
func ExampleBranches() {
	rollouts := [][]envs.Token{{1, 1, 1}, {1, 1, 2}, {1, 2, 1}, {2, 1}}
	branches, err := metrics.Branches(rollouts, nil, []int{1, 2, 3}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", branches)
	// Output: [1.500 1.833 1.500]
}

// The entropy falls below a tenth of its beginning, recovers, and falls for good.
func ExampleCollapseStep() {
	steps := []int{0, 100, 200, 300, 400}
	fmt.Println(metrics.CollapseStep(steps, []float64{2.5, 0.2, 0.6, 0.1, 0.05}))
	fmt.Println(metrics.CollapseStep(steps, []float64{2.5, 2, 1, 0.6, 0.5}))
	// Output:
	// 300 true
	// 400 false
}

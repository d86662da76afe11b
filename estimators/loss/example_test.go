package loss_test

import (
	"fmt"
	"math"

	"modebench/estimators/loss"
)

// Two sequences of one token. The policy now gives the first token 1.5 times the probability
// that it was drawn with, which is above the bound: its slope is 0.
func ExampleFunction() {
	ppo := loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3"}
	t := loss.Tokens{
		Start:     []int{0, 1, 2},
		Groups:    []int{0, 2},
		Advantage: []float64{1, -1},
		Old:       []float64{math.Log(0.2), math.Log(0.4)},
		Logp:      []float64{math.Log(0.3), math.Log(0.4)},
		DLogp:     make([]float64, 2),
	}
	if err := ppo.Learn(&t); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("loss %.2f, slopes %.2f, %d clipped\n", t.Loss, t.DLogp, t.Clipped)
	// Output: loss -0.10, slopes [0.00 0.50], 1 clipped
}

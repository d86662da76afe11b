package metrics_test

import (
	"fmt"

	"modebench/metrics"
)

// REINFORCE without a baseline on two arms of which the first pays 1: with logits of 0
// the gradient is (1/4, -1/4), and an estimate is twice that or nothing.
func ExampleGradient() {
	g, err := metrics.NewGradient([]float64{0.25, -0.25})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, outcome := range []struct {
		estimate []float64
		p        float64
	}{{[]float64{0.5, -0.5}, 0.5}, {[]float64{0, 0}, 0.5}} {
		if err := g.AddWeighted(outcome.estimate, outcome.p); err != nil {
			fmt.Println(err)
			return
		}
	}
	s, err := g.Statistics()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("bias %.3f, variance %.3f, signal-to-noise %.3f, cosine %.3f, of one estimate %.3f\n",
		s.Bias, s.Variance, s.SNR, s.Cosine, s.MeanCosine)
	// Output: bias 0.000, variance 0.125, signal-to-noise 1.000, cosine 1.000, of one estimate 0.500
}

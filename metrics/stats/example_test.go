package stats_test

import (
	"fmt"

	"modebench/metrics/stats"
)

// Coverage after training, one value per seed.
func ExampleMeanInterval() {
	m := stats.MeanInterval([]float64{0.71, 0.64, 0.69, 0.75, 0.66, 0.70, 0.68, 0.73})
	fmt.Printf("%.3f [%.3f, %.3f], %d seeds\n", m.Mean, m.Low, m.High, m.N)
	// Output: 0.695 [0.664, 0.725], 8 seeds
}

// The interquartile mean does not see the seed that failed.
func ExampleIQM() {
	seeds := []float64{0.70, 0.72, 0.71, 0.69, 0.73, 0.71, 0.70, 0.02}
	fmt.Printf("mean %.3f, interquartile mean %.3f\n", stats.Mean(seeds), stats.IQM(seeds))
	// Output: mean 0.622, interquartile mean 0.705
}

// Both methods ran the same eight seeds, so a test takes the differences.
func ExamplePairedTest() {
	old := []float64{0.50, 0.61, 0.55, 0.47, 0.58, 0.52, 0.60, 0.49}
	new := []float64{0.57, 0.66, 0.54, 0.56, 0.63, 0.55, 0.68, 0.53}
	differences := make([]float64, len(old))
	for i := range old {
		differences[i] = new[i] - old[i]
	}
	fmt.Printf("p = %.4f\n", stats.PairedTest(differences))
	// Output: p = 0.0156
}

// Two sides of different seeds. All values of one side lie above those of the other: of the 924
// ways to split twelve values two are as extreme.
func ExampleUnpairedTest() {
	old := []float64{0.41, 0.45, 0.39, 0.44, 0.40, 0.43}
	new := []float64{0.52, 0.50, 0.55, 0.47, 0.58, 0.51}
	fmt.Printf("p = %.4f\n", stats.UnpairedTest(old, new))
	// Output: p = 0.0022
}

// Three tests made together: two of them are significant at 0.05 alone, one after the correction.
func ExampleHolm() {
	fmt.Printf("%.3f\n", stats.Holm([]float64{0.030, 0.004, 0.600}))
	// Output: [0.060 0.012 0.600]
}

// Six pilot seeds differ by 0.03 in the mean: how many seeds show such a difference?
func ExamplePlanPaired() {
	pilot := []float64{0.05, -0.01, 0.04, 0.06, 0.00, 0.04}
	fmt.Println(stats.PlanPaired(pilot, 0.03, 1), "seeds for one test")
	fmt.Println(stats.PlanPaired(pilot, 0.03, 5), "seeds for each of five tests")
	// Output:
	// 10 seeds for one test
	// 14 seeds for each of five tests
}

// With five seeds no test can be significant.
func ExampleSeedsForVerdict() {
	fmt.Println(stats.SeedsForVerdict(1, true), stats.SeedsForVerdict(20, true))
	// Output: 6 10
}

// A claim: the new method has more coverage. A difference below 0.02 does not matter.
func ExampleTest() {
	question := stats.Question{Direction: stats.Above, Delta: 0.02}
	gains := []float64{0.07, 0.05, -0.01, 0.09, 0.05, 0.03, 0.08, 0.04, 0.06, 0.02}
	f := stats.Test(gains, question)
	fmt.Printf("mean %.3f [%.3f, %.3f]\n", f.Effect.Mean, f.Effect.Low, f.Effect.High)
	fmt.Printf("supported %.3f, opposed %.3f, no difference %.3f\n", f.Supported, f.Opposed, f.NoDifference)
	// Output:
	// mean 0.048 [0.024, 0.067]
	// supported 0.004, opposed 1.000, no difference 1.000
}

// Two boards order five methods nearly alike: one pair of ten is the other way round.
func ExampleKendallTau() {
	tau, err := stats.KendallTau([]float64{1, 2, 3, 4, 5}, []float64{10, 20, 30, 50, 40})
	fmt.Printf("%.2f %v\n", tau.Mean, err)
	// Output: 0.80 <nil>
}

// Values of two training seeds for each of three draws of problems: the draws vary, the
// training seeds hardly do.
func ExampleHierarchicalInterval() {
	draws := [][]float64{{0.60, 0.61}, {0.70, 0.71}, {0.65, 0.64}}
	m := stats.HierarchicalInterval(draws)
	fmt.Printf("%.3f from %d draws\n", m.Mean, m.N)
	// Output: 0.652 from 3 draws
}

// Two draws of problems, each with two base policies of two training seeds: most of the variance
// comes from the draw.
func ExampleComponents() {
	c := stats.Components([][][]float64{
		{{0.60, 0.62}, {0.61, 0.61}},
		{{0.70, 0.72}, {0.73, 0.71}},
	})
	fmt.Printf("problems %.5f, base %.5f, training %.5f\n", c.Problems.Variance, c.Base.Variance, c.Training.Variance)
	// Output: problems 0.00550, base 0.00000, training 0.00015
}

// Seeds differ twice as much under the first method as under the second.
func ExampleDeviationRatioInterval() {
	ratio := stats.DeviationRatioInterval(
		[]float64{0.50, 0.70, 0.40, 0.60, 0.80, 0.60},
		[]float64{0.55, 0.65, 0.50, 0.60, 0.70, 0.60},
	)
	fmt.Printf("%.2f\n", ratio.Mean)
	// Output: 2.00
}

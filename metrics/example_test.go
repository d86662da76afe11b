package metrics_test

import (
	"fmt"
	"strings"

	"modebench/envs"
	"modebench/metrics"
)

// Four answers to one problem with three correct modes, two of them found.
func ExampleReadDocument() {
	d, err := metrics.ReadDocument(strings.NewReader(`{"k": [1, 4], "problems": [{"id": "p0", "modes": 3, "chains": [
		[{"correct": true,  "mode": "A"}],
		[{"correct": true,  "mode": "B"}],
		[{"correct": false, "mode": "A"}],
		[{"correct": false, "mode": null}]]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := d.Metrics()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range values {
		fmt.Printf("%-18s %.3f\n", v.Name, v.Mean)
	}
	// Output:
	// pass@1             0.500
	// coverage@1         0.500
	// pass@4             1.000
	// coverage@4         0.667
	// accuracy           0.500
	// distinct_correct   2.000
	// distinct_incorrect 1.000
	// entropy_mode       1.040
}

// A policy that has nearly collapsed onto one of two correct modes.
func ExampleDistribution_Metrics() {
	d := metrics.Distribution{Modes: 2, Outcomes: []metrics.Outcome{
		{P: 0.98, Verdict: envs.Verdict{Correct: true, Mode: "A", Reward: []float64{1}}},
		{P: 0.01, Verdict: envs.Verdict{Correct: true, Mode: "B", Reward: []float64{1}}},
		{P: 0.01, Verdict: envs.Verdict{Mode: "C", Reward: []float64{0}}},
	}}
	values, err := d.Metrics([]float64{1}, []int{8}, 8)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range values {
		fmt.Printf("%-19s %.4f\n", v.Name, v.Mean)
	}
	// Output:
	// pass@8              1.0000
	// best@8              1.0000
	// coverage@8          0.5386
	// accuracy            0.9900
	// reward              0.9900
	// distinct_correct    1.0773
	// distinct_incorrect  0.0773
	// entropy_mode        0.1119
	// entropy_sequence    0.1119
	// modes_alive         1.0000
	// correct_modes_alive 1.0000
}

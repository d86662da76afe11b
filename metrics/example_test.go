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
func ExampleTable_AddExact() {
	answer := func(correct bool, mode envs.Mode, reward float64) []*envs.Verdict {
		return []*envs.Verdict{{Correct: correct, Mode: mode, Reward: []float64{reward}}}
	}
	t, err := metrics.NewTable(metrics.Options{Weights: []float64{1}, K: []int{8}, Samples: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = t.AddExact(metrics.Distribution{Modes: 2, Outcomes: []metrics.Outcome{
		{P: 0.98, Chain: answer(true, "A", 1)},
		{P: 0.01, Chain: answer(true, "B", 1)},
		{P: 0.01, Chain: answer(false, "C", 0)},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range t.Values() {
		fmt.Printf("%-19s %.4f\n", v.Name, v.Mean)
	}
	// Output:
	// pass@8              1.0000
	// best@8              1.0000
	// best_first@8        1.0000
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

// Two chains of two candidates whose rewards have two components: no candidate
// is good at both, but each chain covers both ends of the front.
func ExampleTable_Add() {
	first, second := &envs.Verdict{Reward: []float64{1, 0}}, &envs.Verdict{Reward: []float64{0, 1}}
	t, err := metrics.NewTable(metrics.Options{
		Weights: []float64{0.5, 0.5}, K: []int{1, 2}, Draws: metrics.Scalarisations(2, 1000),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = t.Add(metrics.Pool{
		Modes:  -1,
		Front:  [][]float64{{0, 1}, {1, 0}},
		Chains: [][]*envs.Verdict{{first, second}, {second, first}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range t.Values() {
		if strings.Contains(v.Name, "best") || strings.Contains(v.Name, "front") {
			fmt.Printf("%-16s %.2f\n", v.Name, v.Mean)
		}
	}
	// Output:
	// best@1           0.50
	// best_first@1     0.50
	// ew_best@1        0.50
	// front_coverage@1 1.00
	// best@2           0.50
	// best_first@2     0.50
	// ew_best@2        0.75
	// front_coverage@2 1.00
}

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

// A metric is found by its name, a member of a family by its k.
func ExampleMetric() {
	for _, name := range []string{"accuracy", "coverage@8"} {
		m, ok := metrics.Lookup(name)
		fmt.Println(ok, m.Name, m.Delta.Size, m.Detail)
	}
	// Output:
	// true accuracy 0.02 [0, 1]
	// true coverage@k 0.02 over min(k, existing correct modes), a positive number; [0, 1]
}

// Four answers to a problem of three modes: two are correct, of one mode each.
func ExamplePool() {
	t, err := metrics.NewTable(metrics.Options{Weights: []float64{1}, K: []int{1, 2, 4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	pool := metrics.Pool{Modes: 3}
	for _, v := range []*envs.Verdict{
		{Correct: true, Mode: "A", Reward: []float64{1}},
		{Correct: true, Mode: "B", Reward: []float64{1}},
		{Mode: "A", Reward: []float64{0}},
		{Mode: "D", Reward: []float64{0}},
	} {
		pool.Chains = append(pool.Chains, []*envs.Verdict{v})
	}
	if err := t.Add(pool); err != nil {
		fmt.Println(err)
		return
	}
	means := t.Means()
	for _, k := range []int{1, 2, 4} {
		fmt.Printf("k = %d: pass %.3f, coverage %.3f\n", k, means[fmt.Sprintf("pass@%d", k)], means[fmt.Sprintf("coverage@%d", k)])
	}
	// Output:
	// k = 1: pass 0.500, coverage 0.500
	// k = 2: pass 0.833, coverage 0.500
	// k = 4: pass 1.000, coverage 0.667
}

// A table averages over problems: one is solved by every answer, one by no answer.
func ExampleTable() {
	t, err := metrics.NewTable(metrics.Options{Weights: []float64{1}, K: []int{1, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, correct := range []bool{true, false} {
		v := &envs.Verdict{Correct: correct, Mode: "A", Reward: []float64{1}}
		if err := t.Add(metrics.Pool{Modes: 2, Chains: [][]*envs.Verdict{{v}, {v}}}); err != nil {
			fmt.Println(err)
			return
		}
	}
	for _, v := range t.Values() {
		if v.Name == "accuracy" || strings.HasPrefix(v.Name, "coverage") {
			fmt.Println(v.Name, v.Mean, "over", v.Problems, "problems")
		}
	}
	// Output:
	// coverage@1 0.5 over 2 problems
	// coverage@2 0.25 over 2 problems
	// accuracy 0.5 over 2 problems
}

// Of the problems solved before training, a quarter is lost; of the others, half is gained.
func ExampleLost() {
	before := []float64{1, 1, 1, 1, 0, 0}
	after := []float64{1, 1, 1, 0, 1, 0}
	fmt.Println(metrics.Lost(before, after))
	fmt.Println(metrics.Gained(before, after))
	// Output:
	// 0.25 true
	// 0.5 true
}

// Training lowers the entropy and gains accuracy, as the law has it.
func ExampleFitLaw() {
	law, ok := metrics.FitLaw([]float64{2, 1.5, 1, 0.5}, []float64{0.08, 0.42, 0.61, 0.74})
	fmt.Printf("R = -%.3f e^H + %.3f, R2 %.2f %v\n", law.A, law.B, law.R2, ok)
	fmt.Printf("at entropy 0: %.3f\n", law.Accuracy(0))
	// Output:
	// R = -0.114 e^H + 0.927, R2 1.00 true
	// at entropy 0: 0.812
}

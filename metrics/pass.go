package metrics

import "modebench/envs"

func init() {
	register(
		Metric{rank: 10, Name: "pass@k", Doc: "probability of a correct answer among k", Detail: "[0, 1]; Chen et al. 2021, eq. 1",
			Label: "pass@k", Axis: AxisShare, Delta: shareDelta, Reads: envs.HasCorrect, add: (*Table).addCorrect, ceiling: solvable},
		Metric{rank: 100, Name: "accuracy", Doc: "probability of a correct answer", Detail: "[0, 1]",
			Label: "accuracy", Axis: AxisShare, Delta: shareDelta, Reads: envs.HasCorrect, ceiling: solvable},
	)
}

// addCorrect adds pass@k and accuracy.
func (t *Table) addCorrect(a *answers) {
	correct := 0.0
	for i, v := range a.all {
		if v.Correct {
			correct += a.mass[i/a.m]
		}
	}
	t.AddValue("accuracy", min(1, correct/a.candidates()))
	tails := t.tally(a, t.events(a, func(i int) int32 {
		if a.all[i].Correct {
			return 0
		}
		return -1
	}), 1)
	for i := range t.opt.K {
		t.addAt("pass", i, min(1, tails.expected(&t.plan.choices[i])))
	}
}

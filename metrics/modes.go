package metrics

import "modebench/envs"

func init() {
	register(
		Metric{rank: 60, Name: "coverage@k", Doc: "expected distinct correct modes among k answers, over the most there could be", Detail: "over min(k, existing correct modes), a positive number; [0, 1]",
			Label: "coverage@k", Axis: AxisShare, Delta: shareDelta, Reads: envs.HasCorrect | envs.HasMode,
			ceiling: func(_ *Table, g *truth, _ int) (float64, bool) { return 1, g.modes > 0 }},
		Metric{rank: 120, Name: "distinct_correct", Doc: "expected distinct correct modes in a pool", Detail: "count, [0, candidates]; grows with the pool",
			Label: "distinct correct modes", Axis: AxisCounts, Delta: countDelta, Reads: envs.HasCorrect | envs.HasMode, add: (*Table).addModes},
		Metric{rank: 130, Name: "distinct_incorrect", Doc: "expected distinct incorrect modes in a pool", Detail: "count, [0, candidates]; grows with the pool",
			Label: "distinct incorrect modes", Axis: AxisCounts, Delta: manyDelta, Reads: envs.HasCorrect | envs.HasMode},
		Metric{rank: 140, Name: "entropy_mode", Doc: "entropy over modes, nats", Detail: "of the mode of a candidate, all degenerate ones being one class; nats, [0, log(classes)]; of a pool the plug-in estimate, biased low by about (classes-1)/(2n)",
			Label: "mode entropy", Unit: "nats", Axis: AxisFromZero, Delta: natsDelta, Reads: envs.HasMode, add: (*Table).addModeEntropy},
	)
}

// addModeEntropy adds entropy_mode.
func (t *Table) addModeEntropy(a *answers) {
	t.scratch.masses[0] = zeros(t.scratch.masses[0], len(a.modes))
	masses := t.scratch.masses[0]
	for i, number := range a.mode {
		masses[number] += a.mass[i/a.m]
	}
	h := 0.0
	for _, mass := range masses {
		h += surprise(mass / a.candidates())
	}
	t.AddValue("entropy_mode", max(0, h))
}

// addModes adds coverage@k and the counts of distinct modes.
func (t *Table) addModes(a *answers) {
	t.AddValue("distinct_incorrect", t.distinct(a, t.tally(a, t.events(a, func(i int) int32 { return a.modeIf(i, false) }), len(a.modes))))
	tails := t.tally(a, t.events(a, func(i int) int32 { return a.modeIf(i, true) }), len(a.modes))
	t.AddValue("distinct_correct", t.distinct(a, tails))
	if a.existing < 1 {
		return
	}
	for i, k := range t.opt.K {
		t.addAt("coverage", i, min(1, tails.expected(&t.plan.choices[i])/float64(min(k, a.existing))))
	}
}

// distinct returns how many of the events a pool shows, or a distribution is
// expected to show in Options.Samples candidates.
func (t *Table) distinct(a *answers, tails tails) float64 {
	if a.exact {
		return tails.expected(&t.plan.samples)
	}
	count := 0
	for _, chains := range tails.whole() {
		if chains > 0 {
			count++
		}
	}
	return float64(count)
}

// modeIf is the event "correct, in this mode" (or incorrect) of candidate i; Degenerate is no mode.
func (a *answers) modeIf(i int, correct bool) int32 {
	if v := a.all[i]; v.Correct != correct || v.Mode == envs.Degenerate {
		return -1
	}
	return a.mode[i]
}

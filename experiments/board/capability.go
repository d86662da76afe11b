package board

import "fmt"

// capabilities lists the tasks of the profile in the order of tables and figures.
var capabilities = []Task{
	{Name: "reach", Policy: "tabular", Capability: &Capability{Title: "reach the reward", score: reached}},
	{Name: "keep", Policy: "tabular", Capability: &Capability{Title: "keep the modes", score: kept}},
	{Name: "find", Policy: "tabular", Capability: &Capability{Title: "find rare modes", score: found}},
	{Name: "best-at-k", Policy: "tabular", Capability: &Capability{Title: "best@k at large k", score: func(f *final) float64 { return f.many("pass") }}},
	{Name: "vector", Policy: "tabular", Accuracy: "reward", Diversity: "front_coverage@64", Solved: "ew_best", Found: "front_coverage",
		Capability: &Capability{Title: "vector rewards", score: func(f *final) float64 { return f.many("ew_best") }}},
	{Name: "without-labels", Policy: "tabular", Capability: &Capability{Title: "without labels", LabelFree: true, score: taught}},
	{Name: "noisy-judge", Policy: "tabular", Capability: &Capability{Title: "under a noisy judge", score: kept}},
	{Name: "small-groups", Policy: "tabular", Capability: &Capability{Title: "small groups", score: reached}},
}

// Capabilities lists the tasks of the profile, in the order of tables and figures.
func Capabilities() ([]Task, error) { return readTasks(capabilities, Profile) }

// reached is accuracy after training.
func reached(f *final) float64 { return f.seed.of("pass@1", metric(f.last, "pass@1")) }

// gate is accuracy as a factor, in [0, 1].
func gate(f *final) float64 { return share(reached(f)) }

// kept is accuracy times the share of right strategies that 64 answers find.
func kept(f *final) float64 { return float64(gate(f) * metric(f.last, "coverage@64")) }

// found is accuracy times the gain of that share over the base policy's, of what is missing there.
func found(f *final) float64 {
	from := metric(f.seed.base, "coverage@64")
	return float64(gate(f) * ((metric(f.last, "coverage@64") - from) / (1 - from)))
}

// taught is accuracy times the share of problems that 16 answers solve.
func taught(f *final) float64 { return float64(gate(f) * metric(f.last, "pass@16")) }

// many is a metric of 64 answers, of the way from one answer of the base policy (0) to 64 of the
// optimum (1).
func (f *final) many(name string) float64 {
	from := metric(f.seed.base, name+"@1")
	return (metric(f.last, name+"@64") - from) / (metric(f.seed.optimum, name+"@64") - from)
}

// baseScores are the capability's scores of the base policy, by seed.
func (t Task) baseScores(by map[int]scale, stage Stage) ([]float64, error) {
	var out []float64
	for i := range stage.Seeds {
		seed, ok := by[stage.FirstSeed+i]
		if !ok {
			return nil, fmt.Errorf("task %s: seed %d: the runs lack %s", t.Name, stage.FirstSeed+i, Base)
		}
		out = append(out, t.Capability.score(&final{last: seed.base, seed: seed}))
	}
	return out, nil
}

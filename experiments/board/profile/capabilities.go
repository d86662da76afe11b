package profile

import (
	"embed"

	"modebench/experiments/board"
)

//go:embed *.toml
var texts embed.FS

// A capability is a task with its names in tables and figures.
type capability struct {
	title string
	board.Task
}

// capabilities lists them in the order of tables and figures.
var capabilities = []capability{
	{"reach the reward", board.Task{Name: "reach", Score: reached}},
	{"keep the modes", board.Task{Name: "keep", Score: kept}},
	{"find rare modes", board.Task{Name: "find", Score: found}},
	{"best@k at large k", board.Task{Name: "best-at-k", Score: func(f *board.Final) float64 { return many(f, "pass") }}},
	{"vector rewards", board.Task{Name: "vector", Accuracy: "reward", Diversity: "front_coverage@64", Solved: "ew_best", Found: "front_coverage",
		Score: func(f *board.Final) float64 { return many(f, "ew_best") }}},
	{"without labels", board.Task{Name: "without-labels", LabelFree: true, Score: taught}},
	{"under a noisy judge", board.Task{Name: "noisy-judge", Score: kept}},
	{"small groups", board.Task{Name: "small-groups", Score: reached}},
}

// Capabilities lists the tasks of the profile, in the order of tables and figures.
func Capabilities() ([]board.Task, error) {
	var out []board.Task
	for _, c := range capabilities {
		c.Policy, c.Board = "tabular", board.Profile
		out = append(out, c.Task)
	}
	return board.ReadTasks(out, texts)
}

// reached is accuracy after training.
func reached(f *board.Final) float64 { return f.Scaled("pass@1", board.Metric(f.Last, "pass@1")) }

// gate is accuracy as a factor, in [0, 1].
func gate(f *board.Final) float64 { return clip(reached(f)) }

// kept is accuracy times the share of right strategies that 64 answers find.
func kept(f *board.Final) float64 { return float64(gate(f) * board.Metric(f.Last, "coverage@64")) }

// found is accuracy times the gain of that share over the base policy's, relative to the share
// that the base policy leaves.
func found(f *board.Final) float64 {
	from := board.Metric(f.Base, "coverage@64")
	return float64(gate(f) * ((board.Metric(f.Last, "coverage@64") - from) / (1 - from)))
}

// taught is accuracy times the share of problems that 16 answers solve.
func taught(f *board.Final) float64 { return float64(gate(f) * board.Metric(f.Last, "pass@16")) }

// many is a metric of 64 answers, of the way from one answer of the base policy (0) to 64 of the
// optimum (1).
func many(f *board.Final, name string) float64 {
	from := board.Metric(f.Base, name+"@1")
	return (board.Metric(f.Last, name+"@64") - from) / (board.Metric(f.Optimum, name+"@64") - from)
}

// clip is a number, cut off at 0 and 1.
func clip(x float64) float64 { return min(max(x, 0), 1) }

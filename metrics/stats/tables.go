package stats

import (
	"maps"
	"slices"
)

// A Table holds the scores of one method: under the name of each task, one score per seed.
// A method that does not fit a task has no entry for it. Seeds are paired between methods:
// index s of a task is the same problems and the same base policy in every table.
type Table map[string][]float64

// shared returns the tasks that both tables have, by name.
func shared(a, b Table) (tasks []string) {
	for _, task := range slices.Sorted(maps.Keys(a)) {
		if _, ok := b[task]; ok {
			tasks = append(tasks, task)
		}
	}
	return tasks
}

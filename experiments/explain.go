package experiments

import "fmt"

// explain keeps the failure. A file that cannot be written takes nothing from a run, and
// where it was a file that failed there is no need to say so again.
func explain(cells, id string, f *CellError, notes func(string)) {
	if err := keepFailure(cells, id, failure{f.Label, f.Seed, f.Err.Error()}); err != nil && notes != nil && !machineFailed(f.Err) {
		notes(fmt.Sprintf("why %s failed cannot be kept: %v", id, err))
	}
}

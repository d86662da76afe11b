package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modebench/experiments/cells"
)

// explain keeps the failure. A file that cannot be written takes nothing from a run, and
// where it was a file that failed there is no need to say so again.
func explain(dir, id string, f *CellError, notes func(string)) {
	if err := cells.WriteFailure(dir, id, cells.Failure{Label: f.Label, Seed: f.Seed, Error: f.Err.Error()}); err != nil && notes != nil && !machineFailed(f.Err) {
		notes(fmt.Sprintf("why %s failed cannot be kept: %v", id, err))
	}
}

// machineFailed says that it was not the cell that failed but a file, as on a full disk.
func machineFailed(err error) bool {
	var path *fs.PathError
	var number syscall.Errno
	return errors.As(err, &path) || errors.As(err, &number)
}

package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modebench/experiments/cells"
)

// explain writes down why a cell failed. If that cannot be written it is only noted, and not
// even that where the cell failed over a file too.
func explain(dir, id string, f *CellError, notes func(string)) {
	if err := cells.WriteFailure(dir, id, cells.Failure{Label: f.Label, Seed: f.Seed, Error: f.Err.Error()}); err != nil && notes != nil && !machineFailed(f.Err) {
		notes(fmt.Sprintf("why %s failed cannot be saved: %v", id, err))
	}
}

// machineFailed says that the failure is the file system's and not the cell's, as on a full
// disk.
func machineFailed(err error) bool {
	var path *fs.PathError
	var number syscall.Errno
	return errors.As(err, &path) || errors.As(err, &number)
}

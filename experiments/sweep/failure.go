package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modebench/experiments/cells"
	"modebench/experiments/train"
	"modebench/internal/input"
	"modebench/internal/plural"
)

// explain writes down why a cell failed, or notes that it cannot, unless the cell failed over a
// file.
func explain(dir, id string, f *CellError, notes func(string)) {
	err := cells.WriteFailure(dir, id, cells.Failure{Label: f.Label, Seed: f.Seed, Error: f.Err.Error()})
	if err != nil && !machineFailed(f.Err) {
		notes(fmt.Sprintf("why %s failed cannot be saved: %v", id, err))
	}
}

// machineFailed reports whether the file system failed rather than the cell, as on a full disk.
func machineFailed(err error) bool {
	return input.Is[*fs.PathError](err) || input.Is[syscall.Errno](err)
}

// failed reports whether a cell has failed, and was not only cut short.
func failed(f *CellError, canceled error) bool {
	return f != nil && (canceled == nil || !errors.Is(f, canceled))
}

// joinFailures lists the failures, a cause that several cells share once. A cell that a
// cancellation cut short has not failed.
func joinFailures(failures []*CellError, canceled error) []error {
	reported := map[*train.BaseError]*CellError{}
	var out []error
	for _, f := range failures {
		if !failed(f, canceled) {
			continue
		}
		if shared, ok := errors.AsType[*train.BaseError](f); ok {
			if first := reported[shared]; first != nil {
				first.Others++
				first.Rest = append(first.Rest, f.Cell)
				continue
			}
			first := *f // another spec may report it too
			f = &first
			reported[shared] = f
		}
		out = append(out, f)
	}
	return out
}

// A CellError is the failure of one cell, or of several that share a cause: their base policy.
type CellError struct {
	Label  string
	Seed   int
	Cell   int   // its number in the plan, of RunAll in that of the first spec that has it
	Others int   // cells besides
	Rest   []int // their numbers
	Err    error
}

func (e *CellError) Error() string {
	suffix := ""
	if e.Others > 0 {
		suffix = " and " + plural.Count(e.Others, "other cell")
	}
	return fmt.Sprintf("%s, seed %d%s: %v", e.Label, e.Seed, suffix, e.Err)
}

// Unwrap gives the error itself.
func (e *CellError) Unwrap() error { return e.Err }

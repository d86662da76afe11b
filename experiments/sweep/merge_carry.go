package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/internal/atomicfile"
)

// This file merges what lies beside the cells: the states of unfinished ones, and why some
// failed. Without it, deleting a folder after it was merged would lose work.

// carry copies the states and failures of unfinished cells from the output folders into the
// folder of all cells. Of several states of one cell it takes the latest. Among states of
// one step, and among failures, it takes the first in the order of their bytes, so that
// neither number nor order of the folders matters.
func (m *Merged) carry(into string, from []string) error {
	best := map[string]*carried{} // by the name of the file
	for i, out := range append([]string{filepath.Dir(into)}, from...) {
		dir := filepath.Join(out, record.CellsDir)
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !e.Type().IsRegular() {
				continue
			}
			found, err := unfinished(into, dir, e.Name(), i == 0)
			if err != nil {
				return err
			}
			if found != nil && (best[e.Name()] == nil || found.before(best[e.Name()])) {
				best[e.Name()] = found
			}
		}
	}
	for name, k := range best {
		if strings.HasPrefix(name, cells.ResumePrefix) {
			m.Carried++
		} else {
			m.Failed++
		}
		if k.local {
			continue
		}
		if err := atomicfile.Write(filepath.Join(into, name), k.data); err != nil {
			return fmt.Errorf("cannot write results: %w", err)
		}
	}
	return nil
}

// unfinished reads a file of a folder of cells, the merged one if there; nil: it is no state
// or failure of a cell that is still to be run, or a run could not use it.
func unfinished(into, dir, name string, local bool) (*carried, error) {
	id, isState := strings.CutPrefix(name, cells.ResumePrefix)
	isFailure := false
	if !isState {
		id, isFailure = strings.CutPrefix(name, cells.FailedPrefix)
	}
	if !isState && !isFailure || !record.IsID(id) {
		return nil, nil
	}
	whole, _, err := record.Finished(filepath.Join(into, id), id) // a damaged cell is made again
	if err != nil {
		return nil, err
	}
	if whole {
		if local {
			cells.Forget(into, id)
		}
		return nil, nil
	}
	data, err := record.ReadBelow(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // a run has continued it
	}
	if err != nil {
		return nil, err
	}
	if isFailure {
		if _, err := cells.ParseFailure(data); err != nil {
			return nil, nil
		}
		return &carried{data: data, local: local}, nil
	}
	point, err := cells.ParsePoint(data)
	if err != nil || point.Cell != id {
		return nil, nil // a run would start over anyway
	}
	return &carried{data: data, step: point.Step, local: local}, nil
}

// carried is a state or a failure of an unfinished cell, from an output folder.
type carried struct {
	data  []byte
	step  int  // of the state
	local bool // it lies in the folder that is merged into
}

// before reports whether it is taken rather than another.
func (k *carried) before(rival *carried) bool {
	if k.step != rival.step {
		return k.step > rival.step
	}
	return bytes.Compare(k.data, rival.data) < 0
}

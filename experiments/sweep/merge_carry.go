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
	resumes, reasons := map[string]carried{}, map[string]carried{}
	for i, out := range append([]string{filepath.Dir(into)}, from...) {
		dir := filepath.Join(out, record.CellsDir)
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			for prefix, best := range map[string]map[string]carried{cells.ResumePrefix: resumes, cells.FailedPrefix: reasons} {
				id, ours := strings.CutPrefix(e.Name(), prefix)
				if !ours || !record.IsID(id) || !e.Type().IsRegular() {
					continue
				}
				whole, _, err := record.Finished(filepath.Join(into, id), id) // one that is damaged is made again
				if err != nil {
					return err
				}
				if whole {
					if i == 0 {
						cells.Forget(into, id)
					}
					continue
				}
				data, err := record.ReadBelow(dir, e.Name())
				if errors.Is(err, fs.ErrNotExist) {
					continue // a run has gone on with it
				}
				if err != nil {
					return err
				}
				found := carried{data: data, there: i == 0}
				if prefix == cells.ResumePrefix {
					point, err := cells.ParsePoint(data)
					if err != nil || point.Cell != id {
						continue // a run would start over anyway
					}
					found.step = point.Step
				} else if _, err := cells.ParseFailure(data); err != nil {
					continue
				}
				if other, ok := best[id]; !ok || found.before(other) {
					best[id] = found
				}
			}
		}
	}
	m.Carried, m.Failed = len(resumes), len(reasons)
	for prefix, best := range map[string]map[string]carried{cells.ResumePrefix: resumes, cells.FailedPrefix: reasons} {
		for id, k := range best {
			if k.there {
				continue
			}
			if err := atomicfile.Write(filepath.Join(into, prefix+id), k.data); err != nil {
				return fmt.Errorf("cannot write results: %w", err)
			}
		}
	}
	return nil
}

// carried is a state or a failure of an unfinished cell, from an output folder.
type carried struct {
	data  []byte
	step  int  // of the state
	there bool // it lies in the folder that is merged into
}

// before says whether it is taken rather than another.
func (k carried) before(other carried) bool {
	if k.step != other.step {
		return k.step > other.step
	}
	return bytes.Compare(k.data, other.data) < 0
}

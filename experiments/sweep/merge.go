package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/atomicfile"
	"modebench/internal/input"
)

// A Merged counts what a merge did.
type Merged struct {
	Copied  int
	There   int      // cells that were there already, with the same bytes
	Damaged []string // folders that differ from their DONE, and were left out
	Carried int      // unfinished cells that a run can continue
	Failed  int      // unfinished cells with a file that explains why they failed
	Notes   []string // lines: cells that began from other base policies than they should
}

// Merge copies the finished cells of output folders into one folder. A cell has the same
// bytes wherever it was run, so the result does not depend on the number of folders or their
// order. If two folders have a cell with different bytes, nothing is copied and the error
// names both.
func Merge(out string, from ...string) (*Merged, error) {
	into := filepath.Join(out, record.CellsDir)
	m := &Merged{}
	chosen, err := m.choose(into, from)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(into, 0o755); err != nil {
		return nil, fmt.Errorf("cannot write results: %w", err)
	}
	for _, dir := range chosen {
		if err := cells.Copy(into, dir); err != nil {
			return nil, err
		}
		m.Copied++
	}
	return m, m.carry(into, from)
}

// choose lists the folders to copy, and refuses cells that are not the same.
func (m *Merged) choose(into string, from []string) (chosen []string, err error) {
	known := map[string]string{} // folder by cell
	present := map[string]bool{}
	var conflicts []error
	var began cells.Bases
	for i, out := range append([]string{filepath.Dir(into)}, from...) {
		dirs, err := cells.List(out)
		if none := (*cells.NotOutput)(nil); errors.As(err, &none) {
			if i == 0 && errors.Is(none.Err, fs.ErrNotExist) {
				continue // it is made
			}
			return nil, input.Errorf("%w", err)
		}
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			whole, _, err := record.Finished(dir, filepath.Base(dir))
			if err != nil {
				return nil, err
			}
			first, repeated := known[filepath.Base(dir)]
			if base, ok := record.ReadBase(dir); ok && whole {
				if line := began.Began(dir, base); line != "" {
					m.Notes = append(m.Notes, line)
				}
			}
			switch {
			case !whole: // a whole folder takes its place
				m.Damaged = append(m.Damaged, dir)
			case !repeated:
				known[filepath.Base(dir)] = dir
				if i > 0 {
					chosen = append(chosen, dir)
				}
			default:
				equal, err := cells.Same(first, dir)
				if err != nil {
					return nil, err
				}
				if !equal {
					conflicts = append(conflicts, input.Errorf("%s and %s are one cell with different bytes", first, dir))
				} else if filepath.Dir(first) == into {
					present[first] = true
				}
			}
		}
	}
	if len(conflicts) > 0 {
		return nil, errors.Join(append(conflicts, input.Errorf("nothing was merged: keep the one of each that is right, and run the other again"))...)
	}
	m.There = len(present)
	m.Damaged = slices.DeleteFunc(m.Damaged, func(dir string) bool { return known[filepath.Base(dir)] != "" })
	return chosen, nil
}

// WriteManifest writes the manifest of an experiment whose cells are all finished, without running
// any: the same manifest as a run's. It is an error if a cell is missing.
func WriteManifest(ctx context.Context, s *spec.Spec, out string) (*record.Run, error) {
	p := &pool{cells: filepath.Join(out, record.CellsDir), opt: &Options{}}
	if err := p.plan(ctx, []*spec.Spec{s}); err != nil {
		return nil, err
	}
	if len(p.jobs) > 0 {
		var missing Numbers
		for _, j := range p.jobs {
			missing = append(missing, j.cell)
		}
		return nil, input.Errorf("%s: %d of %d cells are not finished in %s: %s", s.Name, len(p.jobs), len(s.Variants)*s.Seeds, out, missing)
	}
	return writeManifest(ctx, s, out, p.shares[0].manifest)
}

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

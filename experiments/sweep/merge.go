package sweep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

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

// Merge copies the finished cells of output folders into one folder. A cell has the same bytes
// wherever it was run, so the result does not depend on the number of folders or their order. If
// two folders have a cell with different bytes, nothing is copied and the error names both.
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

type choice struct {
	*Merged
	into      string
	chosen    []string          // to copy
	known     map[string]string // folder by cell
	present   map[string]bool   // folders of into that another folder has too
	conflicts []error
	began     cells.Bases
}

// choose lists the folders to copy, and refuses cells that are not the same.
func (m *Merged) choose(into string, from []string) ([]string, error) {
	c := choice{Merged: m, into: into, known: map[string]string{}, present: map[string]bool{}}
	for i, out := range append([]string{filepath.Dir(into)}, from...) {
		dirs, err := cells.List(out)
		if input.Is[*cells.NotOutput](err) {
			if i == 0 && errors.Is(err, fs.ErrNotExist) {
				continue // it is made
			}
			return nil, input.Errorf("%w", err)
		}
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			if err := c.look(dir); err != nil {
				return nil, err
			}
		}
	}
	if len(c.conflicts) > 0 {
		return nil, errors.Join(append(c.conflicts, input.Errorf("nothing was merged: keep the one of each that is right, and run the other again"))...)
	}
	m.There = len(c.present)
	m.Damaged = slices.DeleteFunc(m.Damaged, func(dir string) bool { return c.known[filepath.Base(dir)] != "" })
	return c.chosen, nil
}

// look compares the folder of a cell with those before it.
func (c *choice) look(dir string) error {
	id := filepath.Base(dir)
	whole, _, err := record.Finished(dir, id)
	if err != nil {
		return err
	}
	if !whole { // a whole folder takes its place
		c.Damaged = append(c.Damaged, dir)
		return nil
	}
	if base, ok := record.ReadBase(dir); ok {
		if line := c.began.Began(dir, base); line != "" {
			c.Notes = append(c.Notes, line)
		}
	}
	first, repeated := c.known[id]
	if !repeated {
		c.known[id] = dir
		if filepath.Dir(dir) != c.into {
			c.chosen = append(c.chosen, dir)
		}
		return nil
	}
	equal, err := cells.Same(first, dir)
	if err == nil && !equal {
		c.conflicts = append(c.conflicts, input.Errorf("%s and %s are one cell with different bytes", first, dir))
	} else if err == nil && filepath.Dir(first) == c.into {
		c.present[first] = true
	}
	return err
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

// carry copies the states and failures of unfinished cells into the folder of all cells: of a cell
// the latest state, and else the first in the order of their bytes, so that neither number nor
// order of the folders matters.
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
		if k.isState {
			m.Carried++
		} else {
			m.Failed++
		}
		if !k.local {
			if err := atomicfile.Write(filepath.Join(into, name), k.data); err != nil {
				return fmt.Errorf("cannot write results: %w", err)
			}
		}
	}
	return nil
}

// unfinished reads a state or a failure of a cell that is still to be run; nil: it is
// of no use.
func unfinished(into, dir, name string, local bool) (*carried, error) {
	id, isState, ok := cells.Beside(name)
	if !ok {
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
	k := &carried{data: data, isState: isState, local: local}
	if !isState {
		_, err = cells.ParseFailure(data)
	} else if point, failed := cells.ParsePoint(data); failed != nil || point.Cell != id {
		return nil, nil // a run would start over anyway
	} else {
		k.step = point.Step
	}
	if err != nil {
		return nil, nil
	}
	return k, nil
}

// carried is a state or a failure of an unfinished cell, from an output folder.
type carried struct {
	data    []byte
	isState bool
	step    int  // of the state
	local   bool // it lies in the folder that is merged into
}

// before reports whether it is taken rather than another.
func (k *carried) before(rival *carried) bool {
	return cmp.Or(rival.step-k.step, bytes.Compare(k.data, rival.data)) < 0
}

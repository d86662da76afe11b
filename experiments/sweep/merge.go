package sweep

import (
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

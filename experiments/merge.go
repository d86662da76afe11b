package experiments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"modebench/experiments/record"
	"modebench/internal/input"
)

// A Merged is what a merge did.
type Merged struct {
	Copied  int
	There   int      // cells that were there already, with the same bytes
	Damaged []string // folders that are not what their DONE says, and were left out
	Carried int      // cells that are not finished anywhere, and can be gone on with
	Failed  int      // that are not either, and of which it is known why they failed
}

// Merge copies the finished cells of output folders into another one. What comes out does
// not depend on how many there are nor on their order, for a cell has the same bytes
// wherever it was run. If one has not, nothing is copied, and the error names both
// folders.
func Merge(out string, from ...string) (*Merged, error) {
	into := filepath.Join(out, CellsDir)
	m := &Merged{}
	chosen, err := m.choose(into, from)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(into, 0o755); err != nil {
		return nil, fmt.Errorf("cannot write results: %w", err)
	}
	for _, dir := range chosen {
		if err := copyCell(into, dir); err != nil {
			return nil, err
		}
		m.Copied++
	}
	return m, m.carry(into, from)
}

// choose lists the folders to copy, and refuses cells that are not the same.
func (m *Merged) choose(into string, from []string) (chosen []string, err error) {
	known := map[string]string{} // folder by cell
	there := map[string]bool{}
	var conflicts []error
	for i, out := range append([]string{filepath.Dir(into)}, from...) {
		dirs, err := cellsIn(out)
		if none := (*notOutput)(nil); errors.As(err, &none) {
			if i == 0 && errors.Is(none.err, fs.ErrNotExist) {
				continue // it is made
			}
			return nil, input.Errorf("%w", err)
		}
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			whole, _, err := finished(dir, filepath.Base(dir))
			if err != nil {
				return nil, err
			}
			first, seen := known[filepath.Base(dir)]
			switch {
			case !whole: // one that is whole takes its place
				m.Damaged = append(m.Damaged, dir)
			case !seen:
				known[filepath.Base(dir)] = dir
				if i > 0 {
					chosen = append(chosen, dir)
				}
			default:
				same, err := sameFile(filepath.Join(first, record.DoneFile), filepath.Join(dir, record.DoneFile))
				if err != nil {
					return nil, err
				}
				if !same {
					conflicts = append(conflicts, input.Errorf("%s and %s are one cell with other bytes", first, dir))
				} else if filepath.Dir(first) == into {
					there[first] = true
				}
			}
		}
	}
	if len(conflicts) > 0 {
		return nil, errors.Join(append(conflicts, input.Errorf("nothing was merged: keep the one of each that is right, and run the other again"))...)
	}
	m.There = len(there)
	m.Damaged = slices.DeleteFunc(m.Damaged, func(dir string) bool { return known[filepath.Base(dir)] != "" })
	return chosen, nil
}

// A notOutput is a folder that no run has written to.
type notOutput struct {
	dir string
	err error
}

func (e *notOutput) Error() string {
	return fmt.Sprintf("%s holds no %s: not an output folder of bench run (the one of --out, not OUT/SPEC)", e.dir, CellsDir)
}

// cellsIn lists the folders of an output folder's cells, in order.
func cellsIn(out string) ([]string, error) {
	cells := filepath.Join(out, CellsDir)
	entries, err := os.ReadDir(cells)
	if err != nil {
		if record.Missing(err) {
			return nil, &notOutput{out, err}
		}
		return nil, err
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() && isCellID(e.Name()) {
			dirs = append(dirs, filepath.Join(cells, e.Name()))
		}
	}
	return dirs, nil
}

func sameFile(a, b string) (bool, error) {
	x, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	y, err := os.ReadFile(b)
	return bytes.Equal(x, y), err
}

// copyCell copies a cell as one is made: under another name, and checked before it gets
// its own.
func copyCell(into, dir string) (err error) {
	id := filepath.Base(dir)
	partial, err := os.MkdirTemp(into, ".partial-"+id+"-")
	if err != nil {
		return fmt.Errorf("cannot write results: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(partial))
		}
	}()
	if err := os.Chmod(partial, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	names := []string{record.DoneFile} // last
	for _, e := range entries {
		if e.Type().IsRegular() && isRecordFile(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.Reverse(names)
	for _, name := range names {
		if err := copyFile(filepath.Join(partial, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	if whole, _, err := finished(partial, id); err != nil || !whole {
		return errors.Join(err, fmt.Errorf("%s changed while it was copied; merge again", dir))
	}
	if err := moveInto(partial, filepath.Join(into, id)); err != nil {
		return err
	}
	forget(into, id)
	return nil
}

// isRecordFile says whether a file of a cell's folder, other than DONE, is one of the
// cell's.
func isRecordFile(name string) bool {
	return slices.Contains(record.Vouched, name) || name == record.ProvenanceFile
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	return first(err, f.Sync(), f.Close())
}

// WriteManifest writes the manifest of an experiment whose cells are all there, without
// running any: what a run that finds them finished would write.
func (s *Spec) WriteManifest(out string) (*record.Run, error) {
	p := &pool{cells: filepath.Join(out, CellsDir), opt: &Options{}}
	if err := p.plan(context.Background(), []*Spec{s}); err != nil {
		return nil, err
	}
	if len(p.jobs) > 0 {
		var missing Numbers
		for _, j := range p.jobs {
			missing = append(missing, j.cell)
		}
		return nil, input.Errorf("%s: %d of %d cells are not finished in %s: %s", s.Name, len(p.jobs), len(s.Variants)*s.Seeds, out, missing)
	}
	return s.writeManifest(out, p.shares[0].manifest)
}

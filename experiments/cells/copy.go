package cells

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"modebench/experiments/record"
)

// A NotOutput is the error about a folder that no run has written to.
type NotOutput struct {
	dir string
	err error
}

func (e *NotOutput) Error() string {
	return fmt.Sprintf("%s holds no %s: not an output folder of bench run (the one of --out, not OUT/SPEC)", e.dir, record.CellsDir)
}

// Unwrap gives the error of reading the folder.
func (e *NotOutput) Unwrap() error { return e.err }

// List lists the folders of an output folder's cells, in order. A folder without cells is a
// *NotOutput.
func List(out string) ([]string, error) {
	if err := record.CheckCells(out); err != nil {
		return nil, err
	}
	cells := filepath.Join(out, record.CellsDir)
	entries, err := os.ReadDir(cells)
	if err != nil {
		if record.Missing(err) {
			return nil, &NotOutput{out, err}
		}
		return nil, err
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() && record.IsID(e.Name()) {
			dirs = append(dirs, filepath.Join(cells, e.Name()))
		}
	}
	return dirs, nil
}

// Same reports whether two folders of one finished cell hold the same bytes, judged by the
// hashes in their DONE files.
func Same(a, b string) (bool, error) {
	x, err := record.ReadBelow(a, record.DoneFile)
	if err != nil {
		return false, err
	}
	y, err := record.ReadBelow(b, record.DoneFile)
	return bytes.Equal(x, y), err
}

// Copy copies a cell the way a cell is made: under another name, and checked before it
// gets its own.
func Copy(into, dir string) (err error) {
	id := filepath.Base(dir)
	place, err := NewPartial(into, id)
	if err != nil {
		return fmt.Errorf("cannot write results: %w", err)
	}
	defer func() { err = errors.Join(err, place.Remove()) }()
	partial := place.Path
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	names := []string{record.DoneFile} // last
	for _, e := range entries {
		if e.Type().IsRegular() && (slices.Contains(record.Vouched, e.Name()) || e.Name() == record.ProvenanceFile) {
			names = append(names, e.Name())
		}
	}
	slices.Reverse(names)
	for _, name := range names {
		if err := copyFile(partial, dir, name); err != nil {
			return err
		}
	}
	if whole, _, err := record.Finished(partial, id); err != nil || !whole {
		return errors.Join(err, fmt.Errorf("%s changed while it was copied; merge again", dir))
	}
	if err := MoveInto(partial, filepath.Join(into, id)); err != nil {
		return err
	}
	Forget(into, id)
	return nil
}

func copyFile(to, from, name string) error {
	in, err := record.OpenBelow(from, name)
	if err != nil {
		return err
	}
	defer in.Close()
	f, err := os.Create(filepath.Join(to, name))
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	return cmp.Or(err, f.Sync(), f.Close())
}

package cells

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/atomicfile"
	"modebench/internal/scratch"
)

// ResumePrefix is before the ID of a cell in the name of the file that holds its state (a Point).
const ResumePrefix = ".resume-"

// MoveInto gives the finished folder its name. If a finished cell has the name already (another
// process was faster), that one stays: it holds the same bytes. A damaged one is replaced. Several
// processes may do this at once, so it tries again when another got in between.
func MoveInto(partial, dir string) error {
	err := atomicfile.SyncDir(partial)
	if err != nil {
		return err
	}
	for attempt := range 10 {
		if err = os.Rename(partial, dir); err == nil {
			return atomicfile.SyncDir(filepath.Dir(dir))
		}
		whole, _, look := record.Finished(dir, filepath.Base(dir))
		if look != nil || whole {
			return errors.Join(look, os.RemoveAll(partial))
		}
		damaged := fmt.Sprintf("%s.damaged%d", partial, attempt)
		if move := os.Rename(dir, damaged); move == nil {
			if remove := os.RemoveAll(damaged); remove != nil {
				return remove
			}
		} else if !errors.Is(move, fs.ErrNotExist) {
			return move
		}
	}
	return err
}

// WriteFile writes a file and waits until it is on the disk.
func WriteFile(path string, data []byte) error {
	return WriteTo(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteJSON writes a value as indented JSON.
func WriteJSON(path string, v any) error { return WriteTo(path, JSON(v)) }

// JSON writes a value as indented JSON, as the function that WriteTo and Fill take.
func JSON(v any) func(io.Writer) error {
	return func(w io.Writer) error {
		text, err := json.MarshalIndent(v, "", "  ")
		if err == nil {
			_, err = w.Write(append(text, '\n'))
		}
		return err
	}
}

// WriteDone writes the hashes of the other files in a cell's folder.
func WriteDone(dir string) error {
	done, err := record.HashFiles(dir)
	if err != nil {
		return err
	}
	return WriteFile(filepath.Join(dir, record.DoneFile), done)
}

// WriteTo is WriteFile of the output of write.
func WriteTo(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return Fill(f, write)
}

// A File is one of a cell's: on the disk, or in memory.
type File interface {
	io.WriteCloser
	Sync() error
}

// Fill writes a file, waits until it is on the disk, and closes it.
func Fill(f File, write func(io.Writer) error) error {
	return cmp.Or(write(f), f.Sync(), f.Close())
}

// Probe reports whether a folder can be written to, before any work is done for it.
func Probe(dir string) error {
	place, err := scratch.Dir(dir, scratch.Hidden)
	if err != nil {
		return err
	}
	return place.Remove()
}

// NewPartial makes the folder that a cell's records are written into before they are
// whole, and that MoveInto gives its name.
func NewPartial(cells, id string) (*scratch.Place, error) {
	return scratch.Shown(cells, scratch.Hidden+id+"-")
}

// Beside takes apart the name of a file beside the cells: the ID of its cell, and whether it holds
// the cell's state, or else its failure. ok is false for other names.
func Beside(name string) (id string, isState, ok bool) {
	if id, isState = strings.CutPrefix(name, ResumePrefix); !isState {
		id, ok = strings.CutPrefix(name, FailedPrefix)
	}
	return id, isState, (isState || ok) && record.IsID(id)
}

// Forget removes the state and the failure of a cell that is finished. Files that cannot be removed
// do no harm.
func Forget(cells, id string) {
	for _, prefix := range []string{ResumePrefix, FailedPrefix} {
		_ = os.Remove(filepath.Join(cells, prefix+id))
	}
}

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

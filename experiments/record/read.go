package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"modebench/internal/strictjson"
	"modebench/internal/visible"
)

// A Run is an experiment's manifest and the folder it was read from. In a Run from Open, every file
// of a cell is checked against the cell's DONE when it is read. In a Run that has just been made,
// the cells have been checked already.
type Run struct {
	Manifest
	Dir    string
	opened bool
}

func experimentsIn(dir string) []string {
	const limit = 5
	found, _ := filepath.Glob(filepath.Join(dir, "*", ManifestFile)) // none where dir reads as a pattern
	var out []string
	for i, path := range found {
		if i == limit {
			return append(out, "others")
		}
		out = append(out, visible.Text(filepath.Dir(path)))
	}
	return out
}

// Open reads the manifest in dir. It is an error if the folder is not there, or if it holds
// no manifest, only a plan, a manifest of another results version, one whose names and
// references could lead out of its folders, or one with an unknown kind of claim. Open makes
// control characters in its texts visible.
func Open(dir string) (*Run, error) {
	path := filepath.Join(dir, ManifestFile)
	data, err := ReadBelow(dir, ManifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: no such folder", dir)
		}
		if _, err := os.Stat(filepath.Join(dir, PlanFile)); err == nil {
			return nil, fmt.Errorf("%s holds no %s yet: it is written once all cells are there (bench status %[1]s lists those that are missing)", dir, ManifestFile)
		}
		hint := "bench run writes OUT/SPEC"
		if inside := experimentsIn(dir); len(inside) > 0 {
			hint = "in it are those of " + strings.Join(inside, ", ")
		}
		return nil, fmt.Errorf("%s holds no %s: not the folder of an experiment (%s)", dir, ManifestFile, hint)
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("%s is no folder: want that of an experiment (bench run writes OUT/SPEC)", dir)
	}
	if err != nil {
		return nil, err
	}
	run := &Run{Dir: dir, opened: true}
	if err := Decode(path, data, &run.Manifest); err != nil {
		return nil, err
	}
	if run.Version == Version && (run.Spec == "" || len(run.Variants) == 0) {
		return nil, fmt.Errorf("%s: not a manifest: it names no spec or no variants", path)
	}
	if run.Version != Version {
		return nil, fmt.Errorf("%s: results version %d, this program reads version %d: run the experiment again", path, run.Version, Version)
	}
	return run.checked(path)
}

// OpenPart opens a run of the finished cells of an experiment while others are unfinished and there
// is no manifest to open: m is its future manifest, and path the file that m is from. The run is
// checked as Open checks one.
func OpenPart(dir, path string, m Manifest) (*Run, error) {
	run := &Run{Manifest: m, Dir: dir, opened: true}
	return run.checked(path)
}

// checked is the run with visible texts, if nothing in it could lead out of its folders.
func (r *Run) checked(path string) (*Run, error) {
	if err := r.checkNames(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range r.Claims {
		if err := r.Claims[i].check(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	visible.All(&r.Manifest)
	if err := CheckCells(filepath.Join(r.Dir, "..")); err != nil {
		return nil, err
	}
	return r, nil
}

// Folder is the folder of one of the run's cells.
func (r *Run) Folder(ref Ref) string { return filepath.Join(r.Dir, r.Cells, ref.ID) }

// File reads a file of a cell as it is, through ReadBelow.
func (r *Run) File(ref Ref, name string) ([]byte, error) {
	return ReadBelow(filepath.Join(r.Dir, r.Cells), ref.ID, name)
}

// Has reports whether a cell has a file that File reads.
func (r *Run) Has(ref Ref, name string) bool {
	return FindBelow(filepath.Join(r.Dir, r.Cells), ref.ID, name) == nil
}

// Cell reads the resolved fields of a cell.
func (r *Run) Cell(ref Ref) (Cell, error) {
	return vouched(r, ref, CellFile, func(path string, data []byte) (cell Cell, err error) {
		err = Decode(path, data, &cell)
		return cell, err
	})
}

// Decode decodes a file of one JSON value, strictly; an error names file and place.
func Decode(path string, data []byte, v any) error {
	if err := strictjson.CheckSyntax(data); err != nil {
		return fmt.Errorf("%s:%w", path, err)
	}
	if err := strictjson.Decode(data, "", v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Trains reads the training records of a cell.
func (r *Run) Trains(ref Ref) ([]Train, error) {
	return vouched(r, ref, TrainFile, lines[Train])
}

// Evals reads the evaluation records of a cell. The names of metrics are visible, as the texts
// of a manifest are.
func (r *Run) Evals(ref Ref) ([]Eval, error) {
	evals, err := vouched(r, ref, EvalFile, lines[Eval])
	for i := range evals {
		for name, x := range evals[i].Metrics {
			if !visible.Is(name) {
				delete(evals[i].Metrics, name)
				evals[i].Metrics[visible.Text(name)] = x
			}
		}
	}
	return evals, err
}

// Timings reads the times of a cell's steps; ok is false if they are unknown.
func (r *Run) Timings(ref Ref) (t Timings, ok bool, err error) {
	data, err := r.File(ref, ProvenanceFile)
	if errors.Is(err, fs.ErrNotExist) {
		return t, false, nil
	}
	if err != nil {
		return t, false, err
	}
	var doc struct{ Timings *Timings }
	if err := json.Unmarshal(data, &doc); err != nil {
		return t, false, fmt.Errorf("%s: %w", filepath.Join(r.Folder(ref), ProvenanceFile), err)
	}
	if doc.Timings == nil {
		return t, false, nil
	}
	return *doc.Timings, true, nil
}

func lines[T any](path string, data []byte) ([]T, error) {
	if len(data) > 0 && data[len(data)-1] != '\n' {
		return nil, fmt.Errorf("%s: the last line is cut off: run the experiment again", path)
	}
	var out []T
	for i, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		if len(data) == 0 {
			break
		}
		var rec T
		if err := strictjson.Decode(line, "", &rec); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
		out = append(out, rec)
	}
	return out, nil
}

// vouched reads a file of a cell and decodes it. In a run that was opened it also has to
// have the hash in DONE. If it does not decode, the error names the line instead.
func vouched[T any](r *Run, ref Ref, name string, decode func(path string, data []byte) (T, error)) (out T, err error) {
	path := filepath.Join(r.Folder(ref), name)
	data, err := r.File(ref, name)
	if !r.opened {
		if err != nil {
			return out, err
		}
		return decode(path, data)
	}
	missing := Missing(err)
	if err == nil {
		out, err = decode(path, data)
	}
	if err != nil && !missing {
		return out, err
	}
	sums, damage := readDone(r.Folder(ref), ref.ID)
	switch {
	case damage != nil:
		return out, damage
	case !missing:
		return out, sums.check(path, data)
	case name == PoolsFile && !sums.lists(name):
		return out, err
	}
	return out, gone(path, err)
}

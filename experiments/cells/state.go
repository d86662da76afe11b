package cells

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modebench/experiments/record"
	"modebench/internal/scratch"
)

// A State is the progress of a cell.
type State int

// The states of a cell, in the order in which a status lists them.
const (
	Finished  State = iota
	Running         // a process works on it
	Failed          // when it was last run
	Resumable       // it was cut short, and a run can continue it
	Missing
	States int = iota // how many there are
)

// String is the state in a word.
func (s State) String() string {
	return [...]string{"finished", "running", "failed", "resumable", "missing"}[s]
}

// While a cell is being made its folder is locked, so that others see that a process works on
// it. It is touched again and again too, for processes that cannot see the lock: on another
// machine, or on a file system without locks.
const (
	beatEvery = 20 * time.Second
	aliveFor  = 90 * time.Second
)

// Beat touches the folder until stop is called.
func Beat(dir string) (stop func()) {
	done := make(chan struct{})
	ticker := time.NewTicker(beatEvery)
	go func() {
		for {
			select {
			case <-ticker.C:
				t := time.Now()
				_ = os.Chtimes(dir, t, t) // if it fails, other processes take the cell for abandoned
			case <-done:
				return
			}
		}
	}()
	return func() { ticker.Stop(); close(done) }
}

// A Folder is a listing of the folder of all cells, made at one moment.
type Folder struct {
	dir     string
	running map[string]bool // IDs of cells
	names   map[string]bool // of everything else that is there
}

// partialOf is the ID of the cell whose unfinished records a folder holds.
func partialOf(name string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(name, scratch.Hidden)
	if i := strings.LastIndexByte(rest, '-'); ok && i >= 0 && record.IsID(rest[:i]) {
		return rest[:i], true
	}
	return "", false
}

// Look lists the folder of all cells. A folder that does not exist is empty.
func Look(dir string) (*Folder, error) {
	f := &Folder{dir: dir, running: map[string]bool{}, names: map[string]bool{}}
	if err := record.CheckCells(filepath.Dir(dir)); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil // nothing has been run
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		id, partial := partialOf(e.Name())
		if !partial {
			f.names[e.Name()] = true
			continue
		}
		if e.IsDir() && worked(filepath.Join(dir, e.Name())) {
			f.running[id] = true
		}
	}
	return f, nil
}

// worked reports whether a process works in a folder of unfinished records.
func worked(path string) bool {
	if held, known := scratch.InUse(path); known {
		return held
	}
	info, err := os.Stat(path)
	return err == nil && time.Since(info.ModTime()) < aliveFor // else it has gone
}

// ended reports whether the file that is written last is there.
func (f *Folder) ended(id string) (whole bool, why string, err error) {
	err = record.FindBelow(f.dir, id, record.DoneFile)
	if bad, ok := errors.AsType[*record.DamageError](err); ok {
		return false, bad.File + ": " + bad.What, nil
	}
	if record.Missing(err) {
		return false, "", nil
	}
	return err == nil, "", err
}

// State returns the state of a cell. A folder gets the cell's name when it is whole, so the
// file that is written last is enough to see that it is finished; verify reads all of it.
func (f *Folder) State(id string, verify bool) (state State, why string, err error) {
	if f.names[id] {
		whole := false
		if verify {
			whole, why, err = record.Finished(filepath.Join(f.dir, id), id)
		} else {
			whole, why, err = f.ended(id)
		}
		if whole || err != nil {
			return Finished, "", err
		} // else why is its fault
	}
	switch {
	case f.running[id]:
		return Running, "", nil
	case f.names[FailedPrefix+id]:
		if why, ok := readFailure(f.dir, id); ok {
			return Failed, why, nil
		}
	}
	if f.names[ResumePrefix+id] {
		return Resumable, "", nil
	}
	return Missing, why, nil
}

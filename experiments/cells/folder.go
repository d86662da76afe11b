package cells

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modebench/experiments/record"
	"modebench/internal/atomicfile"
)

// ResumePrefix is before the ID of a cell in the name of the file that holds its state (a
// Point).
const ResumePrefix = ".resume-"

// MoveInto gives the finished folder its name. If a finished cell has the name already
// (another process was faster), that one stays: it holds the same bytes. A damaged one is
// replaced. Several processes may do this at once, so it tries again when another got in
// between.
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
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return cmp.Or(err, f.Sync(), f.Close())
}

// abandonedAfter is how long nobody may have written to a folder of unfinished records
// before it counts as left over from a killed run: until then another process may still be
// writing to it.
const abandonedAfter = 24 * time.Hour

// ClearPartial removes what killed runs left behind.
func ClearPartial(cells string) error {
	entries, err := os.ReadDir(cells)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".partial-") && !strings.HasPrefix(e.Name(), ".probe-") {
			continue
		}
		path := filepath.Join(cells, e.Name())
		if !Abandoned(path) {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

// Abandoned says that a file or folder exists and that nobody writes to it any more.
func Abandoned(path string) bool {
	touched, err := lastTouched(path)
	return err == nil && time.Since(touched) >= abandonedAfter
}

// lastTouched is the latest modification of a folder or of a file in it.
func lastTouched(dir string) (time.Time, error) {
	var latest time.Time
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(latest) {
			latest = info.ModTime()
		}
		return err
	})
	return latest, err
}

// Probe says whether cells can be written, before any is trained.
func Probe(cells string) error {
	dir, err := os.MkdirTemp(cells, ".probe-")
	if err != nil {
		return err
	}
	return os.Remove(dir)
}

// Forget removes the state and the failure of a cell that is finished. What cannot be
// removed does no harm.
func Forget(cells, id string) {
	for _, prefix := range []string{ResumePrefix, FailedPrefix} {
		_ = os.Remove(filepath.Join(cells, prefix+id))
	}
}

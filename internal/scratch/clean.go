package scratch

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"
)

// locked matches the names in a folder that belong to a place with a lock: the name of the
// place, the machine that made it, and the rest of the name.
var locked = regexp.MustCompile(`^((?:\.partial|modebench)-(?:.+-)?([0-9a-f]{8})x[0-9a-f]{16})(?:\..*)?$`)

// plain matches the names of files and folders without a lock, here or of a program that knew
// no locks. Its groups are the cell of a folder of records, and the purpose of a folder: the
// library that draws PDFs prepares fonts in one. Anything else with such a name may be another
// program's, so a folder goes only if it is empty.
var plain = regexp.MustCompile(`^(?:\.(?:partial|probe)-([a-z0-9][a-z0-9+@.-]*-s[0-9]+-[0-9a-f]{12}-)?|modebench-(check|plugin)-|gofpdf-(makefont)-)[0-9]+(?:\.damaged[0-9])?$`)

// abandonedAfter is how long a left-over must have lain untouched where no lock can tell.
const abandonedAfter = 24 * time.Hour

// fontsAfter is the same of fonts for a PDF, which take milliseconds to prepare.
const fontsAfter = time.Minute

var cleaned sync.Map // folders, by path

func cleanOnce(parent string) {
	if _, done := cleaned.Load(parent); !done {
		Clean(parent)
	}
}

// Clean removes from a folder the left-overs of processes that have ended, of this package and
// of programs before it. A lock that no process holds marks them; without a lock, on a file
// system without locks, and of another machine, whose locks may not be visible here, they must
// have lain untouched for a day too. A file that cannot be removed stays, and is no error.
func Clean(parent string) {
	cleaned.Store(parent, true)
	entries, _ := os.ReadDir(parent)
	places := map[string][]string{} // the paths of each
	for _, e := range entries {
		path := filepath.Join(parent, e.Name())
		if m := locked.FindStringSubmatch(e.Name()); m != nil {
			places[m[1]] = append(places[m[1]], path)
		} else if m := plain.FindStringSubmatch(e.Name()); m != nil {
			after := abandonedAfter
			if m[3] != "" {
				after = fontsAfter
			}
			if !abandoned(after, path) {
				continue
			}
			if m[1]+m[2]+m[3] != "" {
				_ = os.RemoveAll(path)
			} else {
				_ = os.Remove(path)
			}
		}
	}
	for name, paths := range places {
		foreign := locked.FindStringSubmatch(name)[2] != machine()
		cleanPlace(filepath.Join(parent, name+lockSuffix), paths, foreign)
	}
}

// cleanPlace removes the paths of a place if no process holds its lock. Its process removes it last.
func cleanPlace(path string, paths []string, foreign bool) {
	if foreign && !abandoned(abandonedAfter, paths...) {
		return
	}
	lock, err := openLock(path)
	if err != nil && !os.IsNotExist(err) {
		return
	}
	if lock != nil {
		held, err := takeLock(lock, false)
		if err == nil && !held || err != nil && !abandoned(abandonedAfter, paths...) {
			lock.Close()
			return
		}
	}
	left := false
	for _, p := range paths {
		left = p != path && os.RemoveAll(p) != nil || left
	}
	switch {
	case lock == nil:
	case left: // for somebody who may
		lock.Close()
	default:
		drop(lock)
	}
}

func openLock(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrInvalid
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|unfollowed, 0)
	if os.IsPermission(err) { // another user's
		f, err = os.OpenFile(path, os.O_RDONLY|unfollowed, 0)
	}
	return f, err
}

// abandoned reports whether these, and all in them, were last changed longer ago than after.
func abandoned(after time.Duration, paths ...string) bool {
	var latest time.Time
	for _, path := range paths {
		err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil && info.ModTime().After(latest) {
				latest = info.ModTime()
			}
			return err
		})
		if err != nil {
			return false // it is changing, or not ours to look at
		}
	}
	return time.Since(latest) >= after
}

// machine tells machines that share folders apart; one without a name is foreign to all.
var machine = sync.OnceValue(func() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		name = string(random())
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:4])
})

// InUse reports whether a process holds the place of a file or folder, by its lock. known is
// false if no lock can show it: for a name without a lock, on a file system without locks, and
// if another machine made it, whose locks may not be visible here.
func InUse(path string) (held, known bool) {
	m := locked.FindStringSubmatch(filepath.Base(path))
	if m == nil || m[2] != machine() {
		return false, false
	}
	lock, err := openLock(filepath.Join(filepath.Dir(path), m[1]+lockSuffix))
	if os.IsNotExist(err) {
		return false, true // its process has removed it, which is the last thing that it does
	}
	if err != nil {
		return false, false
	}
	defer lock.Close()
	// Shared, so that several may look at once: only its holder is in the way.
	free, err := takeLock(lock, true)
	return err == nil && !free, err == nil
}

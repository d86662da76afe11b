package scratch

import (
	"os"
	"path/filepath"
)

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
	free, err := shareLock(lock)
	return err == nil && !free, err == nil
}

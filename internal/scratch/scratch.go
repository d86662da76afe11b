// Package scratch makes temporary files and folders that the next process removes where
// their own has ended without doing so.
//
// Beside each lies a lock file, NAME.lock. The kernel gives the lock back when the process ends,
// however it ends. So a place that no process holds is a left-over, a minute old or a year, and a
// place of a suspended process is not. Programs that are started do not inherit the lock.
//
// The order of things keeps that true at every moment: the lock is made first and removed
// last, and it counts only if the file of its name is still the locked file.
package scratch

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Hidden begins the names of files and folders beside the user's.
const Hidden = ".partial-"

const lockSuffix = ".lock"

// A Place is the name of a temporary file or folder. Other names that begin with it and a
// dot are covered by its lock too.
type Place struct {
	Path string
	lock *os.File // nil: the file system has no locks, and age has to do
}

// Dir makes a folder for this user alone (mode 0700) in the folder parent. Its name begins
// with prefix: Hidden and more, or Named of something. The first time that a process makes
// anything in parent, it cleans up there. Errors are *fs.PathErrors that name parent.
func Dir(parent, prefix string) (*Place, error) { return dir(parent, prefix, 0o700) }

// Shown is Dir of a folder that is to get another name: it is for those whom the umask admits.
func Shown(parent, prefix string) (*Place, error) { return dir(parent, prefix, 0o777) }

func dir(parent, prefix string, mode fs.FileMode) (*Place, error) {
	p, err := claim(parent, prefix)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(p.Path, mode); err != nil {
		return nil, p.failed(err)
	}
	return p, nil
}

// File makes a file in the folder parent, as Dir makes a folder, for those whom the umask
// admits: it is to get another name. The caller closes it.
func File(parent, prefix string) (*Place, *os.File, error) {
	p, err := claim(parent, prefix)
	if err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(p.Path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, nil, p.failed(err)
	}
	return p, f, nil
}

// Remove removes the file or folder that still has the name of the place, with all that is in
// it, and gives the lock back. If it was moved to another name it stays. An error is of the
// place alone.
func (p *Place) Remove() error {
	err := os.RemoveAll(p.Path)
	if p.lock != nil {
		drop(p.lock)
		p.lock = nil
	}
	return err
}

// Named begins the names of files and folders in a shared folder, such as os.TempDir.
func Named(purpose string) string { return "modebench-" + purpose + "-" }

// attempts is how often a name is tried for: only a process that cleans up just then can take it.
const attempts = 100

// claim finds a name and locks it. Nothing has the name yet.
func claim(parent, prefix string) (*Place, error) {
	cleanOnce(parent)
	for range attempts {
		path := filepath.Join(parent, prefix+newToken())
		lock, err := makeLock(path + lockSuffix)
		switch {
		case errors.Is(err, errNoLocks):
			return &Place{Path: filepath.Join(parent, prefix+plainToken())}, nil
		case err != nil:
			return nil, inParent(parent, err)
		case lock != nil:
			return &Place{path, lock}, nil
		}
	}
	return nil, inParent(parent, fs.ErrExist)
}

var errNoLocks = errors.New("the file system has no locks")

// makeLock makes a lock file and takes its lock; nil where somebody else took it first.
func makeLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	held, err := takeLock(f, false)
	switch {
	case err != nil:
		drop(f)
		return nil, errNoLocks
	case held && isNamed(f, path):
		return f, nil
	}
	f.Close() // whoever cleans up here has it, or has removed it
	return nil, nil
}

func isNamed(f *os.File, path string) bool {
	is, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(is, named)
}

// drop removes a lock file and gives the lock back. A file that is open can be removed
// before that, so that no process takes a lock that is about to go; on Windows it cannot, but
// there no process removes a file that another process has open.
func drop(lock *os.File) {
	removed := os.Remove(lock.Name())
	lock.Close()
	if removed != nil {
		_ = os.Remove(lock.Name()) // else the next process does
	}
}

// failed gives the name back and returns the error in terms of the folder.
func (p *Place) failed(err error) error {
	_ = p.Remove()
	return inParent(filepath.Dir(p.Path), err)
}

// inParent words an error by the folder: users do not know temporary names.
func inParent(parent string, err error) error {
	if inPath, ok := errors.AsType[*fs.PathError](err); ok {
		err = inPath.Err
	}
	return &fs.PathError{Op: "write to", Path: parent, Err: err}
}

// newToken ends the name of a place with a lock: the machine, and random digits.
func newToken() string { return machine() + "x" + hex.EncodeToString(random()) }

// plainToken ends the name of a place without a lock, as before there were locks.
func plainToken() string { return fmt.Sprint(binary.LittleEndian.Uint64(random())) }

func random() []byte {
	b := make([]byte, 8)
	rand.Read(b) // never fails
	return b
}

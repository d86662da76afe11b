package scratch

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

const unfollowed = 0

// tryLock takes the lock of an open file, if no process has it. The lock goes when the file is
// closed. An error means that locks do not work here.
func tryLock(f *os.File) (held bool, err error) {
	return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK)
}

// shareLock takes the lock together with others that share it, if no process has it alone.
func shareLock(f *os.File) (held bool, err error) { return lockFile(f, 0) }

func lockFile(f *os.File, how uint32) (held bool, err error) {
	const all = math.MaxUint32
	err = windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, all, all, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

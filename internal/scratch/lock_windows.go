package scratch

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

const unfollowed = 0

// takeLock takes the lock of an open file if no process has it, shared: if no process has it alone.
// The lock goes when the file is closed. An error means that locks do not work here.
func takeLock(f *os.File, shared bool) (held bool, err error) {
	const all = math.MaxUint32
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if !shared {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), how, 0, all, all, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

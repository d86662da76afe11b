//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package scratch

import (
	"errors"
	"os"
	"syscall"
)

// unfollowed opens the file of that name itself, not a link's target, and does not wait for a pipe.
const unfollowed = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// takeLock takes the lock of an open file if no process has it, shared: if no process has it alone.
// The lock belongs to the open file: another open file of the same process does not have it, and it
// goes when this file is closed. An error means that locks do not work here.
func takeLock(f *os.File, shared bool) (held bool, err error) {
	how := syscall.LOCK_EX | syscall.LOCK_NB
	if shared {
		how = syscall.LOCK_SH | syscall.LOCK_NB
	}
	for {
		err = syscall.Flock(int(f.Fd()), how)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package scratch

import (
	"errors"
	"os"
	"syscall"
)

// unfollowed opens the file of that name itself, not a link's target, and does not wait for a
// pipe.
const unfollowed = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// tryLock takes the lock of an open file, if no process has it. The lock belongs to the open
// file: another open file of the same process does not have it, and it goes when this file is
// closed. An error means that locks do not work here.
func tryLock(f *os.File) (held bool, err error) { return flock(f, syscall.LOCK_EX) }

// shareLock takes the lock together with others that share it, if no process has it alone.
func shareLock(f *os.File) (held bool, err error) { return flock(f, syscall.LOCK_SH) }

func flock(f *os.File, how int) (held bool, err error) {
	for {
		err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
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

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package scratch

import (
	"errors"
	"os"
	"syscall"
)

// unfollowed opens the file of that name alone, and does not wait for what is none.
const unfollowed = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// tryLock takes the lock of an open file, if nobody has it. The lock is that of the open
// file: another one of the same process does not have it, and it goes when this one is
// closed. An error says that there is no telling.
func tryLock(f *os.File) (held bool, err error) { return flock(f, syscall.LOCK_EX) }

// shareLock takes the lock together with others that share it, if nobody has it alone.
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

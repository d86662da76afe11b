//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package scratch

import (
	"errors"
	"os"
)

const unfollowed = 0

// tryLock has no lock to take.
func tryLock(*os.File) (held bool, err error) { return false, errors.ErrUnsupported }

// shareLock has no locks either.
func shareLock(*os.File) (held bool, err error) { return false, errors.ErrUnsupported }

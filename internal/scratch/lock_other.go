//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package scratch

import (
	"errors"
	"os"
)

const unfollowed = 0

// takeLock has no lock to take.
func takeLock(*os.File, bool) (held bool, err error) { return false, errors.ErrUnsupported }

//go:build unix

package terminal

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// EnableSequences reports whether the terminal obeys control sequences: every terminal with a name
// does, but for those that WantsDrawing knows.
func EnableSequences(*os.File) (restore func(), ok bool) {
	return func() {}, os.Getenv("TERM") != ""
}

// deviceSize is the terminal's size in characters; 0, 0 if it is unknown.
func deviceSize(f *os.File) (width, height int) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	runtime.KeepAlive(f)
	if err != nil {
		return 0, 0
	}
	return int(size.Col), int(size.Row)
}

//go:build unix

package main

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// enableSequences says whether the terminal obeys control sequences: all that have a
// name do, but for those that openScreen knows.
func enableSequences(*os.File) (restore func(), ok bool) {
	return func() {}, os.Getenv("TERM") != ""
}

// deviceSize is the terminal's size in characters; 0, 0 where it does not say.
func deviceSize(f *os.File) (width, height int) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	runtime.KeepAlive(f)
	if err != nil {
		return 0, 0
	}
	return int(size.Col), int(size.Row)
}

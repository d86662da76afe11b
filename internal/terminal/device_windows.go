package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// EnableSequences makes a console obey control sequences; older ones cannot.
func EnableSequences(f *os.File) (restore func(), ok bool) {
	console := windows.Handle(f.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return nil, false
	}
	if err := windows.SetConsoleMode(console, mode|windows.ENABLE_PROCESSED_OUTPUT|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING); err != nil {
		return nil, false
	}
	return func() { _ = windows.SetConsoleMode(console, mode) }, true
}

// deviceSize is the console's size in characters; 0, 0 if it is unknown.
func deviceSize(f *os.File) (width, height int) {
	var info windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info); err != nil {
		return 0, 0
	}
	return int(info.Window.Right-info.Window.Left) + 1, int(info.Window.Bottom-info.Window.Top) + 1
}

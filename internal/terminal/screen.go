// Package terminal draws text over and over on a terminal, and series of numbers as lines of
// blocks.
package terminal

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// The size of a terminal that neither the device nor the environment gives.
const (
	usualWidth  = 80
	usualHeight = 24
)

// A Screen is a terminal whose last lines are drawn over and over. It needs three control sequences
// (ECMA-48): cursor up, erase to the end of the line, and erase to the end of the screen. The
// cursor is never hidden, so that there is nothing to mend after a process that is killed.
type Screen struct {
	W     io.Writer
	Size  func() (width, height int)
	Lines []string // on the terminal now; the cursor is below them
}

// Draw writes notes above the lines, to scroll away like other output, and replaces the earlier
// lines, all in a single write. Lines must be narrower than the terminal, and fewer than it has.
func (s *Screen) Draw(notes, lines []string) {
	var b strings.Builder
	if len(s.Lines) > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", len(s.Lines))
	}
	b.WriteString("\r") // the terminal may have echoed what was typed
	if len(notes) > 0 {
		b.WriteString("\x1b[J")
	}
	for _, note := range notes {
		b.WriteString(note + "\n")
	}
	for _, line := range lines {
		b.WriteString(line + "\x1b[K\n")
	}
	b.WriteString("\x1b[J")
	s.Lines = lines
	_, _ = io.WriteString(s.W, b.String()) // a failed write must not stop a run
}

// Open makes a screen of a terminal; nil if the file is no terminal, or the user or the terminal
// wants plain lines. restore undoes what it did to the terminal.
func Open(w io.Writer) (screen *Screen, restore func()) {
	file, ok := w.(*os.File)
	if !ok || !Is(file) || !WantsDrawing(os.Getenv) {
		return nil, nil
	}
	if restore, ok = EnableSequences(file); !ok {
		return nil, nil
	}
	return &Screen{W: file, Size: func() (int, int) {
		width, height := deviceSize(file)
		return bounded(width, os.Getenv("COLUMNS"), usualWidth), bounded(height, os.Getenv("LINES"), usualHeight)
	}}, restore
}

// Width is the width of a terminal in characters, nil if there is no terminal: that of the device, but
// at most the variable COLUMNS of the environment.
func Width(file *os.File, environment func(string) string) int {
	width := 0
	if file != nil {
		width, _ = deviceSize(file)
	}
	return bounded(width, environment("COLUMNS"), usualWidth)
}

// Is reports whether a file is a character device that is not the null device.
func Is(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// WantsDrawing reports whether the environment allows more than plain text.
func WantsDrawing(environment func(string) string) bool {
	return environment("NO_COLOR") == "" && environment("TERM") != "dumb"
}

// bounded is an extent: the device's if known, but at most the variable's; else the usual one.
func bounded(device int, variable string, usual int) int {
	if n, err := strconv.Atoi(variable); err == nil && n > 0 && (device <= 0 || n < device) {
		return n
	}
	if device <= 0 {
		return usual
	}
	return device
}

// Cut shortens a text to a width in characters, with a sign that it did.
func Cut(text string, width int) string {
	runes := []rune(text)
	switch {
	case len(runes) <= width:
		return text
	case width <= 0:
		return ""
	}
	return string(runes[:width-1]) + "…"
}

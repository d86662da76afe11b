package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// redrawEvery is the time from one drawing of the table to the next.
const redrawEvery = 200 * time.Millisecond

// Where neither the terminal nor the environment says how large it is.
const (
	usualWidth  = 80
	usualHeight = 24
)

// A screen is a terminal whose last lines are drawn over and over. It needs three
// control sequences (ECMA-48): cursor up, erase to the end of the line, and erase to
// the end of the screen. The cursor is never hidden, so that there is nothing to mend
// after a process that is killed.
type screen struct {
	w     io.Writer
	size  func() (width, height int)
	lines []string // on the terminal now; the cursor is below them
}

// draw writes notes above the lines, where they scroll away as output does, and replaces the
// lines of before, all in a single write. Lines must be narrower than the terminal, and fewer
// than it has.
func (s *screen) draw(notes, lines []string) {
	var b strings.Builder
	if len(s.lines) > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", len(s.lines))
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
	s.lines = lines
	_, _ = io.WriteString(s.w, b.String()) // what cannot be drawn is no reason to stop
}

// openScreen opens the terminal behind standard error; nil where it is none, or the
// user or the terminal wants plain lines. restore undoes what it did.
func openScreen(s streams) (terminal *screen, restore func()) {
	file, ok := s.err.(*os.File)
	if !s.terminal || !ok || !wantsDrawing(os.Getenv) {
		return nil, nil
	}
	if restore, ok = enableSequences(file); !ok {
		return nil, nil
	}
	size := func() (int, int) {
		width, height := deviceSize(file)
		return bounded(width, os.Getenv("COLUMNS"), usualWidth), bounded(height, os.Getenv("LINES"), usualHeight)
	}
	return &screen{w: file, size: size}, restore
}

// wantsDrawing says whether the environment allows more than plain text.
func wantsDrawing(environment func(string) string) bool {
	return environment("NO_COLOR") == "" && environment("TERM") != "dumb"
}

// bounded is an extent of the terminal: what the device says, 0 where it says nothing,
// but no more than the variable says; else the usual one.
func bounded(device int, variable string, usual int) int {
	if n, err := strconv.Atoi(variable); err == nil && n > 0 && (device <= 0 || n < device) {
		return n
	}
	if device <= 0 {
		return usual
	}
	return device
}

// cut shortens a text to a width in characters, with a sign that it did.
func cut(text string, width int) string {
	runes := []rune(text)
	switch {
	case len(runes) <= width:
		return text
	case width <= 0:
		return ""
	}
	return string(runes[:width-1]) + "…"
}

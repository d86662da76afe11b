package spec

import (
	"strings"
	"sync"
)

// A noteWriter passes on a plug-in's standard error, one line a Write. A traceback of Python is
// passed on as a whole, and only if no other run has shown it: the same mistake ends every seed
// of a plug-in.
type noteWriter struct {
	prefix string
	note   func(string)
	shown  *tracebacks
	held   []string // of a traceback that has begun
}

// tracebacks are those that have been shown.
type tracebacks struct {
	mu    sync.Mutex
	texts map[string]bool
}

// isNew reports whether a traceback is shown for the first time.
func (t *tracebacks) isNew(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.texts[text] {
		return false
	}
	if t.texts == nil {
		t.texts = map[string]bool{}
	}
	t.texts[text] = true
	return true
}

// tracebackHeader begins every traceback. Its frames are indented, and the first line that
// is not, the error, ends it.
const tracebackHeader = "Traceback (most recent call last):"

// Write implements io.Writer.
func (w *noteWriter) Write(p []byte) (int, error) {
	line := strings.TrimRight(string(p), "\r\n")
	switch {
	case line == tracebackHeader:
		w.flush()
		w.held = append(w.held, line)
	case len(w.held) == 0:
		w.note(w.prefix + line)
	case strings.HasPrefix(line, " "):
		w.held = append(w.held, line)
	default:
		w.held = append(w.held, line)
		if !w.shown.isNew(strings.Join(w.held, "\n")) {
			w.held = w.held[:0]
		}
		w.flush()
	}
	return len(p), nil
}

// flush passes on the lines held back.
func (w *noteWriter) flush() {
	for _, line := range w.held {
		w.note(w.prefix + line)
	}
	w.held = w.held[:0]
}

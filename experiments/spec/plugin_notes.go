package spec

import (
	"strings"
	"sync"
)

// A noteWriter hands on what a plug-in writes to its standard error, one line a Write. A
// traceback of Python is handed on as a whole, and only if no other run has shown it: the
// same mistake ends every seed of a plug-in.
type noteWriter struct {
	prefix string
	note   func(string)
	told   *tracebacks
	held   []string // of a traceback that has begun
}

// tracebacks are those that have been shown.
type tracebacks struct {
	mu   sync.Mutex
	seen map[string]bool
}

// isNew reports whether a traceback is shown for the first time.
func (t *tracebacks) isNew(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen[text] {
		return false
	}
	if t.seen == nil {
		t.seen = map[string]bool{}
	}
	t.seen[text] = true
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
		if !w.told.isNew(strings.Join(w.held, "\n")) {
			w.held = w.held[:0]
		}
		w.flush()
	}
	return len(p), nil
}

// flush hands on what is held.
func (w *noteWriter) flush() {
	for _, line := range w.held {
		w.note(w.prefix + line)
	}
	w.held = w.held[:0]
}

package spec

import (
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestNotesOfTracebacks: lines are passed on as they come, and a traceback as a whole or, if it
// was shown before, not at all. A traceback that breaks off is not lost.
func TestNotesOfTracebacks(t *testing.T) {
	const first, other, chained = "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'a'",
		"Traceback (most recent call last):\n  File \"a.py\", line 2\nKeyError: 'b'",
		"\nDuring handling of the above exception, another exception occurred:\n"
	told := new(sync.Map)
	for _, c := range []struct{ reason, written, want string }{
		{"the first time", "one\n" + first + "\ntwo", "one\n" + first + "\ntwo"},
		{"again", "one\n" + first + "\ntwo", "one\ntwo"},
		{"another one behind it", first + "\n" + chained + "\n" + other, chained + "\n" + other},
		{"it breaks off", "Traceback (most recent call last):\n  File \"a.py\", line 1", "Traceback (most recent call last):\n  File \"a.py\", line 1"},
		{"it breaks off and begins anew", "Traceback (most recent call last):\n" + first, "Traceback (most recent call last):"},
	} {
		var lines []string
		w := &noteWriter{prefix: "mine: ", note: func(line string) { lines = append(lines, line) }, shown: told}
		for line := range strings.SplitSeq(c.written, "\n") {
			if _, err := w.Write([]byte(line + "\r\n")); err != nil {
				t.Fatal(err)
			}
		}
		w.flush()
		want := strings.Split(c.want, "\n")
		for i := range want {
			want[i] = "mine: " + want[i]
		}
		if !slices.Equal(lines, want) {
			t.Errorf("%s: %q, want %q", c.reason, lines, want)
		}
	}
}

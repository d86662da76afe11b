package terminal

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestSparkline(t *testing.T) {
	series := func(xs ...float64) (out Series) {
		for _, x := range xs {
			out = append(out, Point{Mean: Mean{2 * x, 2}})
		}
		return out
	}
	for _, c := range []struct {
		reason string
		means  Series
		width  int
		want   string
	}{
		{"every height, eighths of the greatest", series(0, 1, 2, 3, 4, 5, 6, 7, 8), 9, "▁▂▃▄▅▆▇██"},
		{"the first, the last and the one between", series(8, 0, 4, 0, 2, 0, 0, 0, 5), 3, "█▃▆"},
		{"the last alone", series(8, 0, 4), 1, "▅"},
		{"a policy without entropy", series(0, 0), 9, "▁▁"},
		{"no room", series(1, 2), 0, ""},
		{"nothing yet", nil, 9, ""},
	} {
		if got := c.means.Sparkline(c.width); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestPlainWhereDrawingIsNotWanted: the environment, the user and the file decide between a table and lines.
func TestPlainWhereDrawingIsNotWanted(t *testing.T) {
	for _, c := range []struct {
		reason, name, value string
		want                bool
	}{
		{"a usual terminal", "TERM", "xterm-256color", true},
		{"one without control sequences", "TERM", "dumb", false},
		{"the user wants plain text", "NO_COLOR", "1", false},
		{"an empty NO_COLOR says nothing", "NO_COLOR", "", true},
	} {
		environment := func(name string) string {
			if name == c.name {
				return c.value
			}
			return ""
		}
		if got := WantsDrawing(environment); got != c.want {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for reason, w := range map[string]io.Writer{"a file": file, "no device": &bytes.Buffer{}} {
		if screen, _ := Open(w); screen != nil {
			t.Errorf("%s is drawn on", reason)
		}
	}
	for _, c := range []struct {
		reason   string
		device   int
		variable string
		want     int
	}{
		{"the device alone", 132, "", 132},
		{"the variable is narrower", 132, "60", 60},
		{"lines would wrap at the variable's width", 100, "132", 100},
		{"the device does not say", 0, "60", 60},
		{"both are unknown", 0, "", 80},
		{"the variable is no number", 0, "wide", 80},
		{"the variable is no width", 0, "-3", 80},
	} {
		if got := bounded(c.device, c.variable, 80); got != c.want {
			t.Errorf("%s: %d, want %d", c.reason, got, c.want)
		}
	}
}

package reporttest

import (
	_ "embed"
	"path/filepath"
	"testing"
)

//go:embed paint.js
var paint string

// Paint opens pages one after the other, each in a browser that has just started, and returns the
// milliseconds until each first paints. It skips where Walk does.
func Paint(t testing.TB, files ...string) (times []float64) {
	t.Helper()
	var paths []string
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	runNode(t, paint, &times, paths...)
	return times
}

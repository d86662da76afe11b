package reporttest

import (
	_ "embed"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

//go:embed paint.js
var paint string

// Paint opens pages one after the other, each in a browser that has just started, and returns the
// milliseconds until each first paints. It skips where Walk does.
func Paint(t testing.TB, files ...string) []float64 {
	t.Helper()
	libraries, chromium := tools(t)
	script := filepath.Join(t.TempDir(), "paint.cjs")
	if err := os.WriteFile(script, []byte(paint), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{script, libraries, chromium}
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	text, err := exec.Command("node", args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("%v\n%s", err, exit.Stderr)
	}
	var times []float64
	if err := errors.Join(err, json.Unmarshal(text, &times)); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return times
}

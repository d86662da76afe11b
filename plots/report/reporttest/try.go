package reporttest

import (
	_ "embed"
	"os"
	"path/filepath"
	"testing"
)

//go:embed try.js
var try string

// Try opens the page of a file in a browser, runs a script with the functions of try.js, and reads
// into seen what it returns. An error of the page fails the test. It skips where Walk does.
func Try(t *testing.T, file, script string, seen any) {
	t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(t.TempDir(), "own.js")
	if err := os.WriteFile(own, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	tried := struct {
		Errors []string
		Seen   any
	}{Seen: seen}
	runNode(t, try, &tried, path, own)
	for _, e := range tried.Errors {
		t.Errorf("an error of the script: %s", e)
	}
}

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

//go:embed try.js
var try string

// Try opens the page of a file in a browser, runs a script with the functions of try.js, and reads
// into seen what it returns. An error of the page fails the test. It skips where Walk does.
func Try(t *testing.T, file, script string, seen any) {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	libraries, chromium := tools(t)
	dir := t.TempDir()
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"try.cjs": try, "script.js": script} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := exec.Command("node", filepath.Join(dir, "try.cjs"), libraries, chromium, path, filepath.Join(dir, "script.js")).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("the browser: %v\n%s", err, exit.Stderr)
	}
	tried := struct {
		Errors []string
		Seen   any
	}{Seen: seen}
	if err := errors.Join(err, json.Unmarshal(text, &tried)); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, e := range tried.Errors {
		t.Errorf("an error of the script: %s", e)
	}
}

package program

import (
	"os"
	"strings"
	"testing"
)

// TestVersion: the Python package carries the program, and has its version.
func TestVersion(t *testing.T) {
	project, err := os.ReadFile("../../python/pyproject.toml")
	if err != nil {
		t.Fatal(err)
	}
	if want := "\nversion = \"" + Version + "\"\n"; !strings.Contains(string(project), want) {
		t.Errorf("python/pyproject.toml has no line %q", strings.TrimSpace(want))
	}
}

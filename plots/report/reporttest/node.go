package reporttest

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runNode runs a script with node, where npm's libraries and the browser are its first arguments, and
// reads into out the JSON that it prints. It skips where there is no browser, node, puppeteer-core or
// axe-core.
func runNode(t testing.TB, script string, out any, args ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	libraries, chromium := tools(t)
	file := filepath.Join(t.TempDir(), "script.cjs")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command("node", append([]string{file, libraries, chromium}, args...)...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("node: %v\n%s", err, exit.Stderr)
	}
	if err := errors.Join(err, json.Unmarshal(text, out)); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

func tools(t testing.TB) (libraries, chromium string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("no node: %v", err)
	}
	root, err := exec.Command("npm", "root", "--global").Output()
	if err != nil {
		t.Skipf("no npm to ask for puppeteer-core: %v", err)
	}
	libraries = strings.TrimSpace(string(root))
	for _, name := range []string{"puppeteer-core", "axe-core"} {
		if _, err := os.Stat(filepath.Join(libraries, name)); err != nil {
			t.Skipf("no %s: npm install --global %s brings it (%v)", name, name, err)
		}
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return libraries, path
		}
	}
	t.Skip("no chromium, chromium-browser or google-chrome in PATH: the page is not walked through")
	return "", ""
}

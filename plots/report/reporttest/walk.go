// Package reporttest walks through a page in a real browser, as its readers do. It drives the
// Chromium that is installed by puppeteer-core, and checks accessibility by axe-core. Both are of
// npm: npm install --global puppeteer-core@24.43.1 axe-core@4.14.1
package reporttest

import (
	_ "embed"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed walk.js
var walk string

// Seen is what a walk saw.
type Seen struct {
	Paint    int      `json:"paint"`    // milliseconds to the first paint
	Requests int      `json:"requests"` // but for the page itself
	Stops    int      `json:"stops"`    // of the keyboard
	Drawings int      `json:"drawings"` // on paper
	Named    []string `json:"named"`    // methods that are on and whose names stand beside their points
	CSV      string   `json:"csv"`
	Link     string   `json:"link"`
	Checked  []string `json:"checked"` // what axe-core says of each look at the page
	Figures  []Figure `json:"figures"` // the interactive ones, as the page is at first
}

// A Figure is an interactive figure with the tables of its panels.
type Figure struct {
	ID     string  `json:"id"`
	Tables []Table `json:"tables"`
}

// A Table has the texts of its heads and of the cells of its rows.
type Table struct {
	Heads []string   `json:"heads"`
	Rows  [][]string `json:"rows"`
}

// Walk walks through the page of a file, and fails the test for each problem on the way. It skips
// where there is no browser, node, puppeteer-core or axe-core. With MODEBENCH_SHOTS it keeps
// pictures in that folder. It returns what it saw and the page as PDF.
func Walk(t *testing.T, file string) (seen Seen, pdf string) {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	libraries, chromium := tools(t)
	dir := t.TempDir()
	script := filepath.Join(dir, "walk.cjs")
	if err := os.WriteFile(script, []byte(walk), 0o644); err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	downloads := filepath.Join(dir, "downloads")
	if err := os.Mkdir(downloads, 0o755); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command("node", script, path, libraries, chromium, downloads, os.Getenv("MODEBENCH_SHOTS")).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("the walk: %v\n%s", err, exit.Stderr)
	}
	var walked struct {
		Problems []string
		Seen     Seen
	}
	if err := errors.Join(err, json.Unmarshal(text, &walked)); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, p := range walked.Problems {
		t.Error(p)
	}
	t.Logf("first paint after %d ms, %d requests, %d stops of the keyboard, %d drawings on paper, %s; %s; %s",
		walked.Seen.Paint, walked.Seen.Requests, walked.Seen.Stops, walked.Seen.Drawings, walked.Seen.CSV, strings.Join(walked.Seen.Checked, "; "), walked.Seen.Link)
	return walked.Seen, filepath.Join(downloads, "page.pdf")
}

// tools finds what a walk needs.
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

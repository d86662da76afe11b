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

	"modebench/internal/testkit"
)

//go:embed walk.js
var walk string

// Seen are the observations of a walk.
type Seen struct {
	Paint    int      `json:"paint"`    // milliseconds to the first paint
	Requests int      `json:"requests"` // but for the page itself
	Stops    int      `json:"stops"`    // of the keyboard
	Drawings int      `json:"drawings"` // on paper
	Named    []string `json:"named"`    // methods that are on and whose names are beside their points
	CSV      string   `json:"csv"`
	Link     string   `json:"link"`
	Checked  []string `json:"checked"` // the report of axe-core on each state of the page
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
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	downloads := t.TempDir()
	var walked struct {
		Problems []string
		Seen     Seen
	}
	runNode(t, walk, &walked, path, downloads, os.Getenv("MODEBENCH_SHOTS"))
	for _, p := range walked.Problems {
		t.Error(p)
	}
	t.Logf("first paint after %d ms, %d requests, %d stops of the keyboard, %d drawings on paper, %s; %s; %s",
		walked.Seen.Paint, walked.Seen.Requests, walked.Seen.Stops, walked.Seen.Drawings, walked.Seen.CSV, strings.Join(walked.Seen.Checked, "; "), walked.Seen.Link)
	return walked.Seen, filepath.Join(downloads, "page.pdf")
}

// runNode runs a script with node, where npm's libraries and the browser are its first arguments, and
// reads into out the JSON that it prints. It skips without a browser, node, puppeteer-core or
// axe-core.
func runNode(t testing.TB, script string, out any, args ...string) {
	t.Helper()
	testkit.Long(t, "starts a browser")
	libraries, chromium := tools(t)
	file := filepath.Join(t.TempDir(), "script.cjs")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command("node", append([]string{file, libraries, chromium}, args...)...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
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

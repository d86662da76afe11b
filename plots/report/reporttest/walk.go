// Package reporttest walks through a page in a real browser, as its readers do. It drives the
// Chromium that is installed by puppeteer-core, and checks accessibility by axe-core. Both are of
// npm: npm install --global puppeteer-core@24.43.1 axe-core@4.14.1
package reporttest

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

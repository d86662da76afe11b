package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// looked are pages of each kind, and those with the widest tables.
var looked = []string{
	"index.html", "about.html", "docs/specs.html", "docs/which-estimator.html", "docs/environments.html", "results/claims.html", "results/board.html",
	"estimators/index.html", "estimators/grpo.go.html", "methods/poly-epo.html", "methods/example.html", "environments/maze.html", "commands/run.html",
	"api/metrics.html",
}

// TestBrowser reads the site in a browser: axe-core finds nothing, nothing is asked for from
// elsewhere, no page is wider than its window, and the search and the button for dark colours work.
func TestBrowser(t *testing.T) {
	pages := pagesOfRepository(t)
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium in PATH: the site is not read in a browser")
	}
	root, err := exec.Command("npm", "root", "--global").Output()
	if err != nil {
		t.Skip("no npm: the site is not read in a browser")
	}
	modules := strings.TrimSpace(string(root))
	for _, name := range []string{"puppeteer-core", "axe-core"} {
		if matches, _ := filepath.Glob(filepath.Join(modules, name, "package.json")); matches == nil {
			t.Skipf("no %s: npm install --global %s", name, name)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	printed, err := exec.CommandContext(ctx, "node", append([]string{filepath.Join("testdata", "browse.mjs"), chromium, modules, pages}, looked...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	lines := strings.Split(strings.TrimSpace(string(printed)), "\n")
	for _, line := range lines[:len(lines)-1] {
		t.Error(line)
	}
	if !strings.HasSuffix(lines[len(lines)-1], "pages opened") {
		t.Errorf("the browser did not get to the end: %s", printed)
	}
}

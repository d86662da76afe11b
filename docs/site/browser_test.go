package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// looked are pages of each kind, and those with the widest tables.
var looked = []string{
	"index.html", "about.html", "docs/specs.html", "docs/which-estimator.html", "docs/environments.html", "results/claims.html", "results/board.html",
	"estimators/index.html", "estimators/grpo.go.html", "methods/poly-epo.html", "methods/example.html", "environments/maze.html", "commands/run.html",
	"api/metrics.html", "playground.html",
}

// browser gives the paths of Chromium and of Node's modules, or skips the test.
func browser(t *testing.T) (chromium, modules string) {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium in PATH: the site is not read in a browser")
	}
	root, err := exec.Command("npm", "root", "--global").Output()
	if err != nil {
		t.Skip("no npm: the site is not read in a browser")
	}
	modules = strings.TrimSpace(string(root))
	for _, name := range []string{"puppeteer-core", "axe-core"} {
		if matches, _ := filepath.Glob(filepath.Join(modules, name, "package.json")); matches == nil {
			t.Skipf("no %s: npm install --global %s", name, name)
		}
	}
	return chromium, modules
}

// TestBrowser reads the site in a browser: axe-core finds nothing, nothing is asked for from
// elsewhere, no page is wider than its window, and the search and the button for dark colours work.
func TestBrowser(t *testing.T) {
	pages := pagesOfRepository(t)
	chromium, modules := browser(t)
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

// TestPlayground trains in a browser: the records are those of bench run, on every kind of problem, the page asks for
// nothing, and its compressed engine has less than 4 MB.
func TestPlayground(t *testing.T) {
	pages := pagesOfRepository(t)
	chromium, modules := browser(t)
	page := filepath.Join(pages, "playground.html")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, engine, _ := strings.Cut(string(text), `id="engine">`)
	engine, _, _ = strings.Cut(engine, "<")
	if size := base64.StdEncoding.DecodedLen(len(engine)); size < 1e6 || size >= 4e6 {
		t.Errorf("the engine has %d bytes, want less than 4,000,000", size)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	tasks := []string{"bandit", "polynomial", "coins", "shared"}
	printed, err := exec.CommandContext(ctx, "node", append([]string{filepath.Join("testdata", "train.mjs"), chromium, modules, page}, tasks...)...).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	var got struct {
		Runs []struct {
			Said, Spec string
			Done       []string
			Wide       int
		}
		Again, Asked, Errors []string
	}
	if err := json.Unmarshal(printed, &got); err != nil || len(got.Runs) != len(tasks) {
		t.Fatalf("%v\n%s", err, printed)
	}
	for i, run := range got.Runs {
		folder := t.TempDir()
		spec := filepath.Join(folder, "playground.toml")
		if err := os.WriteFile(spec, []byte(run.Spec), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ofRepository(t).bench.prints("run", spec, "--out", filepath.Join(folder, "out"), "--figure-format", "none"); err != nil {
			t.Fatal(err)
		}
		for k, method := range []string{"grpo", "poly-epo"} {
			files, err := filepath.Glob(filepath.Join(folder, "out", "cells", method+"-*", "DONE"))
			if err != nil || len(files) != 1 {
				t.Fatalf("%s: %v, %v", tasks[i], files, err)
			}
			if want, err := os.ReadFile(files[0]); err != nil || run.Done[k] != string(want) {
				t.Errorf("%s, %s: the page has\n%s\nbench run (%v)\n%s", tasks[i], method, run.Done[k], err, want)
			}
		}
		if run.Wide > 0 || !strings.Contains(run.Said, "kinds of right answers") {
			t.Errorf("%s: %d points too wide; %s", tasks[i], run.Wide, run.Said)
		}
	}
	if diff := cmp.Diff(got.Runs[len(tasks)-1].Done, got.Again); diff != "" || len(got.Asked)+len(got.Errors) > 0 {
		t.Errorf("by the address (-first +again):\n%s\nasked for %q, errors %q", diff, got.Asked, got.Errors)
	}
}

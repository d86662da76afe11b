package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"modebench/internal/testkit"
)

// TestReportServeBrowser: a browser may run the script of the report that is served, and gets the page
// anew once there is another.
func TestReportServeBrowser(t *testing.T) {
	testkit.Long(t, "starts a browser")
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium: the page is not tried in a browser")
	}
	inDir(t)
	writeTiny(t)
	succeed(t, "run", "tiny.toml", "--out", "r", "--figure-format", "none")
	w := watched(t, filepath.Join("r", "tiny"))
	page := func(note string) {
		made, err := w.Make(t.Context(), note)
		if err != nil {
			t.Fatal(err)
		}
		w.Show(made)
	}
	page("the first")
	var pages atomic.Int32
	inner := w.Server().Handler
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			pages.Add(1)
		case "/changed":
			if pages.Load() == 1 {
				page("the second")
			}
		}
		inner.ServeHTTP(out, r)
	}))
	defer server.Close()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	var errs strings.Builder
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--user-data-dir="+t.TempDir(),
		"--enable-logging=stderr", "--virtual-time-budget=10000", "--dump-dom", server.URL)
	cmd.Stderr = &errs
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	if pages.Load() != 2 || !strings.Contains(string(dom), ">the second</p>") {
		t.Errorf("%d pages, want 2, the last with its note:\n%.1500s", pages.Load(), dom)
	}
	for line := range strings.Lines(errs.String()) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the browser's console: %s", line)
		}
	}
}

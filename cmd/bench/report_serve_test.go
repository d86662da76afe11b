package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// get is the body of a page that is served.
func get(t *testing.T, url string) string {
	t.Helper()
	reply, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil || reply.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s (%v)", url, reply.Status, err)
	}
	return string(body)
}

// changed waits until the page has the text want and not the text not, and returns it.
func changed(t *testing.T, url, want, not string) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		version := get(t, url+"/changed")
		if page := get(t, url); strings.Contains(page, want) && !strings.Contains(page, not) && strings.Contains(page, `data-version="`+version+`"`) {
			return page
		}
		if time.Now().After(deadline) {
			t.Fatalf("no page with %q: %s", want, get(t, url))
		}
	}
}

// TestReportServe: the page of a run under way waits for the first cell, has what is finished, and is
// the report in the end. An interrupt ends it, and frees the port.
func TestReportServe(t *testing.T) {
	takesSeconds(t)
	inDir(t)
	write(t, "tiny.toml", reportSpec)
	succeed(t, "run", "tiny.toml", "--out", "r", "--plan")
	dir := filepath.Join("r", "tiny")
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	read, written := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- bench(ctx, streams{in: strings.NewReader(""), out: &bytes.Buffer{}, err: written}, []string{"report", dir, "--serve"})
		written.Close()
	}()
	line := make([]byte, 200)
	n, err := read.Read(line)
	found := regexp.MustCompile(`^the report of ` + regexp.QuoteMeta(dir) + `: (http://(127\.0\.0\.1:\d+)) \(Ctrl-C ends it\)\n$`).FindSubmatch(line[:n])
	if err != nil || found == nil {
		t.Fatalf("%q (%v)", line[:n], err)
	}
	url := string(found[1])
	rest := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(read)
		rest <- string(text)
	}()
	changed(t, url, "tiny has not ended: 0 of 4 cells are finished, 4 missing.", "<table")
	succeed(t, "run", "tiny.toml", "--out", "r", "--cells", "3")
	page := changed(t, url, "tiny has not ended: 1 of 4 cells are finished, 3 missing.", "Waiting")
	if !strings.Contains(page, `<th scope="row">grpo</th>`) || strings.Contains(page, `<th scope="row">base</th>`) {
		t.Errorf("one cell of grpo is finished:\n%.3000s", page)
	}
	succeed(t, "run", "tiny.toml", "--out", "r", "--figure-format", "none")
	page = changed(t, url, `<th scope="row">base</th>`, "has not ended")
	if !strings.Contains(page, "GRPO &lt; base") {
		t.Error("the report has no claim")
	}
	href := regexp.MustCompile(`href="\./(cells/[^"]*/eval\.jsonl)"`).FindStringSubmatch(page)
	if href == nil || !strings.Contains(get(t, url+"/"+strings.ReplaceAll(href[1], "&#43;", "+")), `"metrics":`) {
		t.Errorf("the link to records %q does not lead to them", href)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.html")); files != nil {
		t.Errorf("it writes %v", files)
	}
	http.DefaultClient.CloseIdleConnections()
	interrupt()
	select {
	case c := <-code:
		if said := <-rest; c != exitOK || said != "" {
			t.Errorf("exit code %d, %q", c, said)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
	}
	listener, err := net.Listen("tcp", string(found[2]))
	if err != nil {
		t.Fatalf("the port is not free: %v", err)
	}
	listener.Close()
}

// TestReportServeRefuses: requests by the name of another machine, requests that write, and files that are
// not linked are refused.
func TestReportServeRefuses(t *testing.T) {
	inDir(t)
	writeTiny(t)
	succeed(t, "run", "tiny.toml", "--out", "r", "--figure-format", "none")
	w := watched(t, filepath.Join("r", "tiny"))
	cells, _ := filepath.Glob("r/cells/grpo-*")
	id := filepath.Base(cells[0])
	for _, c := range []struct {
		method, host, path string
		status             int
	}{
		{"GET", "localhost:80", "/", http.StatusOK},
		{"HEAD", "127.0.0.1", "/", http.StatusOK},
		{"GET", "[::1]:8080", "/changed", http.StatusOK},
		{"GET", "localhost:1", "/cells/" + id + "/eval.jsonl", http.StatusOK},
		{"GET", "localhost.example.org", "/", http.StatusForbidden},
		{"GET", "10.0.0.1:80", "/changed", http.StatusForbidden},
		{"GET", "", "/", http.StatusForbidden},
		{"POST", "localhost", "/", http.StatusMethodNotAllowed},
		{"GET", "localhost", "/run.json", http.StatusNotFound},
		{"GET", "localhost", "/cells/" + id + "/DONE", http.StatusNotFound},
		{"GET", "localhost", "/cells/" + id + "/..%2f..%2ftiny%2frun.json", http.StatusNotFound},
		{"GET", "localhost", "/cells/..%2ftiny/run.json", http.StatusNotFound},
		{"GET", "localhost", "/cells/grpo-s9-000000000000/eval.jsonl", http.StatusNotFound},
	} {
		request := httptest.NewRequest(c.method, "http://localhost"+c.path, nil)
		request.Host = c.host
		reply := httptest.NewRecorder()
		w.Server().Handler.ServeHTTP(reply, request)
		if reply.Code != c.status {
			t.Errorf("%s %s of %q: status %d, want %d", c.method, c.path, c.host, reply.Code, c.status)
		}
		if c.status == http.StatusOK && (reply.Header().Get("Cache-Control") != "no-store" || reply.Header().Get("X-Content-Type-Options") != "nosniff") {
			t.Errorf("%s: %v", c.path, reply.Header())
		}
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"r/tiny", "--serve", "--out", "x.html"}, exitUsage, "--serve writes no file: leave out --out"},
		{[]string{"r/tiny", "--listen", "127.0.0.1:0"}, exitUsage, "--listen is the address of --serve, which is missing"},
		{[]string{"r/tiny", "--serve", "--listen", "0.0.0.0:0"}, exitUsage, "other machines can reach that; take 127.0.0.1"},
		{[]string{"r/tiny", "--serve", "--listen", "8080"}, exitUsage, "want an address and a port"},
		{[]string{"nowhere", "--serve"}, exitInput, "nowhere: no such folder"},
	} {
		code, out, errs := call(t, "", append([]string{"report"}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q, want %d and %q", c.args, code, errs, c.code, c.want)
		}
	}
}

// TestReportServeDamaged: damage is said on the page, which comes back when it is mended.
func TestReportServeDamaged(t *testing.T) {
	inDir(t)
	writeTiny(t)
	succeed(t, "run", "tiny.toml", "--out", "r", "--figure-format", "none")
	w := watched(t, filepath.Join("r", "tiny"))
	cells, _ := filepath.Glob("r/cells/grpo-*")
	eval := filepath.Join(cells[0], "eval.jsonl")
	kept := read(t, eval)
	write(t, eval, strings.Replace(kept, `"reward":0`, `"reward":1`, 1))
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() { w.Watch(ctx); close(over) }()
	defer func() { stop(); <-over }()
	wait := func(want string) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !strings.Contains(string(w.Page().Text), want); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("no %q on the page:\n%.2000s", want, w.Page().Text)
			}
		}
	}
	wait("eval.jsonl: it was changed or damaged")
	write(t, eval, kept)
	wait(`<th scope="row">grpo</th>`)
}

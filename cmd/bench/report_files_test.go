package main

import (
	"context"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"modebench/plots/report/pages"
)

// watched makes the page of folders once, as serving does, and shows it.
func watched(t *testing.T, dirs ...string) *pages.Site {
	t.Helper()
	w, err := pages.NewSite(dirs)
	if err != nil {
		t.Fatal(err)
	}
	page, err := w.Make(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	w.Show(page)
	return w
}

// ask is the reply to a request of this machine.
func ask(w *pages.Site, path string) *httptest.ResponseRecorder {
	reply := httptest.NewRecorder()
	w.Server().Handler.ServeHTTP(reply, httptest.NewRequest("GET", "http://localhost"+path, nil))
	return reply
}

var recordLinks = regexp.MustCompile(`<a href="\.(/[^"]*)" aria-label="([^"]*)"`)

// TestReportServesItsLinks: the files that the page links to can be read, of several results folders
// too, and no others: not the cells of another experiment that lie beside.
func TestReportServesItsLinks(t *testing.T) {
	inDir(t)
	writeTiny(t)
	write(t, "other.toml", strings.Replace(tinySpec, "steps = 20", "steps = 10", 1))
	succeed(t, "run", "tiny.toml", "--out", "r", "--figure-format", "none")
	succeed(t, "run", "other.toml", "--out", "r", "--figure-format", "none")
	succeed(t, "run", "other.toml", "--out", "s", "--figure-format", "none")
	w := watched(t, filepath.Join("r", "tiny"), filepath.Join("s", "other"))
	linked := map[string]bool{}
	for _, link := range recordLinks.FindAllStringSubmatch(string(w.Page().Text), -1) {
		path := html.UnescapeString(link[1])
		linked[path] = true
		cells := "r/cells"
		if below, ok := strings.CutPrefix(path, "/2"); ok {
			cells, path = "s/cells", below
		}
		want := read(t, cells+strings.TrimPrefix(path, "/cells"))
		if reply := ask(w, html.UnescapeString(link[1])); reply.Code != http.StatusOK || reply.Body.String() != want {
			t.Errorf("%s: status %d and %d bytes, want the %d of the record", link[1], reply.Code, reply.Body.Len(), len(want))
		}
	}
	if want := 2 * 4 * 4; len(linked) != want { // two experiments of four cells, with four files each
		t.Errorf("%d links, want %d", len(linked), want)
	}
	cells, _ := filepath.Glob("r/cells/*")
	for _, cell := range cells {
		path := "/cells/" + filepath.Base(cell) + "/eval.jsonl"
		want := http.StatusNotFound
		if linked[path] {
			want = http.StatusOK
		}
		if reply := ask(w, path); reply.Code != want {
			t.Errorf("%s: status %d, want %d", path, reply.Code, want)
		}
	}
}

// noBody counts the written bytes and drops them.
type noBody struct {
	head   http.Header
	status int
	size   int64
}

func (n *noBody) Header() http.Header         { return n.head }
func (n *noBody) WriteHeader(status int)      { n.status = status }
func (n *noBody) Write(p []byte) (int, error) { n.size += int64(len(p)); return len(p), nil }

// TestReportServesLargeRecords: a record of any size is copied in pieces. A link that leads out of the
// folder is no record.
func TestReportServesLargeRecords(t *testing.T) {
	inDir(t)
	writeTiny(t)
	succeed(t, "run", "tiny.toml", "--out", "r", "--figure-format", "none")
	w := watched(t, filepath.Join("r", "tiny"))
	link := recordLinks.FindStringSubmatch(string(w.Page().Text))
	path := html.UnescapeString(link[1])
	file := filepath.Join("r", filepath.FromSlash(path))
	const size = 64 << 20
	if err := os.Truncate(file, size); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	out := &noBody{head: http.Header{}}
	runtime.ReadMemStats(&before)
	w.Server().Handler.ServeHTTP(out, httptest.NewRequest("GET", "http://localhost"+path, nil))
	runtime.ReadMemStats(&after)
	if out.size != size {
		t.Errorf("%d bytes, want %d", out.size, size)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
		t.Errorf("it takes %d bytes of memory", took)
	}
	outside := filepath.Join(t.TempDir(), "secret")
	write(t, outside, "secret")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, file); err != nil {
		t.Skip(err)
	}
	if reply := ask(w, path); reply.Code != http.StatusNotFound {
		t.Errorf("a link that leads out: status %d, %q", reply.Code, reply.Body)
	}
}

// TestReportServeKeepsIDs: figures have the same ids while the run goes on and in the end, though a
// figure before them comes later.
func TestReportServeKeepsIDs(t *testing.T) {
	inDir(t)
	spec := strings.Replace(reportSpec, "[[figure]]\n", "[[figure]]\nname = \"first\"\nkind = \"curve\"\nmetrics = [\"reward\"]\nwhere.method = [\"base\"]\n[[figure]]\n", 1)
	write(t, "tiny.toml", spec)
	dir := filepath.Join("r", "tiny")
	heads := regexp.MustCompile(`<h3 id="(e1-(?:figure|claim)[^"]*)">([^<]*)</h3>`)
	ids := func() map[string]string {
		out := map[string]string{}
		for _, found := range heads.FindAllStringSubmatch(string(watched(t, dir).Page().Text), -1) {
			out[found[2]] = found[1]
		}
		return out
	}
	succeed(t, "run", "tiny.toml", "--out", "r", "--cells", "3")
	part := ids()
	succeed(t, "run", "tiny.toml", "--out", "r", "--figure-format", "none")
	whole := ids()
	if len(part) == 0 || len(part) >= len(whole) {
		t.Fatalf("figures and claims %v of a part, %v in the end", part, whole)
	}
	for title, id := range part {
		if whole[title] != id {
			t.Errorf("%q has the id %s, and in the end %s", title, id, whole[title])
		}
	}
}

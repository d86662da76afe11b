package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"

	"modebench/experiments/record"
)

// recordFiles are the files that a served page links to, by their paths on the server. No other can be
// read, whatever lies beside them.
type recordFiles map[string]recordFile

// A recordFile is a file of a cell.
type recordFile struct{ folder, id, name string }

// link is the function that adds a file of a cell and gives the link to it. Further results folders
// have the number of the first of dirs in them, since a cell may be in several, with other answers kept.
func (f recordFiles) link(dirs []string) func(*record.Run, record.Ref, string) string {
	cells := func(dir string) string { return filepath.Join(dir, "..", record.CellsDir) }
	return func(run *record.Run, ref record.Ref, name string) string {
		folder := cells(run.Dir)
		path := fmt.Sprintf("/%s/%s/%s", record.CellsDir, ref.ID, name)
		if n := slices.IndexFunc(dirs, func(dir string) bool { return cells(dir) == folder }); n > 0 {
			path = fmt.Sprintf("/%d%s", n+1, path)
		}
		f[path] = recordFile{folder, ref.ID, name}
		return "." + (&url.URL{Path: path}).EscapedPath()
	}
}

// record answers with a file that the page links to. What is opened is copied, a piece at a time: there
// may be gigabytes of it.
func (w *reportWatch) record(out http.ResponseWriter, r *http.Request) {
	at, ok := w.shown().files[r.URL.Path]
	if !ok {
		http.NotFound(out, r)
		return
	}
	file, err := record.OpenBelow(at.folder, at.id, at.name)
	if err != nil {
		http.NotFound(out, r)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		http.NotFound(out, r)
		return
	}
	out.Header().Set("Content-Type", "text/plain; charset=utf-8")
	out.Header().Set("Content-Length", fmt.Sprint(info.Size()))
	_, _ = io.CopyN(out, file, info.Size()) // a run under way may write more behind it
}

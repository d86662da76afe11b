package pages

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"modebench/envs/judging/httpjudge"
	"modebench/experiments/record"
	"modebench/experiments/sweep"
	"modebench/internal/localhttp"
	"modebench/plots/report"
)

// lookEvery is the time from one look at the records to the next.
const lookEvery = time.Second

// A Site serves the page of some folders, and makes it again as cells are finished. Requests read the
// latest page only.
type Site struct {
	dirs []string
	page atomic.Pointer[Page]
}

// NewSite is a site whose page waits for records. Folders that hold no experiment are an error.
func NewSite(dirs []string) (*Site, error) {
	s := &Site{dirs: dirs}
	s.Show(waitingPage("The page is being made."))
	_, _, err := s.state()
	return s, err
}

// Show replaces the page.
func (s *Site) Show(page *Page) { s.page.Store(page) }

// Page is the page that is served.
func (s *Site) Page() *Page { return s.page.Load() }

// Server is an HTTP server that answers those alone who name it as one of this machine.
func (s *Site) Server() *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = out.Write(s.Page().Text)
	})
	mux.HandleFunc("GET /changed", func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(out, s.Page().version)
	})
	mux.HandleFunc("GET /", s.record)
	return &http.Server{
		Handler: guarded(mux), ReadHeaderTimeout: httpjudge.HeaderTimeout, ReadTimeout: httpjudge.ReadTimeout,
		WriteTimeout: httpjudge.WriteTimeout, IdleTimeout: httpjudge.IdleTimeout, MaxHeaderBytes: 1 << 16,
	}
}

// guarded refuses requests for the name of another machine, and those of pages from elsewhere.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if err := localhttp.Foreign(r, nil); err != nil {
			http.Error(out, err.Error(), http.StatusForbidden)
			return
		}
		for name, value := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			out.Header().Set(name, value)
		}
		next.ServeHTTP(out, r)
	})
}

// Watch makes the page again when the state of the folders is another, until ctx ends. Looking and
// making take a quarter of a processor at most, however fast cells are finished.
func (s *Site) Watch(ctx context.Context) {
	last := ""
	for ctx.Err() == nil {
		begun := time.Now()
		if state, note, err := s.state(); err != nil {
			last = ""
			s.Show(waitingPage(err.Error()))
		} else if state != last {
			page, err := s.Make(ctx, note)
			if ctx.Err() != nil {
				return
			}
			if err != nil { // records that are written just now, or damaged ones
				state, page = "", waitingPage(err.Error())
			}
			last = state
			s.Show(page)
		}
		select {
		case <-ctx.Done():
		case <-time.After(max(lookEvery, 3*time.Since(begun))):
		}
	}
}

// state is a text that differs when the page would, and a note of the runs that have not ended.
func (s *Site) state() (state, note string, err error) {
	var notes []string
	for _, dir := range s.dirs {
		run, part, err := sweep.OpenFolder(dir)
		if err != nil {
			return "", "", err
		}
		state += fmt.Sprintf("%s %v %v\n", dir, run != nil, part != nil)
		if run != nil {
			for _, v := range run.Variants {
				for _, ref := range v.Cells {
					state += ref.ID + "\n"
				}
			}
		}
		if part != nil {
			text := part.Status.Text()
			if run == nil { // there is nothing else to see
				state += text
			}
			notes = append(notes, fmt.Sprintf("%s has not ended: %s.", part.Spec, text))
		}
	}
	return state, strings.Join(notes, " "), nil
}

// errNoCell is the error of a page without records.
var errNoCell = errors.New("no cell is finished yet")

// Make makes the page of finished cells, with the files that it links to.
func (s *Site) Make(ctx context.Context, note string) (*Page, error) {
	files := recordFiles{}
	text, err := makePage(ctx, s.dirs, report.Options{Link: files.link(s.dirs)}, func(dir string) (report.Experiment, error) {
		run, part, err := sweep.OpenFolder(dir)
		switch {
		case err == nil && run == nil:
			err = errNoCell
		case err == nil && part != nil:
			return finished(run), nil
		}
		return report.Experiment{Run: run}, err
	})
	switch {
	case errors.Is(err, errNoCell):
		return waitingPage(note), nil
	case err != nil:
		return nil, err
	}
	page := newPage(string(text), note)
	page.files = files
	return page, nil
}

// record answers with a file that the page links to. It is copied in pieces: it may have gigabytes.
func (s *Site) record(out http.ResponseWriter, r *http.Request) {
	linked, ok := s.Page().files[r.URL.Path]
	if !ok {
		http.NotFound(out, r)
		return
	}
	file, err := record.OpenBelow(linked.folder, linked.id, linked.name)
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

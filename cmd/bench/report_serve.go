package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"modebench/envs/judging/httpjudge"
	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/internal/localhttp"
	"modebench/plots"
	page "modebench/plots/report"
)

// lookEvery is the time from one look at the records to the next.
const lookEvery = time.Second

// A reportWatch makes the page of some folders again whenever cells are finished, and serves the
// latest one. Requests only read what there is, and hold none of it in memory.
type reportWatch struct {
	dirs []string

	mu   sync.Mutex
	page servedPage
}

// serveReport serves the page of the folders until it is interrupted.
func serveReport(ctx context.Context, s streams, dirs []string, listen string) error {
	if err := loopback(listen, true); err != nil {
		return err
	}
	if host, _, _ := net.SplitHostPort(listen); !localhttp.IsLoopback(host) {
		return usagef("--listen %s: other machines can reach that; take 127.0.0.1, and reach it from elsewhere with ssh -L", listen)
	}
	w := &reportWatch{dirs: dirs}
	if _, _, err := w.state(); err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return usagef("--listen %s: %w", listen, err)
	}
	w.show(waitingPage("The page is being made."))
	fmt.Fprintf(s.err, "the report of %s: http://%s (Ctrl-C ends it)\n", strings.Join(dirs, ", "), listener.Addr())
	go w.watch(ctx)
	err = serveUntil(ctx, w.server(), listener, time.Second)
	if terminated, ok := ctx.Value(terminatedKey{}).(*atomic.Bool); ok && terminated.Load() || !errors.Is(err, context.Canceled) {
		return err
	}
	return nil // an interrupt is how it ends
}

// server is an HTTP server that answers those alone who name it as one of this machine.
func (w *reportWatch) server() *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(out http.ResponseWriter, _ *http.Request) {
		page := w.shown()
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = out.Write(page.text)
	})
	mux.HandleFunc("GET /changed", func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = out.Write([]byte(w.shown().version))
	})
	mux.HandleFunc("GET /", w.record)
	return &http.Server{
		Handler: ownHost(mux), ReadHeaderTimeout: httpjudge.HeaderTimeout, ReadTimeout: httpjudge.ReadTimeout,
		WriteTimeout: httpjudge.WriteTimeout, IdleTimeout: httpjudge.IdleTimeout, MaxHeaderBytes: 1 << 16,
	}
}

// ownHost refuses requests for the name of another machine, and those of pages from elsewhere.
func ownHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if err := localhttp.Foreign(r, nil); err != nil {
			http.Error(out, err.Error(), http.StatusForbidden)
			return
		}
		h := out.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(out, r)
	})
}

func (w *reportWatch) shown() servedPage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.page
}

func (w *reportWatch) show(page servedPage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.page = page
}

// watch makes the page again when the state of the folders is another. Looking and making take a
// quarter of a processor at most, however many cells there are and however fast they are finished.
func (w *reportWatch) watch(ctx context.Context) {
	last := ""
	for ctx.Err() == nil {
		begun := time.Now()
		if state, note, err := w.state(); err != nil {
			last = ""
			w.show(waitingPage(err.Error()))
		} else if state != last {
			page, err := w.make(ctx, note)
			if ctx.Err() != nil {
				return
			}
			if err != nil { // records that are written just now, or damaged ones
				state, page = "", waitingPage(err.Error())
			}
			last = state
			w.show(page)
		}
		select {
		case <-ctx.Done():
		case <-time.After(max(lookEvery, 3*time.Since(begun))):
		}
	}
}

// state is what the page depends on, and a note of what has not ended.
func (w *reportWatch) state() (state, note string, err error) {
	var notes []string
	for _, dir := range w.dirs {
		run, part, err := openPart(dir)
		if err != nil {
			return "", "", err
		}
		state += fmt.Sprintf("%s %v %v\n", dir, run != nil, part != nil)
		for _, v := range variantsOf(run) {
			for _, ref := range v.Cells {
				state += ref.ID + "\n"
			}
		}
		if part != nil {
			text := countsText(part.Status)
			if run == nil { // there is nothing else to see
				state += text
			}
			notes = append(notes, fmt.Sprintf("%s has not ended: %s.", part.Spec, text))
		}
	}
	return state, strings.Join(notes, " "), nil
}

func variantsOf(run *record.Run) []record.Variant {
	if run == nil {
		return nil
	}
	return run.Variants
}

// errNoCell says that there is nothing to make a page of.
var errNoCell = errors.New("no cell is finished yet")

// make makes the page of what is finished, with the files that it links to.
func (w *reportWatch) make(ctx context.Context, note string) (servedPage, error) {
	files := recordFiles{}
	text, err := reportPage(ctx, w.dirs, page.Options{Link: files.link(w.dirs)}, func(dir string) (page.Experiment, error) {
		run, part, err := openPart(dir)
		switch {
		case err != nil:
			return page.Experiment{}, err
		case run == nil:
			return page.Experiment{}, errNoCell
		case part != nil:
			return fitting(run), nil
		}
		return page.Experiment{Run: run}, nil
	})
	switch {
	case errors.Is(err, errNoCell):
		return waitingPage(note), nil
	case err != nil:
		return servedPage{}, err
	}
	made := newServedPage(string(text), note)
	made.files = files
	return made, nil
}

// fitting leaves out what cannot be said of a part of an experiment: figures and claims of methods
// of which no cell is finished. The others keep their numbers.
func fitting(run *record.Run) page.Experiment {
	e := page.Experiment{Run: run, FigureNumbers: []int{}, ClaimNumbers: []int{}}
	var figures []record.Figure
	for i, fig := range run.Figures {
		data, err := plots.Gather(run, fig)
		if err == nil {
			_, err = data.Draw()
		}
		if err == nil {
			figures, e.FigureNumbers = append(figures, fig), append(e.FigureNumbers, i+1)
		}
	}
	var kept []record.Claim
	for i, c := range run.Claims {
		one := *run
		one.Claims = []record.Claim{c}
		if _, err := claims.Judge(&one); err == nil {
			kept, e.ClaimNumbers = append(kept, c), append(e.ClaimNumbers, i+1)
		}
	}
	run.Figures, run.Claims = figures, kept
	return e
}

// waitingPage is the page where there is no report.
func waitingPage(note string) servedPage {
	return newServedPage(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<title>waiting</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'none'"/>
</head>
<body style="font-family: sans-serif; margin: 2em">
<h1>Waiting for records</h1>
<p>`+html.EscapeString(note)+`</p>
<p>This page is made again when there are more.</p>
</body>
</html>
`, "")
}

// Package httpjudge judges responses over HTTP, in batches, and bounds what a client may ask for.
//
//	POST /judge      {"items": [{"id": "countdown/train/17", "answer": "..."}], "reading": "lenient",
//	                 "embeddings": false}: {"verdicts": [...]}, one for each item
//	POST /openrlhf   {"query": [...], "prompts": [...], "labels": [...]}, as OpenRLHF's remote
//	                 reward sends them, with ids as labels: {"rewards": [...], "scores": [...],
//	                 "extra_logs": {"acc": [...]}}
//	GET  /problems   ?env=countdown&split=train&index=0&count=10: lines of reference.Dataset
//	GET  /healthz    {"status":"ok"}
//	GET  /metrics    counters for Prometheus
//
// A verdict has the form of judging.Judgement.AppendNamed. An item that names no problem
// gets {"id": ..., "fault": "..."} in its place. A faulty request gets {"error": "..."}
// with a status from 400 on. The only status from 500 on is 503, of a request that waited
// for too long. Nothing is read from a disk.
package httpjudge

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"modebench/envs/judging"
	"modebench/envs/reference"
	"modebench/internal/input"
	"modebench/internal/localhttp"
)

// Timeouts of a connection: a client that sends or reads too slowly is cut off. Those of reading count
// from the first byte (localhttp.FromFirstByte).
const (
	HeaderTimeout = 5 * time.Second
	ReadTimeout   = 30 * time.Second
	WriteTimeout  = 2 * time.Minute
	IdleTimeout   = 2 * time.Minute
)

// A Handler answers the requests.
type Handler struct {
	limits Limits
	cache  *reference.Cache
	slots  chan struct{}
	room   room

	waiting atomic.Int64 // for a slot
	mux     *http.ServeMux

	requests, refused, verdicts, faults atomic.Int64
	seconds                             atomic.Int64 // of judging, in nanoseconds
	start                               time.Time
}

// New returns a handler.
func New(limits Limits) *Handler {
	h := &Handler{limits: limits, cache: reference.NewCache(limits.Cache), slots: make(chan struct{}, limits.Requests), mux: http.NewServeMux(), start: time.Now()}
	h.room.left.Store(limits.Memory)
	h.room.reserved = limits.Memory / 4
	h.mux.HandleFunc("POST /judge", h.limited(h.judge))
	h.mux.HandleFunc("POST /openrlhf", h.limited(h.openRLHF))
	h.mux.HandleFunc("GET /problems", h.limited(h.problems))
	h.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, jsonType, []byte("{\"status\":\"ok\"}\n"))
	})
	h.mux.HandleFunc("GET /metrics", h.metrics)
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h.refuse(w, http.StatusNotFound, fmt.Errorf("there is no %s %.60q; there are POST /judge, POST /openrlhf, GET /problems, GET /healthz and GET /metrics", r.Method, r.URL.Path))
	})
	return h
}

// Access decides who may ask.
type Access struct {
	Hosts []string // that requests may name, beside those of localhttp.Foreign
	Token string   // that they carry, but for /healthz; "": none
}

// check returns why a request is turned away and the status of that, or 0 if it is admitted.
func (a *Access) check(r *http.Request) (status int, why error) {
	if err := localhttp.Foreign(r, a.Hosts); err != nil {
		return http.StatusForbidden, err
	}
	if a.Token == "" || r.URL.Path == "/healthz" {
		return 0, nil
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	given, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(a.Token)) // of one length
	if subtle.ConstantTimeCompare(given[:], want[:]) == 0 || !strings.EqualFold(scheme, "Bearer") {
		return http.StatusUnauthorized, errors.New("want the header Authorization: Bearer TOKEN, with the token of this server")
	}
	return 0, nil
}

// Server is an HTTP server with the handler and the timeouts, which answers those alone who may ask.
func (h *Handler) Server(access Access) *http.Server {
	allowed := func(w http.ResponseWriter, r *http.Request) {
		status, why := access.check(r)
		if why == nil {
			h.ServeHTTP(w, r)
			return
		}
		h.requests.Add(1)
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
		h.refuse(w, status, why)
	}
	return &http.Server{
		Handler: http.HandlerFunc(allowed), ReadHeaderTimeout: HeaderTimeout, ReadTimeout: ReadTimeout, WriteTimeout: WriteTimeout,
		IdleTimeout: IdleTimeout, MaxHeaderBytes: 1 << 16,
	}
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.requests.Add(1)
	h.mux.ServeHTTP(w, r)
}

// limited answers a request with what work appends to the buffer, or refuses it. The
// request is read before it takes one of the places at work, and the place is free again
// before the answer is written, so that slow clients take no place. The room that all share
// bounds the bytes that they send and get: while large requests that are half sent fill it,
// other large requests are asked to come back.
func (h *Handler) limited(work func(b *buffer, r *http.Request) (kind string, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		b := buffers.Get().(*buffer)
		defer b.give()
		defer h.room.free(b)
		kind, err := "", b.read(http.MaxBytesReader(w, r.Body, h.limits.Body), &h.room)
		if err == nil {
			kind, err = h.atWork(work, b, r)
		}
		if err == nil && !h.room.take(b, len(b.out)) {
			err = errFull
		}
		if err != nil {
			h.refuse(w, statusOf(err), err)
			return
		}
		answer(w, http.StatusOK, kind, b.out)
	}
}

// atWork does the work of a request when it gets a place.
func (h *Handler) atWork(work func(*buffer, *http.Request) (string, error), b *buffer, r *http.Request) (string, error) {
	if err := h.place(r.Context()); err != nil {
		return "", err
	}
	defer func() { <-h.slots }()
	b.out = b.out[:0]
	return work(b, r)
}

// Why a request is refused that may be sent again.
var (
	errFull   = errors.New("there is no room for more requests: come back in a second")
	errQueue  = errors.New("as many requests are waiting as may: come back in a second")
	errWaited = errors.New("the request has waited for too long: come back in a second")
)

// A longError is a request of more than this number of bytes.
type longError int64

func (e longError) Error() string {
	return fmt.Sprintf("a request of more than %d bytes: send it in parts", int64(e))
}

func statusOf(err error) int {
	switch {
	case errors.Is(err, errFull), errors.Is(err, errQueue):
		return http.StatusTooManyRequests
	case errors.Is(err, errWaited):
		return http.StatusServiceUnavailable
	case input.Is[longError](err):
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusBadRequest
}

// place takes a place at work, and waits for one in the queue if all are taken.
func (h *Handler) place(ctx context.Context) error {
	select {
	case h.slots <- struct{}{}:
		return nil
	default:
	}
	defer h.waiting.Add(-1)
	if h.waiting.Add(1) > int64(h.limits.Queue) {
		return errQueue
	}
	late := time.NewTimer(h.limits.Wait)
	defer late.Stop()
	select {
	case h.slots <- struct{}{}:
		return nil
	case <-late.C:
	case <-ctx.Done(): // a client that is gone reads nothing
	}
	return errWaited
}

// refuse answers what is wrong with a request.
func (h *Handler) refuse(w http.ResponseWriter, status int, why error) {
	h.refused.Add(1)
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	text, err := json.Marshal(map[string]string{"error": why.Error()})
	if err != nil {
		text = []byte(`{"error":"a request that is wrong"}`) // a text always has a form in JSON
	}
	answer(w, status, jsonType, append(text, '\n'))
}

// The kinds of answers.
const (
	jsonType  = "application/json"
	linesType = "application/jsonl"
)

// answer writes a document. A client that is gone by now is no error of ours.
func answer(w http.ResponseWriter, status int, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// An item is an answer to a problem. An item that can be judged has both.
type item struct {
	ID     *string `json:"id"`
	Answer *string `json:"answer"`
}

const wantJudge = `want {"items": [{"id": "...", "answer": "..."}], "reading": "lenient", "embeddings": false}, all ids and answers text`

type judgeRequest struct {
	Items      list[item]       `json:"items"`
	Reading    *judging.Reading `json:"reading"`
	Embeddings bool             `json:"embeddings"`
}

func (h *Handler) judge(b *buffer, _ *http.Request) (string, error) {
	var request judgeRequest
	if err := decode(b.in, &request, wantJudge); err != nil {
		return "", err
	}
	if request.Items == nil {
		return "", errors.New("items is missing: " + wantJudge)
	}
	if n := len(request.Items); n > h.limits.Items {
		return "", fmt.Errorf("%d items, want at most %d in a request", n, h.limits.Items)
	}
	reading := judging.Lenient
	if request.Reading != nil {
		if reading = *request.Reading; reading != judging.Strict && reading != judging.Lenient {
			return "", fmt.Errorf("reading is %.40q, want strict or lenient", reading)
		}
	}
	b.out = append(b.out, `{"verdicts":[`...)
	parts, err := h.verdictsOf(b, request.Items, reading, request.Embeddings)
	if err != nil {
		return "", err
	}
	for i, part := range parts {
		if i > 0 {
			b.out = append(b.out, ',')
		}
		b.out = append(b.out, part...)
	}
	b.out = append(b.out, "]}\n"...)
	return jsonType, nil
}

// verdictsOf judges items on all processors. Each part of the result has the verdicts of
// several items, in order, with commas between. Verdicts that are too long are an error.
func (h *Handler) verdictsOf(b *buffer, items []item, reading judging.Reading, embeddings bool) ([][]byte, error) {
	began, judged := time.Now(), h.request()
	defer func() { h.seconds.Add(int64(time.Since(began))) }()
	workers := min(runtime.GOMAXPROCS(0), (len(items)+31)/32)
	for len(b.parts) < workers {
		b.parts = append(b.parts, nil)
	}
	var group sync.WaitGroup
	for k := range workers {
		group.Go(func() {
			part := b.parts[k][:0]
			for i := k * len(items) / workers; i < (k+1)*len(items)/workers && !judged.long(); i++ {
				if len(part) > 0 {
					part = append(part, ',')
				}
				from := len(part)
				part = h.verdict(part, judged, &items[i], reading, embeddings)
				judged.written.Add(int64(len(part) - from))
			}
			b.parts[k] = part
		})
	}
	group.Wait()
	if judged.long() {
		return nil, h.limits.long()
	}
	return b.parts[:workers], nil
}

func (h *Handler) verdict(dst []byte, judged *request, it *item, reading judging.Reading, embeddings bool) []byte {
	q, err := judged.problem(it)
	if err != nil {
		h.faults.Add(1)
		return judging.AppendFault(dst, it.ID, err)
	}
	h.verdicts.Add(1)
	j := judging.Judge(q, *it.Answer, reading)
	return j.AppendNamed(dst, *it.ID, judging.Fields(q, embeddings))
}

func (h *Handler) problems(b *buffer, r *http.Request) (string, error) {
	set, err := parseDataset(r.URL.Query(), h.limits.Problems)
	if err != nil {
		return "", err
	}
	ctx, stop := context.WithTimeout(r.Context(), requestTime)
	defer stop()
	err = set.Lines(ctx, func(line []byte) error {
		if int64(len(b.out)+len(line)) > h.limits.Reply {
			return h.limits.long()
		}
		b.out = append(b.out, line...)
		return nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		err = errLate
	}
	return linesType, err
}

func (h *Handler) metrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	for _, m := range []struct {
		name, kind, help string
		x                float64
	}{
		{"requests_total", "counter", "Requests, refused ones too.", float64(h.requests.Load())},
		{"refused_total", "counter", "Requests that were refused.", float64(h.refused.Load())},
		{"verdicts_total", "counter", "Answers that were judged.", float64(h.verdicts.Load())},
		{"faults_total", "counter", "Items that name no problem.", float64(h.faults.Load())},
		{"judging_seconds_total", "counter", "Time in which batches were judged.", time.Duration(h.seconds.Load()).Seconds()},
		{"waiting", "gauge", "Requests that wait for a place.", float64(h.waiting.Load())},
		{"problems", "gauge", "Problems that are kept.", float64(h.cache.Len())},
		{"uptime_seconds", "gauge", "Time since the start.", time.Since(h.start).Seconds()},
	} {
		_, _ = fmt.Fprintf(w, "# HELP modebench_judge_%s %s\n# TYPE modebench_judge_%s %s\nmodebench_judge_%s %v\n", m.name, m.help, m.name, m.kind, m.name, m.x)
	}
}

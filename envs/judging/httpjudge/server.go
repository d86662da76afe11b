// Package httpjudge judges responses over HTTP: in batches, with limits that no client can pass.
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
// A verdict is what judging.Judgement.AppendNamed writes. An item that names no problem gets
// {"id": ..., "fault": "..."} in its place. What is wrong with a request is {"error": "..."} with a
// status from 400 on; no request is answered with one from 500 on. Nothing is read from a disk.
package httpjudge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"modebench/envs/judging"
	"modebench/envs/reference"
)

// Limits bound what one request, and all at once, may ask for.
type Limits struct {
	Body     int64 // bytes of a request
	Items    int   // answers in a request
	Problems int   // lines of /problems
	Requests int   // judged at the same time; more are told to come back
	Cache    int   // problems that are kept
}

// DefaultLimits are what a trainer on the same machine needs, and several of them.
func DefaultLimits() Limits {
	return Limits{Body: 64 << 20, Items: 65536, Problems: 10000, Requests: 4 * runtime.GOMAXPROCS(0), Cache: 1024}
}

// Timeouts of a connection: a client that sends or reads too slowly is cut off.
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
	mux    *http.ServeMux

	requests, refused, verdicts, faults atomic.Int64
	seconds                             atomic.Int64 // of judging, in nanoseconds
	start                               time.Time
}

// New returns a handler.
func New(limits Limits) *Handler {
	h := &Handler{limits: limits, cache: reference.NewCache(limits.Cache), slots: make(chan struct{}, limits.Requests), mux: http.NewServeMux(), start: time.Now()}
	h.mux.HandleFunc("POST /judge", h.limited(h.judge))
	h.mux.HandleFunc("POST /openrlhf", h.limited(h.openRLHF))
	h.mux.HandleFunc("GET /problems", h.limited(h.problems))
	h.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, []byte("{\"status\":\"ok\"}\n"))
	})
	h.mux.HandleFunc("GET /metrics", h.metrics)
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h.refuse(w, http.StatusNotFound, fmt.Errorf("there is no %s %.60q; there are POST /judge, POST /openrlhf, GET /problems, GET /healthz and GET /metrics", r.Method, r.URL.Path))
	})
	return h
}

// Server is an HTTP server with the handler and the timeouts.
func (h *Handler) Server() *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: HeaderTimeout, ReadTimeout: ReadTimeout, WriteTimeout: WriteTimeout,
		IdleTimeout: IdleTimeout, MaxHeaderBytes: 1 << 16,
	}
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.requests.Add(1)
	h.mux.ServeHTTP(w, r)
}

// limited lets so many requests in at a time, and bounds their bodies.
func (h *Handler) limited(serve func(http.ResponseWriter, *http.Request)) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case h.slots <- struct{}{}:
			defer func() { <-h.slots }()
		default:
			w.Header().Set("Retry-After", "1")
			h.refuse(w, http.StatusTooManyRequests, fmt.Errorf("%d requests are being judged: come back in a second", h.limits.Requests))
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, h.limits.Body)
		serve(w, r)
	}
}

// refuse answers what is wrong with a request.
func (h *Handler) refuse(w http.ResponseWriter, status int, why error) {
	h.refused.Add(1)
	text, err := json.Marshal(map[string]string{"error": why.Error()})
	if err != nil {
		text = []byte(`{"error":"a request that is wrong"}`) // a text always has a form in JSON
	}
	answer(w, status, append(text, '\n'))
}

// answer writes a document. A client that is gone by now is no error of ours.
func answer(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// body reads a request, into memory that others used before.
func (h *Handler) body(w http.ResponseWriter, r *http.Request, b *buffer) ([]byte, bool) {
	data, err := b.read(r.Body)
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		h.refuse(w, http.StatusRequestEntityTooLarge, fmt.Errorf("a request of more than %d bytes: send it in parts", h.limits.Body))
	case err != nil:
		h.refuse(w, http.StatusBadRequest, errors.New("the request ends too early"))
	}
	return data, err == nil
}

// A buffer is memory for a request and its answer.
type buffer struct {
	in    []byte
	out   []byte
	parts [][]byte
}

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// give puts a buffer back, unless a huge request has made it huge.
func (b *buffer) give() {
	if cap(b.in)+cap(b.out) < 8<<20 {
		buffers.Put(b)
	}
}

func (b *buffer) read(r io.Reader) ([]byte, error) {
	b.in = b.in[:0]
	for {
		if len(b.in) == cap(b.in) {
			b.in = append(b.in, make([]byte, max(4096, len(b.in)))...)[:len(b.in)]
		}
		n, err := r.Read(b.in[len(b.in):cap(b.in)])
		b.in = b.in[:len(b.in)+n]
		if err == io.EOF {
			return b.in, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// An item is an answer to a problem.
type item struct {
	ID     string `json:"id"`
	Answer string `json:"answer"`
}

type judgeRequest struct {
	Items      []item           `json:"items"`
	Reading    *judging.Reading `json:"reading"`
	Embeddings bool             `json:"embeddings"`
}

func (h *Handler) judge(w http.ResponseWriter, r *http.Request) {
	b := buffers.Get().(*buffer)
	defer b.give()
	data, ok := h.body(w, r, b)
	if !ok {
		return
	}
	request, err := parseJudge(data)
	if err == nil && len(request.Items) > h.limits.Items {
		err = fmt.Errorf("%d items, want at most %d in a request", len(request.Items), h.limits.Items)
	}
	reading := judging.Lenient
	if err == nil && request.Reading != nil {
		if reading = *request.Reading; reading != judging.Strict && reading != judging.Lenient {
			err = fmt.Errorf("reading is %.40q, want strict or lenient", reading)
		}
	}
	if err != nil {
		h.refuse(w, http.StatusBadRequest, err)
		return
	}
	b.out = append(b.out[:0], `{"verdicts":[`...)
	for i, part := range h.verdictsOf(b, request.Items, reading, request.Embeddings) {
		if i > 0 {
			b.out = append(b.out, ',')
		}
		b.out = append(b.out, part...)
	}
	b.out = append(b.out, "]}\n"...)
	answer(w, http.StatusOK, b.out)
}

// verdictsOf judges items on all processors. Each part of what it returns has the verdicts of
// several of them, with commas between, in order.
func (h *Handler) verdictsOf(b *buffer, items []item, reading judging.Reading, embeddings bool) [][]byte {
	began, problems := time.Now(), h.finder()
	defer func() { h.seconds.Add(int64(time.Since(began))) }()
	workers := min(runtime.GOMAXPROCS(0), (len(items)+31)/32)
	for len(b.parts) < workers {
		b.parts = append(b.parts, nil)
	}
	var group sync.WaitGroup
	for k := range workers {
		group.Go(func() {
			part := b.parts[k][:0]
			for i := k * len(items) / workers; i < (k+1)*len(items)/workers; i++ {
				if len(part) > 0 {
					part = append(part, ',')
				}
				part = h.verdict(part, problems, &items[i], reading, embeddings)
			}
			b.parts[k] = part
		})
	}
	group.Wait()
	return b.parts[:workers]
}

// verdict appends the verdict of an item, or its fault.
func (h *Handler) verdict(dst []byte, problems finder, it *item, reading judging.Reading, embeddings bool) []byte {
	q, err := problems.find(it.ID)
	if err != nil {
		h.faults.Add(1)
		return judging.AppendFault(dst, &it.ID, err)
	}
	h.verdicts.Add(1)
	j := judging.Judge(q, it.Answer, reading)
	return j.AppendNamed(dst, it.ID, judging.Fields(q, embeddings))
}

type openRLHFRequest struct {
	Query   []string `json:"query"`
	Prompts []string `json:"prompts"`
	Labels  []string `json:"labels"`
}

// openRLHF answers as OpenRLHF's client reads it (openrlhf/utils/agent.py, version 0.11.2). A label
// that names no problem is an error of the data, so that the whole request is refused.
func (h *Handler) openRLHF(w http.ResponseWriter, r *http.Request) {
	b := buffers.Get().(*buffer)
	defer b.give()
	data, ok := h.body(w, r, b)
	if !ok {
		return
	}
	var request openRLHFRequest
	err := json.Unmarshal(data, &request)
	switch n := len(request.Query); {
	case err != nil:
		err = errors.New(`want {"query": [...], "prompts": [...], "labels": [...]} of texts`)
	case len(request.Prompts) != n || len(request.Labels) != n:
		err = fmt.Errorf("%d queries, %d prompts and %d labels: want as many of each", n, len(request.Prompts), len(request.Labels))
	case n > h.limits.Items:
		err = fmt.Errorf("%d queries, want at most %d in a request", n, h.limits.Items)
	}
	problems := h.finder()
	rewards, correct := make([]float64, len(request.Query)), make([]float64, len(request.Query))
	for i := 0; i < len(request.Query) && err == nil; i++ {
		rewards[i], correct[i], err = h.reward(problems, &request, i)
	}
	if err != nil {
		h.refuse(w, http.StatusBadRequest, err)
		return
	}
	out, err := json.Marshal(map[string]any{"rewards": rewards, "scores": rewards, "extra_logs": map[string]any{"acc": correct}})
	if err != nil { // a reward that JSON has no number for
		h.refuse(w, http.StatusBadRequest, err)
		return
	}
	answer(w, http.StatusOK, append(out, '\n'))
}

// reward is the scalar reward of a response, and 1 if it is correct; of a chain the means.
func (h *Handler) reward(problems finder, request *openRLHFRequest, i int) (reward, correct float64, err error) {
	q, err := problems.find(request.Labels[i])
	if err != nil {
		return 0, 0, fmt.Errorf("labels[%d]: %w", i, err)
	}
	j := judging.Judge(q, Response(request.Query[i], request.Prompts[i]), judging.Lenient)
	h.verdicts.Add(int64(len(j.Verdicts)))
	for _, v := range j.Verdicts {
		reward += v.Scalar(q.Weights) / float64(len(j.Verdicts))
		if v.Correct {
			correct += 1 / float64(len(j.Verdicts))
		}
	}
	return reward, correct, nil
}

// Response is what stands behind the prompt in a query, without the tokens that end it, which
// OpenRLHF decodes with the rest.
func Response(query, prompt string) string {
	if _, rest, found := strings.Cut(query, prompt); found {
		query = rest
	}
	for {
		trimmed := strings.TrimRight(query, " \t\r\n")
		for _, end := range []string{"</s>", "<eos>", "<end_of_turn>", "<|im_end|>", "<|endoftext|>", "<|eot_id|>"} {
			trimmed = strings.TrimSuffix(trimmed, end)
		}
		if trimmed == query {
			return query
		}
		query = trimmed
	}
}

// problems prints a data set.
func (h *Handler) problems(w http.ResponseWriter, r *http.Request) {
	set, err := parseDataset(r.URL.Query(), h.limits.Problems)
	if err != nil {
		h.refuse(w, http.StatusBadRequest, err)
		return
	}
	ctx, stop := context.WithTimeout(r.Context(), makingTime)
	defer stop()
	// A line is made whole before the answer begins, so that what is wrong with the settings is said.
	begun := false
	err = set.Lines(ctx, func(line []byte) error {
		if !begun {
			w.Header().Set("Content-Type", "application/jsonl")
			begun = true
		}
		_, err := w.Write(line)
		return err
	})
	if err != nil && !begun {
		h.refuse(w, http.StatusBadRequest, err)
	}
}

// metrics prints counters in Prometheus's text format.
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
		{"problems", "gauge", "Problems that are kept.", float64(h.cache.Len())},
		{"uptime_seconds", "gauge", "Time since the start.", time.Since(h.start).Seconds()},
	} {
		_, _ = fmt.Fprintf(w, "# HELP modebench_judge_%s %s\n# TYPE modebench_judge_%s %s\nmodebench_judge_%s %v\n", m.name, m.help, m.name, m.kind, m.name, m.x)
	}
}

package httpjudge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"modebench/envs"
	"modebench/envs/reference"
	"modebench/internal/params"
)

// Limits bound what one request, and all at once, may ask for.
type Limits struct {
	Body     int64         // bytes of a request
	Items    int           // answers in a request
	Answer   int           // bytes of an answer
	Reply    int64         // bytes of the verdicts, or problems, that a request gets
	Problems int           // lines of /problems
	Requests int           // at work at the same time
	Queue    int           // that wait for a place at work; more are asked to come back
	Wait     time.Duration // that one waits for, at most
	Memory   int64         // bytes of requests and replies that there are at the same time
	Cache    int           // problems that are kept
}

// DefaultLimits serve several trainers on the same machine.
func DefaultLimits() Limits {
	return Limits{
		Body: 64 << 20, Items: mostItems, Answer: 1 << 20, Reply: 64 << 20, Problems: 10000,
		Requests: 4 * runtime.GOMAXPROCS(0), Queue: 256, Wait: 30 * time.Second, Memory: 256 << 20, Cache: 1024,
	}
}

func (l *Limits) long() error {
	return fmt.Errorf("the reply has more than %d bytes: ask for less at a time", l.Reply)
}

// requestTime is how long a request may be at work, but for the answer it is judging then.
// A problem that is not kept yet takes microseconds under most settings. Under some it
// takes two seconds to find that the problem does not exist.
const requestTime = 10 * time.Second

// Bounds of the memory that the settings of a reference may make an environment hold, as
// some fields take memory for each other's values.
const (
	largestProblem   = 1 << 12 // rewards of a problem, which is half a megabyte
	largestEmbedding = 1 << 18 // numbers in the embeddings of all its arms
)

var errLate = fmt.Errorf("the request has taken %v: ask for less, or for fewer new problems, at a time", requestTime)

// cheap refuses settings that take too much memory.
func cheap(r *reference.Reference) error {
	values := params.Values(r.Config)
	product := func(names ...string) int {
		size := 1
		for _, name := range names {
			if n, ok := values[name].(int); ok {
				size *= max(1, n)
			}
		}
		return size
	}
	if n := product("modes", "arms_per_mode", "components"); n > largestProblem {
		return fmt.Errorf("its settings make %d rewards, want at most %d here", n, largestProblem)
	}
	if n := product("modes", "arms_per_mode", "dim"); n > largestEmbedding {
		return fmt.Errorf("its settings make embeddings of %d numbers, want at most %d here", n, largestEmbedding)
	}
	return nil
}

// A request holds the state of a request at work.
type request struct {
	handler *Handler
	until   time.Time
	written atomic.Int64 // bytes of the reply
}

func (h *Handler) request() *request {
	return &request{handler: h, until: time.Now().Add(requestTime)}
}

// problem is the problem of an item that may be judged.
func (r *request) problem(it *item) (*reference.Posed, error) {
	switch {
	case it.ID == nil || it.Answer == nil:
		return nil, errItem
	case len(*it.Answer) > r.handler.limits.Answer:
		return nil, fmt.Errorf("an answer of more than %d bytes", r.handler.limits.Answer)
	case time.Now().After(r.until):
		return nil, errLate
	}
	return r.handler.cache.Find(*it.ID, cheap)
}

func (r *request) long() bool { return r.written.Load() > r.handler.limits.Reply }

var errItem = errors.New(`want {"id": "...", "answer": "..."}, both of them text`)

// mostItems bounds every list of a request while it is read: a short text may be long in memory.
const mostItems = 65536

// A list is a list of a request. A list that is too long is not read to its end.
type list[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *list[T]) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if begin, err := d.Token(); err != nil || begin != json.Delim('[') {
		return cmp.Or(err, errors.New("want a list"))
	}
	*l = list[T]{} // which is there, if empty
	for d.More() {
		if len(*l) == mostItems {
			return errMany
		}
		var x T
		if err := d.Decode(&x); err != nil {
			return err
		}
		*l = append(*l, x)
	}
	return nil
}

var errMany = fmt.Errorf("more than %d items in a list of the request, want fewer", mostItems)

func decode(data []byte, request any, form string) error {
	err := json.Unmarshal(data, request)
	if err != nil && !errors.Is(err, errMany) {
		return errors.New(form)
	}
	return err
}

func parseDataset(query url.Values, bound int) (*reference.Dataset, error) {
	for name, values := range query {
		if !slices.Contains([]string{"env", "split", "index", "count", "shots", "settings"}, name) || len(values) != 1 {
			return nil, fmt.Errorf("the query has %.40q, want env, split, index, count, shots and settings, each once", name)
		}
	}
	if query.Get("env") == "" {
		return nil, fmt.Errorf("env is missing: want one of %s", strings.Join(envs.Names(), ", "))
	}
	number := map[string]int{}
	for _, field := range []struct {
		name, normal string
		limit        int
	}{{"index", "0", math.MaxInt}, {"count", "1", bound}, {"shots", "0", 16}} {
		n, err := strconv.Atoi(cmp.Or(query.Get(field.name), field.normal))
		if err != nil || n < 0 || n > field.limit {
			return nil, fmt.Errorf("%s is %.20q, want 0 to %d", field.name, query.Get(field.name), field.limit)
		}
		number[field.name] = n
	}
	text := fmt.Sprintf("%s/%s/%d", query.Get("env"), cmp.Or(query.Get("split"), "train"), number["index"])
	if settings := query.Get("settings"); settings != "" {
		text += "?" + settings
	}
	first, err := reference.Parse(text)
	if err != nil {
		return nil, err
	}
	return &reference.Dataset{First: first, Count: number["count"], Shots: number["shots"]}, cheap(first)
}

type buffer struct {
	in    []byte
	out   []byte
	parts [][]byte
	held  int64 // of the room
}

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// keptBuffer is how large a buffer may be that is kept for the next request, in bytes.
const keptBuffer = 8 << 20

// give puts a buffer back, unless a huge request has made it huge.
func (b *buffer) give() {
	size := cap(b.in) + cap(b.out)
	for _, part := range b.parts {
		size += cap(part)
	}
	if size < keptBuffer {
		buffers.Put(b)
	}
}

// read reads a request, and takes room for the bytes that have come.
func (b *buffer) read(r io.Reader, room *room) error {
	b.in = b.in[:0]
	for {
		if len(b.in) == cap(b.in) {
			b.in = append(b.in, make([]byte, max(4096, len(b.in)))...)[:len(b.in)]
		}
		n, err := r.Read(b.in[len(b.in):cap(b.in)])
		b.in = b.in[:len(b.in)+n]
		if !room.take(b, n) {
			return errFull
		}
		var long *http.MaxBytesError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &long):
			return longError(long.Limit)
		case err != nil:
			return errors.New("the request ends too early")
		}
	}
}

// A room is how many bytes of requests and replies there may still be. The last quarter of it is
// for small ones, so that large requests that are half sent do not keep them out.
type room struct {
	left     atomic.Int64
	reserved int64
}

// smallRequest is the number of bytes that a request and its reply may have to take of the reserve.
const smallRequest = 1 << 20

// take takes room for n bytes of a buffer, if there is so much.
func (r *room) take(b *buffer, n int) bool {
	least := r.reserved
	if b.held+int64(n) <= smallRequest {
		least = 0
	}
	if r.left.Add(-int64(n)) < least {
		r.left.Add(int64(n))
		return false
	}
	b.held += int64(n)
	return true
}

func (r *room) free(b *buffer) {
	r.left.Add(b.held)
	b.held = 0
}

package httpjudge

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

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

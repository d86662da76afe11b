package transformer

import (
	"errors"
	"runtime"
	"sync"
	"time"

	"modebench/policies/internal/device/cuda"
)

// A stream is a stream of a card, with its owner's part of the card's memory.
//
// After an error on the card later calls do nothing, and failed is that error.
type stream struct {
	device *cuda.Device
	trim   func() error // has all streams give the driver back what they do not use
	failed error

	mu   sync.Mutex
	held map[cuda.Pointer]bool // all that is to be freed
}

func (s *stream) alloc(n int) cuda.Pointer {
	if s.failed != nil {
		return 0
	}
	p, err := s.device.Alloc(4 * n)
	// The memory of references is given back after a collection, by goroutines that follow it, to
	// the stream of their team.
	for wait := time.Millisecond; errors.Is(err, cuda.ErrOutOfMemory) && wait <= 8*time.Millisecond; wait *= 2 {
		runtime.GC()
		time.Sleep(wait)
		if err = s.trim(); err != nil {
			break
		}
		p, err = s.device.Alloc(4 * n)
	}
	s.failed = err
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = map[cuda.Pointer]bool{}
	}
	s.held[p] = true
	return p
}

// free gives memory back, once.
func (s *stream) free(p cuda.Pointer) {
	s.mu.Lock()
	held := s.held[p]
	delete(s.held, p)
	s.mu.Unlock()
	if held {
		s.device.Free(p)
	}
}

func (s *stream) freeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.held {
		s.device.Free(p)
	}
	clear(s.held)
}

// A buffer is memory of the card that grows as needed.
type buffer struct {
	start cuda.Pointer
	size  int // in float32s
}

// room gives a buffer room for n float32s, whose content does not matter.
func (s *stream) room(b *buffer, n int) cuda.Pointer {
	if b.size < n {
		s.free(b.start)
		b.size = n + n/4
		b.start = s.alloc(b.size)
	}
	return b.start
}

// A hostBuffer is memory of the host that the card reads and writes by itself.
type hostBuffer struct {
	cuda.Host
	n int // numbers in use
}

// roomOnHost gives room for n numbers, whose content does not matter, until the next call.
func (s *stream) roomOnHost(b *hostBuffer, n int) cuda.Host {
	b.n = n
	if len(b.Floats) < n && s.failed == nil {
		s.device.FreeHost(b.Host)
		b.Host, s.failed = s.device.Host(n + n/4)
	}
	if len(b.Floats) < n { // nothing comes of it
		return cuda.Host{Floats: make([]float32, n), Ints: make([]int32, n)}
	}
	return cuda.Host{Floats: b.Floats[:n], Ints: b.Ints[:n]}
}

func (s *stream) do(err error) {
	if s.failed == nil {
		s.failed = err
	}
}

func (s *stream) upload(to cuda.Pointer, xs []float32) {
	if s.failed == nil && len(xs) > 0 {
		s.do(s.device.Upload(to, xs))
	}
}

// uploadHost brings to the card what is in the buffer, which is not to be written to before
// something has waited for the card.
func (s *stream) uploadHost(to cuda.Pointer, b *hostBuffer) {
	if s.failed == nil {
		s.do(s.device.UploadHost(to, b.Host, b.n))
	}
}

func (s *stream) download(xs []float32, from cuda.Pointer) {
	if s.failed == nil && len(xs) > 0 {
		s.do(s.device.Download(xs, from))
	}
}

func (s *stream) clear(p cuda.Pointer, n int) {
	if s.failed == nil && n > 0 {
		s.do(s.device.Clear(p, 4*n))
	}
}

// settle waits until what was started is done, so that other streams see it.
func (s *stream) settle() {
	if s.failed == nil {
		s.do(s.device.Synchronize())
	}
}

func (s *stream) launch(kernel string, grid, block cuda.Dim, args ...any) {
	if s.failed == nil && grid.X != 0 {
		s.do(s.device.Launch(kernel, grid, block, args...))
	}
}

// The threads of a block: of kernels that take a warp per row, of those that take a
// thread per entry or column, and of the kernels of attention.
const (
	warpsABlock      = 4
	threadsABlock    = 256
	attentionThreads = 128
	attentionRows    = 16 // of a tile
)

// byRow launches a kernel that takes a warp per row, byEntry one of a thread per entry.
func (s *stream) byRow(kernel string, rows int, args ...any) {
	s.launch(kernel, cuda.Dim{X: ceil(rows, warpsABlock)}, cuda.Dim{X: 32 * warpsABlock}, args...)
}

func (s *stream) byEntry(kernel string, n int, args ...any) {
	s.launch(kernel, cuda.Dim{X: min(ceil(n, threadsABlock), 4096)}, cuda.Dim{X: threadsABlock}, args...)
}

package transformer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
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
	s.failed = cmp.Or(s.failed, err)
}

func (s *stream) upload(to cuda.Pointer, xs []float32) {
	if s.failed == nil && len(xs) > 0 {
		s.do(s.device.Upload(to, xs))
	}
}

// uploadHost uploads a buffer, which is not to be written to before something has waited.
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

// A gpu does on a graphics card what a network does on the processor, with the same bits, for the
// policies of a lockstep. Where the processor goes through a batch chunk by chunk, here the rows of
// all chunks of all policies lie one after the other, and each step of a pass is one launch for
// all. The host computes objectives, encodings and draws between passes from the same numbers.
type gpu struct {
	stream
	shape *shape

	parts     buffer    // the gradients of the chunks
	partial   buffer    // of the sums of squares
	sums      []float32 // the same, on the host
	gradients hostBuffer
	gradient  []float32 // of the logits, there: each policy's part is for it to fill

	tables   tables
	offsets  cuda.Pointer // among them: of the policies' own parameters,
	compared cuda.Pointer // and of those that they are compared with

	batch stack
	pass  gpuSpace
	lanes gpuLanes
}

// cells are parameters that a pass reads: those of cell c lie offsets[c] numbers behind base.
type cells struct {
	n       int
	base    cuda.Pointer
	offsets cuda.Pointer // in 64 bits each
}

// pointer is a tensor's place on the card, for the first cell; 0 without a tensor.
func (c cells) pointer(t *tensor) cuda.Pointer {
	if t == nil {
		return 0
	}
	return c.base.At(t.offset)
}

func (g *gpu) onCells(kernel string, rows *cellRows, args ...any) {
	g.launch(kernel, cuda.Dim{X: ceil(rows.largest, warpsABlock), Y: len(rows.bounds) - 1}, cuda.Dim{X: 32 * warpsABlock}, args...)
}

// matmul is C = from + bias + A B, or with the transpose of B, B and bias being each
// cell's own: see kernels/matmul.cu. from and bias may be missing. Large tiles are for products of
// which they make enough to go round: two warps each, and a multiprocessor wants two for each of
// its four schedulers.
func (g *gpu) matmul(c, a cuda.Pointer, w cells, b *tensor, transposed bool, rows *cellRows, from cuda.Pointer, bias *tensor) {
	n, count, rowStride, columnStride := b.columns, b.rows, b.columns, 1
	if transposed {
		n, count, rowStride, columnStride = count, n, columnStride, rowStride
	}
	kernel, edge := "matmul", 64
	if blocks := w.n * ceil(rows.largest, 64) * ceil(n, 64); blocks < 4*g.device.Multiprocessors() {
		kernel, edge = "matmul_small", 32
	}
	if rows.n > 0 {
		g.launch(kernel, cuda.Dim{X: ceil(n, edge), Y: ceil(rows.largest, edge), Z: w.n}, cuda.Dim{X: matmulThreads},
			c, int32(n), a, int32(count), int32(1), w.pointer(b), int32(rowStride), int32(columnStride),
			rows.starts, w.offsets, int32(n), int32(count), from, int32(n), w.pointer(bias))
	}
}

const matmulThreads = 64

func (g *gpu) apply(y, x cuda.Pointer, w cells, l linear, base cuda.Pointer, rows *cellRows) {
	g.matmul(y, x, w, l.weight, false, rows, base, l.bias)
}

func (g *gpu) linearBackward(dx, dy, x cuda.Pointer, w cells, l linear, chunks chunked) {
	in, out := l.weight.rows, l.weight.columns
	g.matmul(dx, dy, w, l.weight, true, chunks.rows, 0, nil)
	g.launch("matmul_chunks", cuda.Dim{X: ceil(out, 32), Y: ceil(in, 32), Z: chunks.n}, cuda.Dim{X: matmulThreads},
		g.part(l.weight), g.part(l.bias), int32(g.shape.size), int32(out), x, int32(in), dy, int32(out), chunks.starts, int32(chunks.n), int32(in), int32(out))
}

// chunked are rows, or answers, of n chunks, and where those of each chunk begin.
type chunked struct {
	rows   *cellRows
	starts cuda.Pointer
	n      int
}

// part is a tensor's place in the first chunk's gradient; 0 without a tensor.
func (g *gpu) part(t *tensor) cuda.Pointer { return cells{base: g.parts.start}.pointer(t) }

func (g *gpu) norm(y, mean, rstd, x cuda.Pointer, w cells, gain, bias *tensor, rows *cellRows) {
	g.onCells("layer_norm", rows, y, mean, rstd, x, w.pointer(gain), w.pointer(bias), rows.starts, w.offsets, int32(g.shape.d))
}

// normBackward adds to dx, and to the chunks' gradients of gain and bias.
func (g *gpu) normBackward(dx, dy, x, mean, rstd cuda.Pointer, w cells, gain, bias *tensor, chunks chunked) {
	const threads = 64 // of a column and chunk each: more blocks, each of which goes through its rows alone
	d := g.shape.d
	g.onCells("layer_norm_backward", chunks.rows, dx, dy, x, mean, rstd, w.pointer(gain), chunks.rows.starts, w.offsets, int32(d))
	g.launch("layer_norm_sums", cuda.Dim{X: ceil(d, threads), Y: chunks.n}, cuda.Dim{X: threads},
		g.part(gain), g.part(bias), int32(g.shape.size), dy, x, mean, rstd, chunks.starts, int32(chunks.n), int32(d))
}

// squares adds up squares of the policies' gradients as SumSquares does.
func (g *gpu) squares(w cells, members []*member) {
	const block = 1024
	n := ceil(g.shape.size, block)
	partial := g.room(&g.partial, len(members)*n)
	g.launch("sum_squares", cuda.Dim{X: ceil(n, warpsABlock), Y: w.n}, cuda.Dim{X: 32 * warpsABlock},
		partial, w.base.At(g.shape.stride()), w.offsets, int32(g.shape.size))
	g.sums = grow(g.sums, len(members)*n)
	g.download(g.sums, partial)
	for i, m := range members {
		m.squares = 0
		for _, x := range g.sums[i*n : (i+1)*n] {
			m.squares += float64(x)
		}
	}
}

// stride is the distance of the parameters of a policy that learns, its gradient and its moments.
func (s *shape) stride() int {
	const aligned = 64 // numbers, as memory of the card is
	return roundUp(s.size, aligned)
}

func (g *gpu) adam(t *team, members []*member) {
	g.tables.begin()
	var values cuda.Pointer
	var scalars []int32 // their bits
	for _, m := range members {
		o := &m.optimizer
		for _, x := range [...]float32{o.Scale, o.Beta1, o.Rest1, o.Beta2, o.Rest2, o.Rate, o.Root, o.Eps, o.Decay} {
			scalars = append(scalars, int32(math.Float32bits(x)))
		}
	}
	g.tables.add(&values, scalars)
	w := g.parameters(members, &g.offsets, func(m *member) cuda.Pointer { return m.memory })
	g.send(&g.tables)
	w.offsets = g.offsets
	n, stride := g.shape.size, g.shape.stride()
	g.launch("adamw", cuda.Dim{X: min(ceil(n, threadsABlock), 4096), Y: w.n}, cuda.Dim{X: threadsABlock},
		w.base, w.base.At(stride), w.base.At(2*stride), w.base.At(3*stride), t.decays, values, w.offsets, int32(n))
	g.settle()
}

// Bounds of a launch. A thread steps by the number of threads, at most 2^20, until its index is past
// the last number, and that index has to be below 2^31. A grid's second and third sides have 16 bits.
const (
	mostNumbers = math.MaxInt32 - 1<<20
	mostSide    = math.MaxUint16
)

// fits is an error if the kernels cannot count the numbers of a layer, of the logits, the features
// or the gradients, or a grid the tiles and chunks.
func (s *shape) fits(rows, features, chunks int) error {
	largest := max(4*s.d, s.vocabulary) * rows
	const edge = 32 // of the smallest tiles
	if max(largest, features, chunks*s.size) <= mostNumbers && rows <= edge*mostSide && chunks <= mostSide {
		return nil
	}
	return fmt.Errorf("a batch of %d rows in %d chunks is too large for a card, which takes %d rows, %d chunks, and layers and gradients of %d numbers: want smaller batches",
		rows, chunks, edge*mostSide, mostSide, mostNumbers)
}

// widestHead is ATTENTION_HEAD of kernels/attention.cu: the numbers of a head there is room for.
const widestHead = 64

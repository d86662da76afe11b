package transformer

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"modebench/policies/internal/device"
	"modebench/policies/internal/device/cuda"
)

// A gpu does on a graphics card what a network does on the processor, with the same
// bits. Where the processor goes through a batch chunk by chunk, here the rows of all
// chunks lie one after the other, and each step of a pass is one launch for all. What
// the host works out between passes (objectives, encodings, draws) it works out from
// the same numbers.
//
// After an error on the card later calls do nothing, and the next one that can return an
// error returns it.
type gpu struct {
	device *cuda.Device
	shape  *shape
	failed error

	grad, first, second cuda.Pointer // of the parameters, as Policy has them on the processor
	decays              cuda.Pointer // 1 where a parameter decays, else 0
	parts               buffer       // the gradients of the chunks
	partial             buffer       // of the sum of squares
	sums                []float32    // the same, on the host

	batch layout
	pass  gpuSpace
	lanes gpuLanes

	lanesForTests int // in place of lanesAtOnce

	mu   sync.Mutex
	held map[cuda.Pointer]bool // all that is to be freed
}

func newGPU(device *cuda.Device, s *shape) *gpu {
	g := &gpu{device: device, shape: s, held: map[cuda.Pointer]bool{}}
	g.grad, g.first, g.second, g.decays = g.alloc(s.size), g.alloc(s.size), g.alloc(s.size), g.alloc(s.size)
	decays := make([]float32, s.size)
	for _, t := range s.tensors {
		if t.decays {
			for i := range t.of(decays) {
				t.of(decays)[i] = 1
			}
		}
	}
	g.upload(g.decays, decays)
	return g
}

// alloc gives room for so many float32s.
func (g *gpu) alloc(n int) cuda.Pointer {
	if g.failed != nil {
		return 0
	}
	p, err := g.device.Alloc(4 * n)
	// What references hold is given back after a collection, by goroutines that follow it.
	for wait := time.Millisecond; errors.Is(err, cuda.ErrOutOfMemory) && wait <= 8*time.Millisecond; wait *= 2 {
		runtime.GC()
		time.Sleep(wait)
		p, err = g.device.Alloc(4 * n)
	}
	g.failed = err
	g.mu.Lock()
	g.held[p] = true
	g.mu.Unlock()
	return p
}

// free gives memory back, unless it has been given back already.
func (g *gpu) free(p cuda.Pointer) {
	g.mu.Lock()
	held := g.held[p]
	delete(g.held, p)
	g.mu.Unlock()
	if held {
		g.device.Free(p)
	}
}

// close gives all memory back.
func (g *gpu) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for p := range g.held {
		g.device.Free(p)
	}
	clear(g.held)
	if g.failed == nil {
		g.failed = errors.New("the policy is closed")
	}
}

// newWeights makes room for parameters. It is given back when nobody has them any
// more: references have no end of their own.
func (g *gpu) newWeights() *weights {
	w := &weights{card: g.alloc(g.shape.size)}
	runtime.AddCleanup(w, g.free, w.card)
	return w
}

// room gives a buffer room for so many float32s, whose content does not matter.
func (g *gpu) room(b *buffer, n int) cuda.Pointer {
	if b.size < n {
		g.free(b.at)
		b.size = n + n/4
		b.at = g.alloc(b.size)
	}
	return b.at
}

func (g *gpu) do(err error) {
	if g.failed == nil {
		g.failed = err
	}
}

func (g *gpu) upload(to cuda.Pointer, xs []float32) {
	if g.failed == nil && len(xs) > 0 {
		g.do(g.device.Upload(to, xs))
	}
}

// ints uploads to a buffer.
func (g *gpu) ints(b *buffer, xs []int32) cuda.Pointer {
	at := g.room(b, len(xs))
	if g.failed == nil && len(xs) > 0 {
		g.do(g.device.UploadInts(at, xs))
	}
	return at
}

func (g *gpu) download(xs []float32, from cuda.Pointer) {
	if g.failed == nil && len(xs) > 0 {
		g.do(g.device.Download(xs, from))
	}
}

// copy copies all parameters.
func (g *gpu) copy(to, from cuda.Pointer) {
	if g.failed == nil {
		g.do(g.device.Copy(to, from, 4*g.shape.size))
	}
}

func (g *gpu) clear(p cuda.Pointer, n int) {
	if g.failed == nil && n > 0 {
		g.do(g.device.Clear(p, 4*n))
	}
}

// launch starts a kernel, unless there is nothing for it to do.
func (g *gpu) launch(kernel string, grid, block cuda.Dim, args ...any) {
	if g.failed == nil && grid.X != 0 {
		g.do(g.device.Launch(kernel, grid, block, args...))
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

// byRow launches a kernel that takes a warp per row.
func (g *gpu) byRow(kernel string, rows int, args ...any) {
	g.launch(kernel, cuda.Dim{X: (rows + warpsABlock - 1) / warpsABlock}, cuda.Dim{X: 32 * warpsABlock}, args...)
}

// byEntry launches a kernel that takes a thread per entry.
func (g *gpu) byEntry(kernel string, n int, args ...any) {
	g.launch(kernel, cuda.Dim{X: min((n+threadsABlock-1)/threadsABlock, 4096)}, cuda.Dim{X: threadsABlock}, args...)
}

// byColumn launches a kernel that takes a thread per column and chunk.
func (g *gpu) byColumn(kernel string, columns, chunks int, args ...any) {
	const threads = 64 // more blocks, each of which goes through its rows alone
	g.launch(kernel, cuda.Dim{X: (columns + threads - 1) / threads, Y: chunks}, cuda.Dim{X: threads}, args...)
}

// matmul is C(i,j) = start(i,j) + sum over k of A(i,k) B(k,j): see kernels/matmul.cu.
// Large tiles are for products of which they make enough to go round: two warps each, and
// a multiprocessor wants two for each of its four schedulers.
func (g *gpu) matmul(c cuda.Pointer, ldc int, a cuda.Pointer, rs, ks int, b cuda.Pointer, bks, bjs, m, n, count int, from cuda.Pointer, ldf int, bias cuda.Pointer) {
	const threads = 64
	kernel, edge := "matmul", 64
	if blocks := ((m + 63) / 64) * ((n + 63) / 64); blocks < 4*g.device.Multiprocessors() {
		kernel, edge = "matmul_small", 32
	}
	if m > 0 {
		g.launch(kernel, cuda.Dim{X: (n + edge - 1) / edge, Y: (m + edge - 1) / edge}, cuda.Dim{X: threads},
			c, int32(ldc), a, int32(rs), int32(ks), b, int32(bks), int32(bjs), int32(m), int32(n), int32(count), from, int32(ldf), bias)
	}
}

// apply is y = x W + bias, or (base + bias) + x W where there is a base.
func (g *gpu) apply(y, x cuda.Pointer, w *weights, l linear, base cuda.Pointer, rows int) {
	in, out := l.weight.rows, l.weight.columns
	bias := cuda.Pointer(0)
	if l.bias != nil {
		bias = w.on(l.bias)
	}
	g.matmul(y, out, x, in, 1, w.on(l.weight), out, 1, rows, out, in, base, out, bias)
}

// linearBackward computes the gradients of x, W and bias from dy, that of y = x W + bias.
// starts says where each chunk's rows begin.
func (g *gpu) linearBackward(dx, dy, x cuda.Pointer, w *weights, l linear, rows int, starts cuda.Pointer, chunks int) {
	in, out := l.weight.rows, l.weight.columns
	g.matmul(dx, in, dy, out, 1, w.on(l.weight), 1, out, rows, in, out, 0, 0, 0)
	bias := cuda.Pointer(0)
	if l.bias != nil {
		bias = g.part(l.bias)
	}
	const edge, threads = 32, 64
	g.launch("matmul_chunks", cuda.Dim{X: (out + edge - 1) / edge, Y: (in + edge - 1) / edge, Z: chunks}, cuda.Dim{X: threads},
		g.part(l.weight), bias, int32(g.shape.size), int32(out), x, int32(in), dy, int32(out), starts, int32(chunks), int32(in), int32(out))
}

// part is a tensor's place in the first chunk's gradient.
func (g *gpu) part(t *tensor) cuda.Pointer { return g.parts.at.At(t.at) }

// on is a tensor's place on the card.
func (w *weights) on(t *tensor) cuda.Pointer { return w.card.At(t.at) }

func (g *gpu) norm(y, mean, rstd, x cuda.Pointer, w *weights, gain, bias *tensor, rows int) {
	g.byRow("layer_norm", rows, y, mean, rstd, x, w.on(gain), w.on(bias), int32(rows), int32(g.shape.d))
}

// normBackward adds to dx, and to the chunks' gradients of gain and bias.
func (g *gpu) normBackward(dx, dy, x, mean, rstd cuda.Pointer, w *weights, gain, bias *tensor, rows int, starts cuda.Pointer, chunks int) {
	d := int32(g.shape.d)
	g.byRow("layer_norm_backward", rows, dx, dy, x, mean, rstd, w.on(gain), int32(rows), d)
	g.byColumn("layer_norm_sums", g.shape.d, chunks, g.part(gain), g.part(bias), int32(g.shape.size), dy, x, mean, rstd, starts, int32(chunks), d)
}

// squares is the sum of squares of the gradient, as SumSquares adds it up.
func (g *gpu) squares() (float64, error) {
	const block = 1024
	n := (g.shape.size + block - 1) / block
	partial := g.room(&g.partial, n)
	g.byRow("sum_squares", n, partial, g.grad, int32(g.shape.size))
	g.sums = grow(g.sums, n)
	g.download(g.sums, partial)
	sum := 0.0
	for _, x := range g.sums {
		sum += float64(x)
	}
	return sum, g.failed
}

// adam makes a step of all parameters.
func (g *gpu) adam(w *weights, by device.AdamW) {
	n := g.shape.size
	g.byEntry("adamw", n, w.card, g.grad, g.first, g.second, g.decays, int32(n),
		by.Scale, by.Beta1, by.Rest1, by.Beta2, by.Rest2, by.Rate, by.Root, by.Eps, by.Decay)
}

// axpy is dst = fma(a, x, dst), n entries.
func (g *gpu) axpy(dst cuda.Pointer, a float32, x cuda.Pointer, n int) {
	g.byEntry("axpy", n, dst, a, x, int32(n))
}

// Bounds of a launch. A thread steps by the number of threads, at most 2^20, until its index is past
// the last number, and that index has to be below 2^31. A grid's second and third sides have 16 bits.
const (
	mostNumbers = math.MaxInt32 - 1<<20
	mostSide    = math.MaxUint16
)

// fits is an error if the kernels' ints cannot count the numbers of a layer of so many
// rows, of the logits, the features or the chunks' gradients, or a grid the tiles and chunks.
func (g *gpu) fits(rows, features, chunks int) {
	most := max(4*g.shape.d, g.shape.vocabulary) * rows
	const edge = 32 // of the smallest tiles
	if g.failed == nil && (max(most, features, chunks*g.shape.size) > mostNumbers || rows > edge*mostSide || chunks > mostSide) {
		g.failed = fmt.Errorf("a batch of %d rows in %d chunks is too large for a card, which takes %d rows, %d chunks, and layers and gradients of %d numbers: want smaller batches",
			rows, chunks, edge*mostSide, mostSide, mostNumbers)
	}
}

// widestHead is how many numbers of a head the kernels have room for (ATTENTION_HEAD of
// kernels/attention.cu).
const widestHead = 64

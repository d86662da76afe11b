package transformer

import (
	"fmt"
	"math"

	"modebench/policies/internal/device/cuda"
)

// A gpu does on a graphics card what a network does on the processor, with the same
// bits, for the policies of a lockstep. Where the processor goes through a batch chunk by
// chunk, here the rows of all chunks of all policies lie one after the other, and each step
// of a pass is one launch for all. The host computes objectives, encodings and draws between passes
// from the same numbers.
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

// onCells launches a kernel of cells that takes a warp per row.
func (g *gpu) onCells(kernel string, rows *cellRows, args ...any) {
	g.launch(kernel, cuda.Dim{X: (rows.largest + warpsABlock - 1) / warpsABlock, Y: len(rows.bounds) - 1}, cuda.Dim{X: 32 * warpsABlock}, args...)
}

// byColumn launches a kernel that takes a thread per column and chunk.
func (g *gpu) byColumn(kernel string, columns, chunks int, args ...any) {
	const threads = 64 // more blocks, each of which goes through its rows alone
	g.launch(kernel, cuda.Dim{X: (columns + threads - 1) / threads, Y: chunks}, cuda.Dim{X: threads}, args...)
}

// matmul is C(i,j) = start(i,j) + sum over k of A(i,k) B(k,j), B and bias being each
// cell's own: see kernels/matmul.cu. Large tiles are for products of which they make enough
// to go round: two warps each, and a multiprocessor wants two for each of its four
// schedulers.
func (g *gpu) matmul(c cuda.Pointer, ldc int, a cuda.Pointer, rs, ks int, w cells, b *tensor, bks, bjs int, rows *cellRows, n, count int, from cuda.Pointer, ldf int, bias cuda.Pointer) {
	const threads = 64
	kernel, edge := "matmul", 64
	if blocks := w.n * ((rows.largest + 63) / 64) * ((n + 63) / 64); blocks < 4*g.device.Multiprocessors() {
		kernel, edge = "matmul_small", 32
	}
	if rows.n > 0 {
		g.launch(kernel, cuda.Dim{X: (n + edge - 1) / edge, Y: (rows.largest + edge - 1) / edge, Z: w.n}, cuda.Dim{X: threads},
			c, int32(ldc), a, int32(rs), int32(ks), w.pointer(b), int32(bks), int32(bjs), rows.starts, w.offsets, int32(n), int32(count), from, int32(ldf), bias)
	}
}

// apply is y = x W + bias, or (base + bias) + x W if there is a base.
func (g *gpu) apply(y, x cuda.Pointer, w cells, l linear, base cuda.Pointer, rows *cellRows) {
	in, out := l.weight.rows, l.weight.columns
	bias := cuda.Pointer(0)
	if l.bias != nil {
		bias = w.pointer(l.bias)
	}
	g.matmul(y, out, x, in, 1, w, l.weight, out, 1, rows, out, in, base, out, bias)
}

// linearBackward computes the gradients of x, W and bias from dy, that of y = x W + bias.
// chunks are the first rows of each chunk.
func (g *gpu) linearBackward(dx, dy, x cuda.Pointer, w cells, l linear, rows *cellRows, chunks cuda.Pointer, n int) {
	in, out := l.weight.rows, l.weight.columns
	g.matmul(dx, in, dy, out, 1, w, l.weight, 1, out, rows, in, out, 0, 0, 0)
	bias := cuda.Pointer(0)
	if l.bias != nil {
		bias = g.part(l.bias)
	}
	const edge, threads = 32, 64
	g.launch("matmul_chunks", cuda.Dim{X: (out + edge - 1) / edge, Y: (in + edge - 1) / edge, Z: n}, cuda.Dim{X: threads},
		g.part(l.weight), bias, int32(g.shape.size), int32(out), x, int32(in), dy, int32(out), chunks, int32(n), int32(in), int32(out))
}

// part is a tensor's place in the first chunk's gradient.
func (g *gpu) part(t *tensor) cuda.Pointer { return g.parts.start.At(t.offset) }

func (g *gpu) norm(y, mean, rstd, x cuda.Pointer, w cells, gain, bias *tensor, rows *cellRows) {
	g.onCells("layer_norm", rows, y, mean, rstd, x, w.pointer(gain), w.pointer(bias), rows.starts, w.offsets, int32(g.shape.d))
}

// normBackward adds to dx, and to the chunks' gradients of gain and bias.
func (g *gpu) normBackward(dx, dy, x, mean, rstd cuda.Pointer, w cells, gain, bias *tensor, rows *cellRows, chunks cuda.Pointer, n int) {
	d := int32(g.shape.d)
	g.onCells("layer_norm_backward", rows, dx, dy, x, mean, rstd, w.pointer(gain), rows.starts, w.offsets, d)
	g.byColumn("layer_norm_sums", g.shape.d, n, g.part(gain), g.part(bias), int32(g.shape.size), dy, x, mean, rstd, chunks, int32(n), d)
}

// squares makes the sums of squares of the policies' gradients, as SumSquares adds them up.
func (g *gpu) squares(w cells, members []*member) {
	const block = 1024
	n := (g.shape.size + block - 1) / block
	partial := g.room(&g.partial, len(members)*n)
	g.launch("sum_squares", cuda.Dim{X: (n + warpsABlock - 1) / warpsABlock, Y: w.n}, cuda.Dim{X: 32 * warpsABlock},
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

// stride is how far the parameters of a policy that learns, its gradient and the two moments,
// which follow each other, lie apart.
func (s *shape) stride() int {
	const aligned = 64 // numbers, as memory of the card is
	return roundUp(s.size, aligned)
}

// adam makes each policy's step of all its parameters.
func (g *gpu) adam(t *team, members []*member) {
	g.tables.begin()
	w := g.ownParameters(members)
	var values cuda.Pointer
	var scalars []int32 // their bits
	for _, m := range members {
		for _, x := range [...]float32{m.optimizer.Scale, m.optimizer.Beta1, m.optimizer.Rest1, m.optimizer.Beta2, m.optimizer.Rest2, m.optimizer.Rate, m.optimizer.Root, m.optimizer.Eps, m.optimizer.Decay} {
			scalars = append(scalars, int32(math.Float32bits(x)))
		}
	}
	g.tables.add(&values, scalars)
	g.send(&g.tables)
	w.offsets = g.offsets
	n, stride := g.shape.size, g.shape.stride()
	g.launch("adamw", cuda.Dim{X: min((n+threadsABlock-1)/threadsABlock, 4096), Y: w.n}, cuda.Dim{X: threadsABlock},
		w.base, w.base.At(stride), w.base.At(2*stride), w.base.At(3*stride), t.decays, values, w.offsets, int32(n))
	g.settle()
}

// Bounds of a launch. A thread steps by the number of threads, at most 2^20, until its index is past
// the last number, and that index has to be below 2^31. A grid's second and third sides have 16 bits.
const (
	mostNumbers = math.MaxInt32 - 1<<20
	mostSide    = math.MaxUint16
)

// fits is an error if the kernels' ints cannot count the numbers of a layer of that many rows, of
// the logits, the features or the chunks' gradients, or a grid the tiles and chunks.
func (s *shape) fits(rows, features, chunks int) error {
	largest := max(4*s.d, s.vocabulary) * rows
	const edge = 32 // of the smallest tiles
	if max(largest, features, chunks*s.size) <= mostNumbers && rows <= edge*mostSide && chunks <= mostSide {
		return nil
	}
	return fmt.Errorf("a batch of %d rows in %d chunks is too large for a card, which takes %d rows, %d chunks, and layers and gradients of %d numbers: want smaller batches",
		rows, chunks, edge*mostSide, mostSide, mostNumbers)
}

// widestHead is how many numbers of a head the kernels have room for (ATTENTION_HEAD of
// kernels/attention.cu).
const widestHead = 64

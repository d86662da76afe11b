// Package device defines the arithmetic of the transformer: a small set of float32 kernels, each of
// which has one result, bit for bit, on every machine.
//
// The contract that makes it so:
//
//   - A product-sum runs over k = 0, 1, ... with a fused multiply-add (rounded
//     once) into one accumulator per output. Kernels are vectorised across
//     outputs, never across k, so blocking k leaves the bits as they are; leaving
//     out terms one factor of which is zero does too, if the other is finite.
//   - A sum over a row has Lanes strided accumulators: lane l adds elements l,
//     l+Lanes, l+2*Lanes, ... in that order, starting from zero, and the lanes are
//     then folded, lane l with lane l+Lanes/2, and so on down to one. Elements past
//     the end count as zero (as minus infinity in a maximum).
//   - Exp, Log and their compositions are fixed polynomials in fused
//     multiply-adds; division and square root are IEEE, rounded to nearest.
//     Nothing is flushed to zero. In formulas below each operation that is not an fma
//     is rounded by itself.
//
// Package cpu has a plain Go implementation, which defines the bits, and assembly for
// AVX2, AVX-512 and NEON, which tests hold to it.
package device

// Lanes is the number of strided accumulators in a sum over a row.
const Lanes = 32

// Packed is a K x N matrix, laid out for the kernels that packed it: in panels of a few columns,
// each of them row by row.
type Packed struct {
	Data []float32
	K, N int
}

// Start holds the values that the sums of a product start from: entry (i, j) from
//
//	Rows[i*LD+j] + Bias[j]
//
// where a nil slice adds nothing, and all sums start from zero where both are nil. LD
// may be 0: the same row for all.
type Start struct {
	Rows []float32
	LD   int
	Bias []float32
}

// From starts sums from a matrix, which may be the output itself.
func From(rows []float32, ld int) Start { return Start{Rows: rows, LD: ld} }

// AdamW holds the scalars of one AdamW step (Loshchilov and Hutter, 2019), worked
// out on the host: for each parameter p with gradient g and moments m, v,
//
//	g' = Scale g
//	m  = fma(Beta1, m, (1-Beta1) g')
//	v  = fma(Beta2, v, ((1-Beta2) g') g')
//	p  = p - fma(Decay, p, Rate (m / fma(sqrt(v), Root, Eps)))
type AdamW struct {
	Scale        float32 // of the gradient, by clipping
	Beta1, Rest1 float32 // decay of the first moment, and 1 minus it
	Beta2, Rest2 float32 // of the second
	Rate         float32 // learning rate / (1 - Beta1^t)
	Root         float32 // 1 / sqrt(1 - Beta2^t)
	Eps          float32
	Decay        float32 // learning rate * weight decay
}

// Kernels are the operations. Matrices are row-major; ld is the distance of two
// rows. Outputs must not overlap inputs unless a comment allows it. Kernels run on the calling
// goroutine and keep no state: many may run at once. Sizes are the caller's to get right; a slice
// that is too short panics before anything is written.
type Kernels interface {
	// Name is "reference", "avx2", "avx512" or "neon".
	Name() string

	// NewPacked makes room for a k x n matrix.
	NewPacked(k, n int) Packed
	// Pack copies a matrix B(k,j) = b[k*ks+j*js] of dst's size.
	Pack(dst Packed, b []float32, ks, js int)
	// MatMul multiplies: C(i,j) = start(i,j) + sum over k of A(i,k) B(from+k,j), for i < m, j < n
	// <= b.N, and k from 0 to count-1, from+count <= b.K, with A(i,k) = a[i*rs+k*ks] and C(i,j) =
	// c[i*ldc+j]. The rows that sums start from are C itself, LD being ldc, or do not overlap it.
	MatMul(c []float32, ldc int, a []float32, rs, ks int, b Packed, from, count, m, n int, start Start)
	// MulRows multiplies each of some rows by a matrix of its own, which is not packed: C(h,j) =
	// [C(h,j)] + sum over k of A(h,k) B(h,k,j), for h < rows, j < n, and k from 0 to count-1, with
	// C(h,j) = c[h*ldc+j], A(h,k) = a[h*lda+k] and B(h,k,j) = b[h*hs+k*ks+j]. The sum starts from C
	// where add is set, else from zero. It is for the heads of attention of one position, over keys
	// and values that grow by a position at a time; best where n is a multiple of 16.
	MulRows(c []float32, ldc int, a []float32, lda int, b []float32, hs, ks, rows, count, n int, add bool)

	// Add adds src to dst, element by element.
	Add(dst, src []float32)
	// Axpy is dst = fma(a, x, dst), element by element. x may be dst.
	Axpy(dst []float32, a float32, x []float32)
	// SumRows adds the rows of an x of that many columns to dst, in order.
	SumRows(dst, x []float32, rows, columns int)

	// LayerNorm normalises each of the rows of x, d columns each, a multiple of Lanes:
	//
	//	mean = sum x / d;  rstd = 1 / sqrt(sum (x-mean)^2 / d + 1e-5)
	//	y    = fma((x-mean) rstd, gain, bias)
	//
	// The sums are row sums, squares entering by fma; sum / d is a multiplication
	// by the float32 1/d. mean and rstd have one entry a row.
	LayerNorm(y, mean, rstd, x, gain, bias []float32, rows, d int)
	// LayerNormBackward adds to dx, dgain and dbias the gradients that follow from dy, that of the
	// output of LayerNorm. With h = (x-mean) rstd and t = dy gain,
	//
	//	dgain = fma(dy, h, dgain);  dbias += dy      row by row, in order
	//	a = sum t / d;  b = sum t h / d, where products enter by fma
	//	dx = fma(t - fma(h, b, a), rstd, dx)
	LayerNormBackward(dx, dgain, dbias, dy, x, mean, rstd, gain []float32, rows, d int)

	// Gelu is y = x / (1 + exp(-u)) with u = 2 sqrt(2/pi) x (1 + 0.044715 x^2): the
	// tanh form of GELU (Hendrycks and Gimpel, 2016). y may be x.
	Gelu(y, x []float32)
	// GeluBackward multiplies dx by the derivative of Gelu at x.
	GeluBackward(dx, x []float32)

	// Softmax makes the first length+r*step entries of row r the softmax of scale times them, scale
	// > 0, and sets those from there to width, which is no less, to zero. In place:
	//
	//	e = exp((s - max s) scale);  s = e (1 / sum e)
	//
	// Entries up to 1e30 in magnitude give finite results. An entry that is NaN or +Inf
	// makes the row NaN; -Inf beside a finite one gives zero.
	Softmax(s []float32, ld, rows, length, step, width int, scale float32)
	// SoftmaxBackward makes ds, the gradient of the output s of Softmax, that of
	// its input: (scale s) (ds - sum s ds) for the first length+r*step entries, where
	// products enter the sum by fma, zero from there to width. In place.
	SoftmaxBackward(ds, s []float32, ld, rows, length, step, width int, scale float32)
	// LogSoftmax fills p and logp, row by row, with the softmax of scale z and its logarithm, (z -
	// max z) scale - log(sum e), for the first n entries of each row; entries past n stay as they
	// are. If p is NaN, so is logp; if z is -Inf, p is zero and logp -Inf.
	LogSoftmax(p, logp, z []float32, ld, rows, n int, scale float32)

	// AdamW makes one step.
	AdamW(p, g, m, v []float32, settings AdamW)
	// SumSquares is the sum of squares: of each block of 1024 entries a row sum in
	// float32, squares entering by fma, and of the blocks a float64 sum in order.
	SumSquares(x []float32) float64
}

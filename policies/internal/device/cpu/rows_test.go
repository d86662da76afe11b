package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"modebench/policies/internal/device"
)

// rowProduct is a call of MulRows with operands of its own.
type rowProduct struct {
	rows, count, n int
	gap            int  // elements between rows of A and of C, and between rows of B
	interleaved    bool // matrices of B lie side by side, not one below the other
	add, nasty     bool
}

func (p rowProduct) String() string {
	return fmt.Sprintf("rows=%d count=%d n=%d gap=%d interleaved=%v add=%v nasty=%v", p.rows, p.count, p.n, p.gap, p.interleaved, p.add, p.nasty)
}

// strides are those of B, and the number of elements it needs.
func (p rowProduct) strides() (hs, ks, need int) {
	hs, ks = p.count*(p.n+p.gap), p.n+p.gap
	if p.interleaved {
		hs, ks = p.n+p.gap, p.rows*(p.n+p.gap)
	}
	if p.count == 0 {
		return hs, ks, 0
	}
	return hs, ks, (p.rows-1)*hs + (p.count-1)*ks + p.n
}

// run computes the product with the kernels, on operands drawn from the seed, between
// guards, and gives C.
func (p rowProduct) run(t testing.TB, k device.Kernels, seed uint64) []float32 {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 8))
	fill := fillNormal
	if p.nasty {
		fill = fillNasty
	}
	hs, ks, need := p.strides()
	lda, ldc := p.count+p.gap, p.n+p.gap
	a, b, c := newGuard(max(0, (p.rows-1)*lda+p.count)), newGuard(need), newGuard((p.rows-1)*ldc+p.n)
	fill(a.data, r)
	fill(b.data, r)
	fill(c.data, r)
	between := append([]float32(nil), c.data...)
	k.MulRows(c.data, ldc, a.data, lda, b.data, hs, ks, p.rows, p.count, p.n, p.add)
	c.check(t, p.String())
	for i, v := range c.data {
		if i%ldc >= p.n && math.Float32bits(v) != math.Float32bits(between[i]) {
			t.Fatalf("%v: element %d, between two rows of C, was written", p, i)
		}
	}
	return c.data
}

func (p rowProduct) compare(t testing.TB, k device.Kernels, seed uint64) {
	t.Helper()
	sameBits(t, p.String(), p.run(t, k, seed), p.run(t, reference{}, seed))
}

func TestMulRowsEqualsReference(t *testing.T) {
	forLevels(t, func(t *testing.T, k device.Kernels) {
		t.Run("every rows and n", func(t *testing.T) {
			// All sizes of tiles, all parts of a vector; the rest varies along.
			for rows := 1; rows <= 9; rows++ {
				for n := 1; n <= 130; n++ {
					x := rows*130 + n
					rowProduct{rows: rows, count: x % 11, n: n, gap: x % 3 / 2 * (x % 19),
						interleaved: x%4 < 2, add: x%2 == 0, nasty: x%5 == 0}.compare(t, k, uint64(x))
				}
			}
		})
		t.Run("every count", func(t *testing.T) {
			for count := range 131 {
				rowProduct{rows: 1 + count%6, count: count, n: 1 + count%41, gap: count % 2, interleaved: count%4 < 2, add: count%3 == 0}.compare(t, k, uint64(count))
			}
		})
		t.Run("drawn", func(t *testing.T) {
			r := rand.New(rand.NewPCG(13, 14))
			for range 300 {
				rowProduct{rows: 1 + r.IntN(12), count: r.IntN(70), n: 1 + r.IntN(200), gap: r.IntN(20),
					interleaved: r.IntN(2) == 0, add: r.IntN(2) == 0, nasty: r.IntN(2) == 0}.compare(t, k, r.Uint64())
			}
		})
	})
}

// TestMulRowsIsMatMul holds all levels to products of one row each by packed matrices,
// which have tests of their own against float64 and of the order of sums.
func TestMulRowsIsMatMul(t *testing.T) {
	for _, name := range Levels() {
		k, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(15, 16))
		for range 200 {
			rows, count, n, add := 1+r.IntN(6), r.IntN(40), 1+r.IntN(70), r.IntN(2) == 0
			a, b, c := make([]float32, rows*count), make([]float32, rows*count*n), make([]float32, rows*n)
			fillNormal(a, r)
			fillNormal(b, r)
			fillNormal(c, r)
			want := append([]float32(nil), c...)
			for h := range rows { // the matrices lie side by side
				p := k.NewPacked(count, n)
				if count > 0 {
					k.Pack(p, b[h*n:], rows*n, 1)
				}
				start := device.Start{}
				if add {
					start = device.From(want[h*n:], n)
				}
				k.MatMul(want[h*n:], n, a[h*count:], count, 1, p, 0, count, 1, n, start)
			}
			k.MulRows(c, n, a, count, b, n, rows*n, rows, count, n, add)
			sameBits(t, fmt.Sprintf("%s: rows=%d count=%d n=%d add=%v", name, rows, count, n, add), c, want)
		}
	}
}

func TestMulRowsRefuses(t *testing.T) {
	for _, name := range Levels() {
		k, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		// Three rows of five terms by twenty columns.
		c, a, b := make([]float32, 3*20), make([]float32, 3*5), make([]float32, 3*5*20)
		for reason, call := range map[string]func(){
			"c ends too early":            func() { k.MulRows(c[:3*20-1], 20, a, 5, b, 100, 20, 3, 5, 20, false) },
			"a ends too early":            func() { k.MulRows(c, 20, a[:3*5-1], 5, b, 100, 20, 3, 5, 20, false) },
			"b ends too early":            func() { k.MulRows(c, 20, a, 5, b[:3*5*20-1], 100, 20, 3, 5, 20, false) },
			"b interleaved ends early":    func() { k.MulRows(c, 20, a, 5, b[:3*5*20-1], 20, 60, 3, 5, 20, false) },
			"b has not one matrix":        func() { k.MulRows(c, 20, a, 5, b[:99], 0, 20, 3, 5, 20, false) },
			"a negative count":            func() { k.MulRows(c, 20, a, 5, b, 100, 20, 3, -1, 20, false) },
			"rows of C that overlap":      func() { k.MulRows(c, 19, a, 5, b, 100, 20, 3, 5, 20, false) },
			"a negative stride of A":      func() { k.MulRows(c, 20, a, -5, b, 100, 20, 3, 5, 20, false) },
			"a negative stride of rows":   func() { k.MulRows(c, 20, a, 5, b, 100, -20, 3, 5, 20, false) },
			"a negative stride of b's":    func() { k.MulRows(c, 20, a, 5, b, -1, 20, 3, 5, 20, false) },
			"one row, which has no place": func() { k.MulRows(nil, 20, a, 5, b, 100, 20, 1, 0, 20, false) },
		} {
			panics(t, name+": "+reason, call)
			for i, v := range c {
				if v != 0 {
					t.Fatalf("%s: %s: C[%d] was written before the panic", name, reason, i)
				}
			}
		}
		k.MulRows(nil, 0, nil, 0, nil, 0, 0, 0, 5, 20, false) // no rows, no columns: nothing to do
		k.MulRows(nil, 0, nil, 0, nil, 0, 0, 3, 5, 0, false)
		if n := testing.AllocsPerRun(10, func() { k.MulRows(c, 20, a, 5, b, 100, 20, 3, 5, 20, true) }); n != 0 {
			t.Errorf("%s: %g allocations a product", name, n)
		}
	}
}

package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"modebench/policies/internal/device"
)

// product is a call of MatMul with operands of its own.
type product struct {
	m, n, count, from   int
	after               int // rows of B past those that are used
	past                int // columns of B past those that are used
	transposed, strided bool
	start               int // a kind of starts
	nasty               bool
}

// starts are the starts of sums: zero, C itself, other rows, one row for all,
// rows and a bias, one row and a bias, a bias alone.
const starts = 7

// starting makes a start of that kind, for m rows of n columns, with rows gap apart
// from each other if they are not those of C.
func starting(kind int, c []float32, ldc, m, n, gap int, fill func([]float32)) device.Start {
	draw := func(size int) []float32 {
		s := make([]float32, size)
		fill(s)
		return s
	}
	rows, ld := draw((m-1)*(n+gap)+n), n+gap
	switch kind {
	case 1:
		return device.From(c, ldc)
	case 2:
		return device.From(rows, ld)
	case 3:
		return device.From(draw(n), 0)
	case 4:
		return device.Start{Rows: rows, LD: ld, Bias: draw(n)}
	case 5:
		return device.Start{Rows: draw(n), Bias: draw(n)}
	case 6:
		return device.Start{Bias: draw(n)}
	default:
		return device.Start{}
	}
}

func (p product) String() string {
	return fmt.Sprintf("m=%d n=%d count=%d from=%d after=%d past=%d transposed=%v strided=%v start=%d nasty=%v",
		p.m, p.n, p.count, p.from, p.after, p.past, p.transposed, p.strided, p.start, p.nasty)
}

// strides are those of A, and the number of elements it needs.
func (p product) strides() (rs, ks, need int) {
	gap := 0
	if p.strided {
		gap = 3
	}
	rs, ks = p.count+gap, 1
	if p.transposed {
		rs, ks = 1, p.m+gap
	}
	if p.strided {
		rs, ks = 2*rs, 2*ks
	}
	return rs, ks, (p.m-1)*rs + max(p.count-1, 0)*ks + 1
}

// run computes the product with the kernels, on operands drawn from the seed, between
// guards, and gives C.
func (p product) run(t testing.TB, k device.Kernels, seed uint64) []float32 {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	fill := fillNormal
	if p.nasty {
		fill = fillNasty
	}
	rs, ks, need := p.strides()
	a := newGuard(need)
	fill(a.data, r)
	rows, columns := p.from+p.count+p.after, p.n+p.past
	dense := make([]float32, rows*columns)
	fill(dense, r)
	b := k.NewPacked(rows, columns)
	k.Pack(b, dense, columns, 1)
	ldc := p.n + p.past
	c := newGuard((p.m-1)*ldc + p.n)
	fill(c.data, r)
	between := append([]float32(nil), c.data...)
	start := starting(p.start, c.data, ldc, p.m, p.n, 3*p.start, func(s []float32) { fill(s, r) })
	k.MatMul(c.data, ldc, a.data, rs, ks, b, p.from, p.count, p.m, p.n, start)
	c.check(t, p.String())
	for i, v := range c.data {
		if i%ldc >= p.n && math.Float32bits(v) != math.Float32bits(between[i]) {
			t.Fatalf("%v: element %d, between two rows of C, was written", p, i)
		}
	}
	return c.data
}

// compare holds a product of the kernels to the reference's.
func (p product) compare(t testing.TB, k device.Kernels, seed uint64) {
	t.Helper()
	sameBits(t, p.String(), p.run(t, k, seed), p.run(t, reference{}, seed))
}

func TestMatMulEqualsReference(t *testing.T) {
	forLevels(t, func(t *testing.T, k device.Kernels) {
		t.Run("every m and n", func(t *testing.T) {
			// All sizes of blocks, and all edges on both sides of one, two and three
			// panels; the rest varies along.
			for m := 1; m <= 25; m++ {
				for n := 1; n <= 70; n++ {
					x := m*70 + n
					product{
						m: m, n: n, count: x % 11, from: x % 3, after: x % 2, past: x % 4 / 2 * (x % 37),
						transposed: x%5 < 2, strided: x%7 < 2, start: x / 3 % starts, nasty: x%3 == 0,
					}.compare(t, k, uint64(x))
				}
			}
		})
		t.Run("every count", func(t *testing.T) {
			for count := range 131 {
				product{m: 1 + count%9, n: 1 + count%41, count: count, from: count % 5, start: count % starts}.compare(t, k, uint64(count))
			}
		})
		t.Run("one row, many columns", func(t *testing.T) {
			for n := 1; n <= 300; n += 1 + n%7 {
				for m := 1; m <= 3; m++ {
					product{m: m, n: n, count: 5, start: (n + m) % starts, past: n % 3}.compare(t, k, uint64(n))
				}
			}
		})
		t.Run("counts beyond a stretch", func(t *testing.T) {
			for i, count := range []int{191, 192, 193, 255, 256, 257, 385, 512, 513, 700} {
				for _, transposed := range []bool{false, true} {
					for start := range starts {
						product{m: 7, n: 21, count: count, from: i % 2, transposed: transposed, start: start, nasty: i%2 == 0}.compare(t, k, uint64(i))
					}
				}
			}
		})
		t.Run("more rows than are taken at once", func(t *testing.T) {
			for start := range starts {
				product{m: 135 + 61*start, n: 37, count: 250 + 3*start, transposed: start%2 == 0, start: start}.compare(t, k, uint64(start))
			}
		})
		t.Run("drawn", func(t *testing.T) {
			r := rand.New(rand.NewPCG(11, 12))
			for range 300 {
				product{
					m: 1 + r.IntN(60), n: 1 + r.IntN(130), count: r.IntN(40), from: r.IntN(9), after: r.IntN(3), past: r.IntN(20),
					transposed: r.IntN(2) == 0, strided: r.IntN(4) == 0, start: r.IntN(starts), nasty: r.IntN(2) == 0,
				}.compare(t, k, r.Uint64())
			}
		})
	})
}

// TestMatMulReference holds the reference to products in float64: the error of a sum
// of fused multiply-adds is at most count roundings of the partial sums, and
// one of the start.
func TestMatMulReference(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		m, n, count, from := 1+r.IntN(6), 1+r.IntN(20), r.IntN(50), r.IntN(4)
		a, b, c := make([]float32, m*count), make([]float32, (from+count)*n), make([]float32, m*n)
		fillNormal(a, r)
		fillNormal(b, r)
		fillNormal(c, r)
		before := append([]float32(nil), c...)
		packed := reference{}.NewPacked(from+count, n)
		reference{}.Pack(packed, b, n, 1)
		start := starting(r.IntN(starts), c, n, m, n, r.IntN(3), func(s []float32) { fillNormal(s, r) })
		given := start
		if given.Rows != nil && &given.Rows[0] == &c[0] {
			given.Rows = before
		}
		reference{}.MatMul(c, n, a, count, 1, packed, from, count, m, n, start)
		for i := range m {
			for j := range n {
				var want, size float64
				if given.Rows != nil {
					want = float64(given.Rows[i*given.LD+j])
				}
				if given.Bias != nil {
					want += float64(given.Bias[j])
				}
				size = math.Abs(want)
				for k := range count {
					term := float64(a[i*count+k]) * float64(b[(from+k)*n+j])
					want += term
					size += math.Abs(term)
				}
				if bound := float64(count+1) * size * 0x1p-24; math.Abs(float64(c[i*n+j])-want) > bound {
					t.Fatalf("m=%d n=%d count=%d from=%d start=%+v: C(%d,%d) = %g, want %g within %g",
						m, n, count, from, start, i, j, c[i*n+j], want, bound)
				}
			}
		}
	}
}

// TestMatMulRoundsOnceInOrder has sums whose result tells the order of the terms, and
// whether products are rounded before they are added.
func TestMatMulRoundsOnceInOrder(t *testing.T) {
	const e = 0x1p-12
	for _, test := range []struct {
		reason string
		a, b   []float32
		start  float32
		want   float32
	}{
		{"(1+e)(1-e) - 1 is -e^2, which a rounded product loses", []float32{-1, 1 + e}, []float32{1, 1 - e}, 0, -e * e},
		{"in order the sum is 2^24, 2^24 again (the 1 is lost), 0", []float32{0x1p24, 1, -0x1p24}, []float32{1, 1, 1}, 0, 0},
		{"the same terms in an order that keeps the 1: 2^24, 0, 1", []float32{0x1p24, -0x1p24, 1}, []float32{1, 1, 1}, 0, 1},
		{"C comes first: 1, 2^24 (the 1 is lost), 0", []float32{0x1p24, -0x1p24}, []float32{1, 1}, 1, 0},
		{"a negative zero added to zero is zero", []float32{-1}, []float32{0}, 0, 0},
		{"added to the negative zero of C it stays negative", []float32{-1}, []float32{0}, float32(math.Copysign(0, -1)), float32(math.Copysign(0, -1))},
		{"the smallest subnormal is not flushed to zero", []float32{0x1p-75}, []float32{0x1p-74}, 0, 0x1p-149},
	} {
		for _, name := range Levels() {
			k, err := New(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []int{1, 2, 3, 5, 13} { // other micro-kernels each
				for _, n := range []int{1, 8, 17, 40} {
					count := len(test.a)
					b := k.NewPacked(count, n)
					k.Pack(b, test.b, 1, 0)
					c := make([]float32, m*n)
					for i := range c {
						c[i] = test.start
					}
					start := device.Start{}
					if math.Float32bits(test.start) != 0 {
						start = device.From(c, n)
					}
					k.MatMul(c, n, test.a, 0, 1, b, 0, count, m, n, start)
					for i, got := range c {
						if math.Float32bits(got) != math.Float32bits(test.want) {
							t.Fatalf("%s: %s, %d x %d: C[%d] = %g, want %g", name, test.reason, m, n, i, got, test.want)
						}
					}
				}
			}
		}
	}
}

func TestMatMulRefuses(t *testing.T) {
	for _, name := range Levels() {
		k, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		b := k.NewPacked(10, 20)
		short := b
		short.Data = short.Data[:len(short.Data)-1]
		c, a := make([]float32, 7*20), make([]float32, 7*10)
		for reason, call := range map[string]func(){
			"c ends too early":             func() { k.MatMul(c[:7*20-1], 20, a, 10, 1, b, 0, 10, 7, 20, device.Start{}) },
			"a ends too early":             func() { k.MatMul(c, 20, a[:7*10-1], 10, 1, b, 0, 10, 7, 20, device.Start{}) },
			"a transposed ends early":      func() { k.MatMul(c, 20, a[:7*10-1], 1, 7, b, 0, 10, 7, 20, device.Start{}) },
			"B lacks data":                 func() { k.MatMul(c, 20, a, 10, 1, short, 0, 10, 7, 20, device.Start{}) },
			"rows past the end of B":       func() { k.MatMul(c, 20, a, 10, 1, b, 1, 10, 7, 20, device.Start{}) },
			"rows before the start of B":   func() { k.MatMul(c, 20, a, 10, 1, b, -1, 10, 7, 20, device.Start{}) },
			"a negative count":             func() { k.MatMul(c, 20, a, 10, 1, b, 0, -1, 7, 20, device.Start{}) },
			"columns past the end of B":    func() { k.MatMul(make([]float32, 7*21), 21, a, 10, 1, b, 0, 10, 7, 21, device.Start{}) },
			"rows of C that overlap":       func() { k.MatMul(c, 19, a, 10, 1, b, 0, 10, 7, 20, device.Start{}) },
			"rows to start from end early": func() { k.MatMul(c, 20, a, 10, 1, b, 0, 10, 7, 20, device.From(a, 10)) },
			"a bias that ends early":       func() { k.MatMul(c, 20, a, 10, 1, b, 0, 10, 7, 20, device.Start{Bias: a[:19]}) },
			"a negative stride":            func() { k.MatMul(c, 20, a, -10, 1, b, 0, 10, 7, 20, device.Start{}) },
		} {
			panics(t, name+": "+reason, call)
			for i, v := range c {
				if v != 0 {
					t.Fatalf("%s: %s: C[%d] was written before the panic", name, reason, i)
				}
			}
		}
	}
}

// panics fails the test unless the call does.
func panics(t *testing.T, what string, call func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	call()
}

func TestMatMulAllocatesNothing(t *testing.T) {
	for _, name := range Levels() {
		k, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		b := k.NewPacked(300, 40)
		a, c := make([]float32, 13*300), make([]float32, 13*40)
		if n := testing.AllocsPerRun(10, func() {
			k.MatMul(c, 40, a, 300, 1, b, 0, 300, 13, 40, device.From(c, 40))
			k.Add(c, c)
		}); n != 0 {
			t.Errorf("%s: %g allocations a product", name, n)
		}
	}
}

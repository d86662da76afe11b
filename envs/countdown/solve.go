package countdown

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
)

// A value is the value num/den of an expression, not in lowest terms; den is 0 if it divides by
// zero. By induction |num| + |den| is at most the product of n+1 over the numbers n of the
// expression, whatever the operations: 1000^6 at most, and nothing on the way exceeds it.
type value struct{ num, den int64 }

// undefined is the value of a division by zero.
var undefined = value{0, 0}

// join applies the operation to two values.
func (o operation) join(a, b value) value {
	switch o {
	case sum:
		return value{a.num*b.den + b.num*a.den, a.den * b.den}
	case difference:
		return value{a.num*b.den - b.num*a.den, a.den * b.den}
	case product:
		return value{a.num * b.num, a.den * b.den}
	case quotient:
		return divide(a, b)
	}
	return divide(b, a)
}

func divide(a, b value) value {
	if b.den == 0 {
		return undefined
	}
	return value{a.num * b.den, a.den * b.num}
}

// is reports whether the value is a target. A product that overflows may pass the
// first comparison, so that a quotient decides.
func (v value) is(target int64) bool {
	return v.num == target*v.den && v.den != 0 && v.num%v.den == 0 && v.num/v.den == target
}

// sign of the value; 0 if it is zero or undefined.
func (v value) sign() int {
	switch {
	case v.num == 0 || v.den == 0:
		return 0
	case (v.num < 0) == (v.den < 0):
		return 1
	}
	return -1
}

// A shape holds the parts that the problems of a split have in common.
type shape struct {
	env       *Env
	n         int // numbers of a problem
	low, high int // their range
	full      slots
	algebra   *algebra
	attempts  int       // draws that belong to a split and are solved for one problem
	pool      sync.Pool // *generator

	// Values of all forms over fewer than all slots are in one list: those over a set from offset
	// on, in the order of forms. Single slots come first; step i makes the value at place n+i.
	offset [1 << maxSlots]int32
	steps  []step
	runs   []run
}

// A step is an operation on two values made before.
type step struct{ a, b int32 }

// A run is a row of steps of one operation.
type run struct {
	op       operation
	from, to int32 // places of the values it makes
}

// work bounds the values computed for one problem, about a second's. mostDraws
// bounds the draws of which the split's share is solved, so that a split without
// numbers is found out in a fraction of a second.
const (
	work         = 200_000_000
	mostAttempts = 100_000
	mostDraws    = 1_000_000
)

func newShape(e *Env, n, low, high int) *shape {
	s := &shape{env: e, n: n, low: low, high: high, full: 1<<n - 1, algebra: newAlgebra(n)}
	s.attempts = min(mostAttempts, work/len(s.algebra[n].forms))
	offset := int32(0)
	for k := 1; k <= n; k++ {
		for set := slots(1); set <= s.full; set++ {
			if bits.OnesCount8(set) == k {
				s.offset[set] = offset
				offset += int32(len(s.algebra[k].forms))
			}
		}
	}
	for k := 2; k < n; k++ {
		for set := slots(1); set <= s.full; set++ {
			if bits.OnesCount8(set) == k {
				s.plan(set)
			}
		}
	}
	s.pool.New = func() any { return newGenerator(s) }
	return s
}

// plan adds the steps that make the values of the forms over a set.
func (s *shape) plan(set slots) {
	offset := s.offset[set]
	forms := s.algebra[bits.OnesCount8(set)].forms
	for i, f := range forms {
		left := expand[set][f.left]
		s.steps = append(s.steps, step{s.offset[left] + int32(f.a), s.offset[set&^left] + int32(f.b)})
		if i == 0 || forms[i-1].op != f.op {
			s.runs = append(s.runs, run{f.op, offset + int32(i), 0})
		}
		s.runs[len(s.runs)-1].to = offset + int32(i) + 1
	}
}

// solve fills hits with the forms, over the sets of slots that an answer may use, that have the
// target for a value; flipped if the negative has. They are in the order of their codes. Of sets
// with the same numbers only the set that takes equal slots from the left is used.
func (g *generator) solve() {
	s := g.shape
	g.hits = g.hits[:0]
	g.fill()
	g.finish()
	if s.env.config.AtMostOnce {
		for set := slots(1); set < s.full; set++ {
			if s.leftmost(set, g.equal) {
				g.match(set)
			}
		}
	}
	slices.SortFunc(g.hits, func(a, b part) int { return cmp.Compare(a.code(), b.code()) })
	g.hits = slices.Compact(g.hits)
}

func (g *generator) fill() {
	s := g.shape
	for i, number := range g.numbers[:s.n] {
		g.values[i] = value{int64(number), 1}
	}
	for _, r := range s.runs {
		r.op.fill(g.values, g.values[r.from:r.to], s.steps[int(r.from)-s.n:int(r.to)-s.n])
	}
}

func (g *generator) over(set slots) []value {
	from := g.shape.offset[set]
	return g.values[from : from+int32(len(g.shape.algebra[bits.OnesCount8(set)].forms))]
}

// match appends the hits among the forms over fewer than all slots.
func (g *generator) match(set slots) {
	target := int64(g.target)
	for f, v := range g.over(set) {
		if multiple := target * v.den; v.num != multiple && v.num != -multiple {
			continue // as almost all are
		}
		if v.is(target) || v.is(-target) {
			g.hits = append(g.hits, part{uint32(f), set, v.is(-target)})
		}
	}
}

// finish appends the hits over all slots. Their values are not computed: it remains to find
// two operands that fit. A hit that can be cut in several ways is found several times.
func (g *generator) finish() {
	s := g.shape
	for left := slots(1); left < s.full; left += 2 {
		as, bs := g.over(left), g.over(s.full&^left)
		if len(as) <= len(bs) {
			for i, a := range as {
				for _, j := range g.partners(a, bs) {
					g.try(left, uint32(i), uint32(j), a, bs[j])
				}
			}
			continue
		}
		for j, b := range bs {
			for _, i := range g.partners(b, as) {
				g.try(left, uint32(i), uint32(j), as[i], b)
			}
		}
	}
}

// partners lists the places of the values y that an operation with x makes the target or its
// negative of. If x+y or x-y is, |y| is |t-x| or |t+x|; if a product or quotient is, |y| is |t/x|,
// |x/t| or |t x|. A few too many are listed where products overflow or y is undefined.
func (g *generator) partners(x value, ys []value) []int32 {
	g.found = g.found[:0]
	if x.den == 0 {
		return g.found
	}
	target := int64(g.target)
	num, den := abs(x.num), abs(x.den)
	less, more := abs(target*den-num), target*den+num
	numTimes, denTimes := target*num, target*den
	for at, y := range ys {
		n, d := abs(y.num), abs(y.den)
		if scaled := n * den; scaled == less*d || scaled == more*d || scaled == numTimes*d || n*num == denTimes*d || n*denTimes == num*d {
			g.found = append(g.found, int32(at))
		}
	}
	return g.found
}

func abs(x int64) int64 {
	sign := x >> 63
	return x ^ sign - sign
}

// try appends the hits that operations make of form i over left and form j over all other slots.
func (g *generator) try(left slots, i, j uint32, a, b value) {
	s, target := g.shape, int64(g.target)
	for o := range operations {
		if v := o.join(a, b); v.is(target) || v.is(-target) {
			g.hits = append(g.hits, part{s.algebra.join(o, s.full, left, i, j), s.full, v.is(-target)})
		}
	}
}

// leftmost reports whether a set takes slots of equal numbers from the left.
func (s *shape) leftmost(set slots, equal uint8) bool {
	return equal&(set>>1)&^set == 0
}

func (o operation) fill(values, out []value, steps []step) {
	switch o {
	case sum:
		for i, s := range steps {
			a, b := values[s.a], values[s.b]
			out[i] = value{a.num*b.den + b.num*a.den, a.den * b.den}
		}
	case difference:
		for i, s := range steps {
			a, b := values[s.a], values[s.b]
			out[i] = value{a.num*b.den - b.num*a.den, a.den * b.den}
		}
	case product:
		for i, s := range steps {
			a, b := values[s.a], values[s.b]
			out[i] = value{a.num * b.num, a.den * b.den}
		}
	case quotient:
		for i, s := range steps {
			out[i] = divide(values[s.a], values[s.b])
		}
	case inverse:
		for i, s := range steps {
			out[i] = divide(values[s.b], values[s.a])
		}
	}
}

// A generator draws problems. It is scratch space for one shape.
type generator struct {
	shape   *shape
	stream  rand.PCG
	numbers [maxSlots]int16 // ascending
	target  int16
	equal   uint8   // bit i: numbers i and i+1 are equal
	values  []value // of forms over fewer than all slots
	found   []int32
	hits    []part
}

func newGenerator(s *shape) *generator {
	return &generator{shape: s, values: make([]value, s.offset[s.full])}
}

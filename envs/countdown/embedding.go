package countdown

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"modebench/internal/arith"
)

// An embedding counts what a mode is made of: its sub-expressions are hashed into
// the first 64 entries, its operators as printed counted in the other four.
// Sub-expressions are the mode itself, each sum within a product and product
// within a sum, and each pair of terms of a longer sum, or of factors of a longer
// product. A sub-expression adds 1 or -1 to one entry of each quarter of the 64.
const (
	hashed    = 64
	dimension = hashed + 4
)

// A sketch is an embedding in the making. Most of the hashed entries are never
// touched, so it remembers which are.
type sketch struct {
	counts  [hashed]int32
	touched uint64 // bit i: entry i
}

// embed fills in the embedding of a mode that has been written. Nothing cancels to
// zero: a lone number has four entries, all else operators.
func (s *modeWriter) embed(out *[dimension]float32, x part) {
	var k sketch
	s.describe(&k, x)
	squares := int32(0)
	for _, c := range s.written {
		squares += c * c
	}
	for rest := k.touched; rest != 0; rest &= rest - 1 {
		c := k.counts[bits.TrailingZeros64(rest)]
		squares += c * c
	}
	scale := 1 / math.Sqrt(float64(squares))
	for rest := k.touched; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		out[i] = float32(float64(k.counts[i]) * scale)
	}
	for i, c := range s.written {
		out[hashed+i] = float32(float64(c) * scale)
	}
}

// describe adds up a part and the sub-expressions below it.
func (s *modeWriter) describe(k *sketch, x part) {
	s.feature(k, x)
	al, kind := s.problem.shape.algebra, s.problem.kind(x)
	if kind == single {
		return
	}
	var room [maxSlots]part
	parts := al.flatten(room[:0], kind, part{form: x.form, slots: x.slots})
	for i, a := range parts {
		if bits.OnesCount8(a.slots) > 1 {
			s.describe(k, part{form: a.form, slots: a.slots})
		}
		for _, b := range parts[:i] {
			if len(parts) > 2 {
				s.feature(k, al.pair(kind, a, b))
			}
		}
	}
}

// pair joins two terms, or two factors (of two divisors it is their product), and forgets the sign.
func (al *algebra) pair(kind operation, a, b part) part {
	op := arith.Add
	if kind != sum {
		if a.flipped {
			a, b = b, a
		}
		if op = arith.Div; a.flipped == b.flipped {
			op = arith.Mul
		}
	}
	out := al.combine(op, a, b)
	out.flipped = false
	return out
}

// feature adds the entries of one sub-expression: a hash of its numbers and of the form
// that represents it, and of the sign of a whole mode.
func (s *modeWriter) feature(k *sketch, x part) {
	p := s.problem
	numbers := uint64(0) // ten bits each
	for rest := x.slots; rest != 0; rest &= rest - 1 {
		numbers = numbers<<10 | uint64(p.numberAt(rest&-rest))
	}
	form := uint64(p.shape.image(x, p.equal).form()) << 1
	if x.flipped {
		form++
	}
	var stream rand.PCG
	p.shape.env.feature.Int(numbers).Int(form).Seed(&stream)
	word := stream.Uint64()
	const quarter = hashed / 4
	for i := range 4 {
		entry := i*quarter + int(word%quarter)
		word /= quarter
		k.counts[entry] += 1 - 2*int32(word&1)
		k.touched |= 1 << entry
		word >>= 1
	}
}

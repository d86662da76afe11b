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

// embed returns the embedding of a mode that has been written. Nothing cancels to
// zero: a lone number has four entries, all else operators.
func (s *scribe) embed(x part) []float32 {
	var counts [dimension]int32
	s.describe(&counts, x)
	copy(counts[hashed:], s.written[:])
	squares := int32(0)
	for _, c := range counts {
		squares += c * c
	}
	scale := 1 / math.Sqrt(float64(squares))
	out := make([]float32, dimension)
	for i, c := range counts {
		if c != 0 {
			out[i] = float32(float64(c) * scale)
		}
	}
	return out
}

// describe adds up a part and the sub-expressions below it.
func (s *scribe) describe(counts *[dimension]int32, x part) {
	s.feature(counts, x)
	al, kind := s.problem.shape.algebra, s.problem.kind(x)
	if kind == single {
		return
	}
	var room [maxSlots]part
	parts := al.flatten(room[:0], kind, part{form: x.form, slots: x.slots})
	for i, a := range parts {
		if bits.OnesCount8(a.slots) > 1 {
			s.describe(counts, part{form: a.form, slots: a.slots})
		}
		for _, b := range parts[:i] {
			if len(parts) > 2 {
				s.feature(counts, al.pair(kind, a, b))
			}
		}
	}
}

// pair joins two terms, or two factors (of two divisors it is their product), and
// forgets the sign.
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

// feature adds the entries of one sub-expression: a hash of its numbers and of the
// form that stands for it, and of the sign of a whole mode.
func (s *scribe) feature(counts *[dimension]int32, x part) {
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
		entry := &counts[i*quarter+int(word%quarter)]
		word /= quarter
		*entry += 1 - 2*int32(word&1)
		word >>= 1
	}
}

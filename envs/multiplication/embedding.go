package multiplication

import "math"

var kindLength = float32(math.Sqrt(alike / 2))

// Layout of an embedding: a coordinate for each kind of each operand, then
// coordinates that terms are hashed to.
const (
	dimensions = 64
	hashed     = dimensions - 2*kinds
)

// alike is the share of the kinds in the squared length of an embedding. Above
// 2/3, two answers of one family are always closer than two of different ones:
// the cosine of the former is at least alike, and that of the latter at most
// alike/2 + (1 - alike), for terms only add.
const alike = 0.7

// embed writes the features of a valid reading: the kind of each operand, and the terms or
// factors that represent it, hashed. The result has length 1.
func (d *decomposition) embed(dst *[dimensions]float32, r reading) {
	squares := 0
	for i, p := range r.parts {
		dst[i*kinds+int(p.kind)] = kindLength
		for _, x := range d.span(p) {
			entry := &dst[coordinate(i, p.kind == factor, x)]
			squares += 2*int(*entry) + 1
			*entry++
		}
	}
	length := float32(math.Sqrt((1 - alike) / float64(squares)))
	for i, p := range r.parts {
		for _, x := range d.span(p) {
			// Terms may share a coordinate: counts are 1 or more, and scaled below 1.
			if entry := &dst[coordinate(i, p.kind == factor, x)]; *entry >= 1 {
				*entry *= length
			}
		}
	}
}

func coordinate(operand int, isFactor bool, x int64) int {
	h := uint64(x)<<2 | uint64(operand)<<1
	if isFactor {
		h |= 1
	}
	// A multiplicative hash: the high bits of the product depend on all of h.
	h *= 0x9e3779b97f4a7c15
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	return 2*kinds + int(h>>32*hashed>>32)
}

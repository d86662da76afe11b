package rng

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// joeKuo has a primitive polynomial, its coefficients as bits, and initial direction numbers for each
// dimension of a Sobol sequence after the first: new-joe-kuo-6 of Joe and Kuo (SIAM J. Sci. Comput.
// 30, 2008), which SciPy has too.
var joeKuo = [...]struct {
	polynomial uint32
	first      []uint32
}{
	{3, []uint32{1}},
	{7, []uint32{1, 3}},
	{11, []uint32{1, 3, 1}},
	{13, []uint32{1, 1, 1}},
	{19, []uint32{1, 1, 3, 3}},
	{25, []uint32{1, 3, 5, 13}},
	{37, []uint32{1, 1, 5, 5, 17}},
	{41, []uint32{1, 1, 5, 5, 5}},
	{47, []uint32{1, 1, 7, 11, 19}},
	{55, []uint32{1, 1, 5, 1, 1}},
	{59, []uint32{1, 1, 1, 3, 11}},
	{61, []uint32{1, 3, 5, 5, 31}},
	{67, []uint32{1, 3, 3, 9, 7, 49}},
	{91, []uint32{1, 1, 1, 15, 21, 21}},
	{97, []uint32{1, 3, 1, 13, 27, 49}},
}

// A Sobol gives the points of a scrambled Sobol sequence in the unit cube, multiples of 2^-32. Each
// point is uniform, and together they are spread more evenly than independent ones.
type Sobol struct {
	columns [][32]uint32 // direction numbers of each dimension
	point   []uint32     // the next one
	number  uint32       // of the next point
}

// Start begins a sequence of d dimensions, at most 16. The scramble is SciPy's (qmc.Sobol): a random
// lower triangular matrix of bits for each dimension (Matousek, J. Complexity 14, 1998), then a
// random digital shift. It takes 16 d + d words from r.
func (s *Sobol) Start(r *rand.Rand, d int) error {
	if err := s.reset(d); err != nil {
		return err
	}
	for i := range s.columns {
		var rows [32]uint32 // the uppermost bit's last
		for b := range 16 {
			word := r.Uint64()
			rows[2*b], rows[2*b+1] = uint32(word), uint32(word>>32)
		}
		for k, v := range s.columns[i] {
			s.columns[i][k] = 0
			for b, row := range rows {
				row = row>>b>>1<<b<<1 | 1<<b
				s.columns[i][k] |= uint32(bits.OnesCount32(row&v)&1) << b
			}
		}
		s.point[i] = uint32(r.Uint64() >> 32)
	}
	return nil
}

// reset begins the sequence without a scramble.
func (s *Sobol) reset(d int) error {
	if d > len(joeKuo)+1 {
		return fmt.Errorf("a Sobol sequence of %d dimensions, want at most %d", d, len(joeKuo)+1)
	}
	s.columns, s.point, s.number = make([][32]uint32, d), make([]uint32, d), 0
	for i := range s.columns {
		v := &s.columns[i]
		for k := range v {
			if i == 0 {
				v[k] = 1 << (31 - k)
				continue
			}
			p := joeKuo[i-1]
			degree := len(p.first)
			if k < degree {
				v[k] = p.first[k] << (31 - k)
				continue
			}
			v[k] = v[k-degree] ^ v[k-degree]>>degree
			for j := 1; j < degree; j++ {
				v[k] ^= v[k-j] * (p.polynomial >> (degree - j) & 1)
			}
		}
	}
	return nil
}

// Next fills u with the next point.
func (s *Sobol) Next(u []float64) {
	changed := bits.TrailingZeros32(^s.number) % 32 // in Gray code
	s.number++
	for i := range u {
		u[i] = float64(float64(s.point[i]) * 0x1p-32)
		s.point[i] ^= s.columns[i][changed]
	}
}

// Dirichlet fills w, of an entry more than a point has dimensions, with the lengths into which the
// next point cuts [0, 1]: a draw from Dir(1, ..., 1).
func (s *Sobol) Dirichlet(w []float64) {
	s.Next(w[:len(w)-1])
	gaps(w)
}

// gaps replaces cuts of [0, 1], all entries of w but the last, by the lengths between them.
func gaps(w []float64) {
	cuts := w[:len(w)-1]
	slices.Sort(cuts)
	last := 0.0
	for i, cut := range cuts {
		w[i] = cut - last
		last = cut
	}
	w[len(cuts)] = 1 - last
}

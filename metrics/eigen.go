package metrics

import (
	"math"
	"slices"
)

// A spectrum computes the eigenvalues of symmetric matrices, in memory that it uses again. gonum
// has a solver too, whose bits are those of its BLAS; these are the same on every machine.
type spectrum struct {
	values []float64
	off    []float64 // the off-diagonal of the tridiagonal form: off[i] is beside values[i-1] and values[i]
	v, p   []float64
}

// eigenvalues returns the eigenvalues of the symmetric n x n matrix a, in ascending order, in
// memory that the next call uses again. It reads the lower triangle, rows of n, and
// destroys it. Householder reflections make the matrix tridiagonal (Golub and Van Loan,
// Matrix Computations, sec. 8.3.1) and implicit QL steps with Wilkinson's shift diagonal
// (sec. 8.3.3, upside down), in (4/3) n^3 and O(n^2) operations. The absolute error of
// each is a small multiple of n 2^-53 times the largest magnitude among them.
//
// Entries whose squares overflow are beyond it; those below 2^-480 count as 0, for their
// squares have no digits left to make a reflection of.
//
// It is false where the steps do not end, as with an entry that is no number.
func (s *spectrum) eigenvalues(a []float64, n int) ([]float64, bool) {
	s.values, s.off = zeros(s.values, n), zeros(s.off, n)
	s.v, s.p = zeros(s.v, n), zeros(s.p, n)
	for i := n - 1; i > 0; i-- {
		s.off[i] = s.reflect(a, n, i)
	}
	for i := range n {
		s.values[i] = a[i*n+i]
	}
	if !s.diagonalise() {
		return nil, false
	}
	slices.Sort(s.values)
	return s.values, true
}

// reflect applies the reflection I - 2 v v'/v'v from both sides to the leading i x i
// block, such that row i has a single entry left of the diagonal, which it returns.
func (s *spectrum) reflect(a []float64, n, i int) float64 {
	x := a[i*n : i*n+i]
	if i == 1 {
		return x[0]
	}
	rest := 0.0
	for _, y := range x[:i-1] {
		rest += float64(y * y)
	}
	last := x[i-1]
	if rest < 0x1p-960 {
		return last
	}
	norm := math.Sqrt(rest + float64(last*last))
	if last > 0 {
		norm = -norm // so that v has no difference of numbers alike
	}
	v, p := s.v[:i], s.p[:i]
	copy(v, x)
	v[i-1] = last - norm
	half := float64((rest + float64(v[i-1]*v[i-1])) / 2)
	// With p = A v / half and q = p - (v'p / (2 half)) v the block becomes A - v q' - q v'.
	clear(p)
	for j := range v {
		row := a[j*n : j*n+j+1]
		p[j] += scatter(p[:j], row[:j], v[:j], v[j]) + float64(row[j]*v[j])
	}
	vp := 0.0
	for j := range p {
		p[j] /= half
		vp += float64(v[j] * p[j])
	}
	vp /= 2 * half
	for j := range p {
		p[j] -= float64(vp * v[j])
	}
	for j := range v {
		subtract(a[j*n:j*n+j+1], v[:j+1], p[:j+1], v[j], p[j])
	}
	return norm
}

// scatter adds x times the row to p and returns the inner product of row and v: the two
// things that an entry off the diagonal does in a product of matrix and vector.
func scatter(p, row, v []float64, x float64) float64 {
	p, v = p[:len(row)], v[:len(row)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(row); i += 4 {
		r0, r1, r2, r3 := row[i], row[i+1], row[i+2], row[i+3]
		p[i] += float64(r0 * x)
		p[i+1] += float64(r1 * x)
		p[i+2] += float64(r2 * x)
		p[i+3] += float64(r3 * x)
		s0 += float64(r0 * v[i])
		s1 += float64(r1 * v[i+1])
		s2 += float64(r2 * v[i+2])
		s3 += float64(r3 * v[i+3])
	}
	for ; i < len(row); i++ {
		p[i] += float64(row[i] * x)
		s0 += float64(row[i] * v[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// subtract takes x*q + y*v off the row.
func subtract(row, v, q []float64, x, y float64) {
	v, q = v[:len(row)], q[:len(row)]
	for k := range row {
		row[k] -= float64(x*q[k]) + float64(y*v[k])
	}
}

// maxSweeps bounds the QL steps for one eigenvalue. With Wilkinson's shift they always
// end, most often after two; LAPACK too allows 30 on the average.
const maxSweeps = 30

// diagonalise takes values and off, a tridiagonal matrix, to its eigenvalues.
func (s *spectrum) diagonalise() bool {
	n, largest := len(s.values), 0.0
	for i, x := range s.values {
		largest = max(largest, math.Abs(x)+math.Abs(s.off[i]))
	}
	// An entry off the diagonal moves the eigenvalues by its magnitude at most.
	tiny := largest * 0x1p-53
	for first := 0; first < n; first++ {
		for sweeps := 0; ; sweeps++ {
			end := first + 1
			for end < n && !(math.Abs(s.off[end]) <= tiny) {
				end++
			}
			if end == first+1 {
				break
			}
			if sweeps == maxSweeps {
				return false
			}
			s.sweep(first, end-1)
		}
	}
	return true
}

// sweep is one implicit QL step on the block from first to last: a rotation of each two
// neighbouring rows and columns, from the end up, of which the lowest would make the last
// entry of a shifted matrix's column zero, and the others chase the entry that it leaves
// outside of the three diagonals.
func (s *spectrum) sweep(first, last int) {
	d, off := s.values, s.off
	// The eigenvalue of the leading 2 x 2 block that is nearer to d[first].
	gap, e := float64((d[first+1]-d[first])/2), off[first+1]
	root := hypot(gap, e)
	if gap < 0 {
		root = -root
	}
	shift := d[first] - float64(e*(e/(gap+root)))

	x, bulge := d[last]-shift, off[last]
	for i := last - 1; i >= first; i-- {
		r := hypot(x, bulge)
		if i+2 <= last {
			off[i+2] = r
		}
		cos, sin := 1.0, 0.0
		if r > 0 {
			cos, sin = x/r, bulge/r
		}
		// The 2 x 2 block of rows i and i+1.
		high, low, beside := d[i], d[i+1], off[i+1]
		cross := float64(2 * float64(float64(cos*sin)*beside))
		cc, ss := float64(cos*cos), float64(sin*sin)
		d[i+1] = float64(cc*low) + cross + float64(ss*high)
		d[i] = float64(ss*low) - cross + float64(cc*high)
		x = float64(float64(cos*sin)*(high-low)) + float64((cc-ss)*beside)
		off[i+1] = x
		if i > first {
			bulge = float64(sin * off[i])
			off[i] = float64(cos * off[i])
		}
	}
}

// hypot returns sqrt(x^2 + y^2) without overflow of a square.
func hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	if x < y {
		x, y = y, x
	}
	if y == 0 {
		return x
	}
	y /= x
	return float64(x * math.Sqrt(1+float64(y*y)))
}

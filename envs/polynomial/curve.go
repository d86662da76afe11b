package polynomial

import (
	"iter"
	"math"
	"sort"

	"modebench/envs"
)

// A curve is a relation on the grid of writable numbers. Its x and y are integers,
// in units of the last decimal place: with u units to 1 and total degree t,
//
//	u^t P(x/u, y/u) = q0(x) + (q1[0] + q1[1] x) y + q2 y^2.
type curve struct {
	q0    [maxDegree + 1]int64
	q1    [2]int64
	q2    int64
	unit  int64 // units to 1
	limit int64 // largest writable number
	reach int64 // no writable pair on the curve has an |x| beyond it
}

// scale puts a relation onto the grid.
func (g *grammar) scale(q *relation) curve {
	c := curve{unit: g.unit, limit: g.limit}
	power, t := int64(1), q.degree() // power is unit^(t-i)
	for i := t; i >= 0; i-- {
		c.q0[i] = q.x[i] * power
		switch i {
		case 2:
			c.q2, c.q1[1] = q.yy*power, q.xy*power
		case 1:
			c.q1[0] = q.y * power
		}
		power *= g.unit
	}
	c.reach = min(g.limit, g.unit*q.reach((g.limit+1)/g.unit)-1)
	return c
}

// reach returns the least integer r >= 1 such that |x| < r for all points of the relation
// with |y| < bound, or bound if that is less.
func (q *relation) reach(bound int64) int64 {
	var size [maxDegree + 1]int64
	n := 0 // |x|^n size[n] is less than the sum of the lower powers
	switch delta := 4*q.x[2]*q.yy - q.xy*q.xy; {
	case q.explicit:
		for i, c := range q.x {
			if size[i] = abs(c); c != 0 {
				n = i
			}
		}
		size[0] += bound
	case delta > 0:
		// y is a root of a quadratic equation whose discriminant is not negative.
		n = 2
		size = [maxDegree + 1]int64{abs(q.y*q.y - 4*q.yy*q.x[0]), abs(2*q.xy*q.y - 4*q.yy*q.x[1]), delta}
	case q.degree() == 1:
		n = 1
		size[0], size[1] = abs(q.x[0])+abs(q.y)*bound, abs(q.x[1])
	default:
		return bound
	}
	// Once the highest power has outgrown the others it stays ahead.
	return 1 + int64(sort.Search(int(bound-1), func(i int) bool {
		x := int64(i + 1)
		rest := int64(0)
		for k := n - 1; k >= 0; k-- {
			rest = rest*x + size[k]
		}
		highest := size[n]
		for range n {
			highest *= x
		}
		return highest > rest
	}))
}

// coefficients returns those of 1 and y at x, |x| <= reach.
func (c *curve) coefficients(x int64) (q0, q1 int64) {
	q0 = (((c.q0[4]*x+c.q0[3])*x+c.q0[2])*x+c.q0[1])*x + c.q0[0]
	return q0, c.q1[0] + c.q1[1]*x
}

// holds reports whether a writable pair is correct.
func (c *curve) holds(x, y int64) bool {
	if x < -c.reach || x > c.reach {
		return false
	}
	q0, q1 := c.coefficients(x)
	return q0+(q1+c.q2*y)*y == 0
}

// solve returns the n writable y that are correct beside x, in ascending order.
func (c *curve) solve(x int64) (ys [2]int64, n int) {
	if x < -c.reach || x > c.reach {
		return ys, 0
	}
	q0, q1 := c.coefficients(x)
	if c.q2 == 0 {
		// A curve that does not fall apart has no x where both are zero.
		if q1 != 0 && q0%q1 == 0 && abs(q0/q1) <= c.limit {
			return [2]int64{-q0 / q1}, 1
		}
		return ys, 0
	}
	d := q1*q1 - 4*c.q2*q0
	if d < 0 {
		return ys, 0
	}
	r := root(d)
	if r*r != d {
		return ys, 0
	}
	low, high := -q1-r, -q1+r
	if c.q2 < 0 {
		low, high = high, low
	}
	for i, top := range [2]int64{low, high} {
		if y := top / (2 * c.q2); y*2*c.q2 == top && abs(y) <= c.limit && (i == 0 || r != 0) {
			ys[n] = y
			n++
		}
	}
	return ys, n
}

// pairs goes through all correct pairs, by x and then by y.
func (c *curve) pairs() iter.Seq2[int64, int64] {
	return func(yield func(x, y int64) bool) {
		for x := -c.reach; x <= c.reach; x++ {
			ys, n := c.solve(x)
			for _, y := range ys[:n] {
				if !yield(x, y) {
					return
				}
			}
		}
	}
}

// root is the integer part of the square root of 0 <= n < 2^52. Below that the root of one less
// than a square is too far from the next integer to be rounded up to it.
func root(n int64) int64 { return int64(math.Sqrt(float64(n))) }

// near returns the correct y beside x or, without a correct y, the values rounded towards
// zero: numbers close to the curve, if it comes close.
func (c *curve) near(x int64) (ys [2]int64, n int) {
	if ys, n = c.solve(x); n > 0 {
		return ys, n
	}
	q0, q1 := c.coefficients(min(max(x, -c.reach), c.reach))
	clamp := func(y int64) int64 { return min(max(y, -c.limit), c.limit) }
	switch {
	case c.q2 != 0:
		r := root(max(0, q1*q1-4*c.q2*q0))
		ys = [2]int64{clamp((-q1 - r) / (2 * c.q2)), clamp((-q1 + r) / (2 * c.q2))}
		if ys[0] != ys[1] {
			return ys, 2
		}
	case q1 != 0:
		ys[0] = clamp(-q0 / q1)
	}
	return ys, 1
}

// easiest goes through all x in reach from easy to hard: integers before numbers
// with one decimal and those before numbers with two, small ones before large
// ones, a number before its negative. It stops when visit returns false.
func (c *curve) easiest(visit func(x int64) bool) {
	for step := c.unit; step > 0; step /= 10 {
		for x := int64(0); x <= c.reach; x += step {
			if step < c.unit && x%(10*step) == 0 {
				continue // had fewer decimals
			}
			if !visit(x) || x != 0 && !visit(-x) {
				return
			}
		}
	}
}

func (c *curve) hasPairs(n int) bool {
	c.easiest(func(x int64) bool {
		_, found := c.solve(x)
		n -= found
		return n > 0
	})
	return n <= 0
}

// maxSolutions bounds the pairs that Fields lists.
const maxSolutions = 2000

// A pair of numbers in units.
type pair struct{ x, y int32 }

type scratch struct {
	pairs []pair
	text  []byte
	ends  []int32 // of the modes in text
}

// Truth implements envs.Problem. Modes are all correct pairs that can be
// written, by x and then by y; Solutions counts their spellings.
//
// A problem keeps its truth. By default a line's takes 1 to 7 MB (22 to 200
// thousand modes of 34 bytes), and those of the first 100 problems of the split
// train 40 MB, nearly all of it for lines. With one decimal they take 5 MB, and
// with degree_min = 2, which leaves only the few implicit lines, 3 MB.
func (p *Problem) Truth() envs.Truth {
	p.findTruth.Do(p.computeTruth)
	return p.truth
}

func (p *Problem) computeTruth() {
	e := p.env
	s := e.scratch.Get().(*scratch)
	defer e.scratch.Put(s)
	s.pairs, s.text, s.ends = s.pairs[:0], s.text[:0], s.ends[:0]
	for x, y := range p.curve.pairs() {
		s.pairs = append(s.pairs, pair{int32(x), int32(y)})
		s.text = e.appendPair(s.text, x, y)
		s.ends = append(s.ends, int32(len(s.text)))
		p.truth.Solutions += e.spellings(x) * e.spellings(y)
	}
	text, begin := string(s.text), int32(0) // one string for all modes
	p.truth.Modes = make([]envs.Mode, len(s.ends))
	for i, end := range s.ends {
		p.truth.Modes[i] = envs.Mode(text[begin:end])
		begin = end
	}
	p.truth.Front = [][]float64{rightReward}
	p.sample(s.pairs)
}

// sample keeps the correct pairs that Fields lists: all of them, or maxSolutions
// at equal distances, the first and the last among them.
func (p *Problem) sample(pairs []pair) {
	n := min(len(pairs), maxSolutions)
	p.solutions = make([][2]float64, n)
	unit := float64(p.curve.unit)
	for i := range p.solutions {
		place := i
		if n < len(pairs) {
			place = i * (len(pairs) - 1) / (n - 1)
		}
		p.solutions[i] = [2]float64{float64(pairs[place].x) / unit, float64(pairs[place].y) / unit}
	}
}

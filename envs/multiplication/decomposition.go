package multiplication

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"modebench/envs"
)

// A kind is the strategy for one operand; see the package comment.
type kind uint8

const (
	plain kind = iota
	place
	near
	factor
	split
	kinds = 5 // number of them
)

var kindNames = [kinds]string{"plain", "place", "near", "factor", "split"}

// modes are the names of all modes.
var modes = func() (m [kinds][kinds]envs.Mode) {
	for i, a := range kindNames {
		for j, b := range kindNames {
			m[i][j] = envs.Mode(a + "*" + b)
		}
	}
	return m
}()

// A decomposition is a product taken apart into its leaves, from left to right:
// numbers, and sums of numbers.
type decomposition struct {
	terms     []int64 // of all leaves, with their signs
	ends      []int32 // where the terms of each leaf end
	left      int     // leaves left of the outermost *
	malformed bool    // there is no such product, or a leaf is something else
}

// A part is the run of leaves that represents an operand.
type part struct {
	first, end int // leaves
	kind       kind
}

// A reading assigns the parts of a decomposition to the operands.
type reading struct {
	valid bool
	parts [2]part // of the first and the second operand
}

// read finds the parts that have the operands' values and brings their terms into a fixed order.
func (d *decomposition) read(a, b int64) reading {
	if d.malformed {
		return reading{}
	}
	r := d.find(a, b)
	if !r.valid {
		return reading{}
	}
	for i := range r.parts {
		p := &r.parts[i]
		d.classify(p)
		if p.kind == split && hasFiller(d.span(*p)) {
			return reading{}
		}
	}
	if r.parts[0].kind == plain && r.parts[1].kind == plain {
		return reading{}
	}
	if a == b && d.compare(r.parts[0], r.parts[1]) > 0 {
		r = r.swapped()
	}
	return r
}

// find cuts the chain where its parts have the operands' values. The sides of the outermost
// * count first. Other cuts are for chains without grouping, whose outermost * has the last
// factor alone on its right (or the first one on its left): in (3*3)*(3*46) both sides are
// grouped, so it means 9*138 and nothing else.
func (d *decomposition) find(a, b int64) reading {
	n := len(d.ends)
	r := d.cut(d.left, a, b)
	if !r.valid {
		r = d.cut(d.left, b, a).swapped()
	}
	if d.left != 1 && d.left != n-1 {
		return r
	}
	for k := 1; k < n && !r.valid; k++ {
		r = d.cut(k, a, b)
	}
	for k := 1; k < n && !r.valid; k++ {
		r = d.cut(k, b, a).swapped()
	}
	return r
}

func (r reading) swapped() reading {
	r.parts[0], r.parts[1] = r.parts[1], r.parts[0]
	return r
}

func (r reading) mode() envs.Mode { return modes[r.parts[0].kind][r.parts[1].kind] }

// cut reads the first k leaves as x and the others as y.
func (d *decomposition) cut(k int, x, y int64) reading {
	r := reading{parts: [2]part{{first: 0, end: k}, {first: k, end: len(d.ends)}}}
	r.valid = d.worth(r.parts[0]) == x && d.worth(r.parts[1]) == y
	return r
}

func (d *decomposition) span(p part) []int64 {
	begin := int32(0)
	if p.first > 0 {
		begin = d.ends[p.first-1]
	}
	return d.terms[begin:d.ends[p.end-1]]
}

// worth is the value of a part, or 0 if it may not represent an operand.
func (d *decomposition) worth(p part) int64 {
	terms := d.span(p)
	switch {
	case len(terms) == 1:
		return terms[0]
	case p.end-p.first == 1:
		if slices.Contains(terms, 0) {
			return 0
		}
		return sum(terms)
	case len(terms) != p.end-p.first:
		return 0 // a sum among factors
	}
	product := int64(1)
	for _, x := range terms {
		if x <= 1 {
			return 0
		}
		if product = times(product, x); product == 0 {
			return 0
		}
	}
	return product
}

// sum adds signed terms; 0 where what is added or what is taken away does not fit an int64.
func sum(terms []int64) int64 {
	var added, taken uint64
	for _, x := range terms {
		into := &added
		if x < 0 {
			into = &taken
		}
		*into += uint64(max(x, -x))
		if *into > math.MaxInt64 {
			return 0
		}
	}
	return int64(added) - int64(taken)
}

// hasFiller reports whether terms, arranged, hold a number and its negative. Like a 0, such a pair
// would make another strategy of any expression, and as many variants as there are numbers.
func hasFiller(terms []int64) bool {
	taken := terms // its negative terms, once what is added is behind
	for len(taken) > 0 && taken[0] > 0 {
		taken = taken[1:]
	}
	// Both halves fall in size, so one walk finds what they share.
	for _, x := range terms[:len(terms)-len(taken)] {
		for len(taken) > 0 && -taken[0] > x {
			taken = taken[1:]
		}
		if len(taken) > 0 && -taken[0] == x {
			return true
		}
	}
	return false
}

// times multiplies two numbers of 0 or more; 0 where the product does not fit.
func times(x, y int64) int64 {
	high, low := bits.Mul64(uint64(x), uint64(y))
	if high != 0 || low > math.MaxInt64 {
		return 0
	}
	return int64(low)
}

// classify orders the terms of a part that represents an operand and finds its kind.
func (d *decomposition) classify(p *part) {
	terms := d.span(*p)
	arrange(terms)
	switch {
	case len(terms) == 1:
		p.kind = plain
	case p.end-p.first > 1:
		p.kind = factor
	default:
		p.kind = kindOf(terms)
	}
}

// arrange puts what is added before what is taken away, and larger numbers first.
func arrange(terms []int64) {
	slices.SortFunc(terms, func(x, y int64) int {
		if x < 0 && y < 0 {
			return cmp.Compare(x, y)
		}
		return cmp.Compare(y, x)
	})
}

// kindOf is the kind of a sum of two or more terms, arranged.
func kindOf(terms []int64) kind {
	if terms[len(terms)-1] > 0 {
		for i, x := range terms[1:] {
			if terms[i]%above(x) != 0 {
				return split
			}
		}
		return place
	}
	if len(terms) == 2 && -terms[1] < lastPlace(terms[0]) {
		return near
	}
	return split
}

// above is the least power of ten above a number, which has its digits in other
// places than a number that this divides. It is asked for summands of an operand.
func above(x int64) int64 {
	p := int64(10)
	for p <= x {
		p *= 10
	}
	return p
}

// lastPlace is the largest power of ten that divides a number above 0.
func lastPlace(x int64) int64 {
	p := int64(1)
	for ; x%10 == 0; x /= 10 {
		p *= 10
	}
	return p
}

func (d *decomposition) compare(p, q part) int {
	if p.kind != q.kind {
		return cmp.Compare(p.kind, q.kind)
	}
	return slices.Compare(d.span(p), d.span(q))
}

// appendVariant writes the parts of a valid reading, as in "(300+40+3)*(70-3)".
func (d *decomposition) appendVariant(dst []byte, r reading) []byte {
	dst = appendPart(dst, d.span(r.parts[0]), r.parts[0].kind)
	return appendPart(append(dst, '*'), d.span(r.parts[1]), r.parts[1].kind)
}

func appendPart(dst []byte, terms []int64, k kind) []byte {
	if k == plain {
		return strconv.AppendInt(dst, terms[0], 10)
	}
	dst = append(dst, '(')
	for i, x := range terms {
		switch {
		case i > 0 && k == factor:
			dst = append(dst, '*')
		case i > 0 && x > 0:
			dst = append(dst, '+')
		}
		dst = strconv.AppendInt(dst, x, 10)
	}
	return append(dst, ')')
}

package multiplication

import (
	"cmp"
	"slices"
	"sync"

	"modebench/internal/arith"
)

// A reader holds what reading a text needs, so that it need not be allocated for each.
type reader struct {
	sides [maxSides + 1][]arith.Node
	roles []role
	d     decomposition

	// The decomposition multiplied out, and the answer's terms for it.
	want, got rows
	values    [2][]int64
}

var readers = sync.Pool{New: func() any { return new(reader) }}

// A role is the purpose of a node of a tree.
type role struct {
	in      context
	negated bool
	number  int32 // of the leaf or term that the node belongs to, from 1
}

// A context is the kind of place of a node.
type context uint8

const (
	inChain context = iota // of factors whose product is the decomposition
	inSum                  // in a leaf of that chain, or an expansion
	inTerm                 // in a product of an expansion
)

// assign makes room for the roles of a tree, and gives the root its own. Roles of other
// nodes are given from above: operands come before their operation, so a walk from the
// last node to the first meets a node after its operation.
func (r *reader) assign(nodes []arith.Node, root role) []role {
	r.roles = slices.Grow(r.roles[:0], len(nodes))[:len(nodes)]
	r.roles[len(nodes)-1] = root
	return r.roles
}

// descend gives the operands of a node their roles. A sign within a term is the whole term's.
func (r *reader) descend(n arith.Node, role role) {
	if n.Op == arith.Number {
		return
	}
	right := role
	switch {
	case n.Op == arith.Sub:
		right.negated = !role.negated
	case n.Op == arith.Neg && role.in != inTerm:
		role.negated = !role.negated
	}
	r.roles[n.Left] = role
	if n.Op != arith.Neg {
		r.roles[n.Right] = right
	}
}

// decomposition takes a tree apart. Leaves are numbered from right to left.
func (r *reader) decomposition(nodes []arith.Node) *decomposition {
	d := &r.d
	d.terms, d.ends, d.left, d.malformed = d.terms[:0], d.ends[:0], 0, true
	root := nodes[len(nodes)-1]
	if root.Op != arith.Mul {
		return d
	}
	roles, leaf := r.assign(nodes, role{in: inChain}), int32(0)
	for i := len(nodes) - 1; i >= 0; i-- {
		n, role := nodes[i], roles[i]
		if role.in == inChain && n.Op != arith.Mul {
			leaf++
			role.in, role.number = inSum, leaf
		}
		roles[i] = role
		if n.Op == arith.Div || n.Op == arith.Mul && role.in == inSum {
			return d
		}
		r.descend(n, role)
	}
	d.malformed = false
	d.collect(nodes, roles, root.Left)
	return d
}

// collect fills the leaves from the numbers, from left to right. left is the root
// of the left-hand expression.
func (d *decomposition) collect(nodes []arith.Node, roles []role, left int32) {
	leaf := int32(0)
	for i, n := range nodes {
		if n.Op != arith.Number {
			continue
		}
		if number := roles[i].number; number != leaf {
			if leaf = number; len(d.terms) > 0 {
				d.ends = append(d.ends, int32(len(d.terms)))
			}
		}
		value := n.Value
		if roles[i].negated {
			value = -value
		}
		d.terms = append(d.terms, value)
		if int32(i) <= left {
			d.left = len(d.ends) + 1
		}
	}
	d.ends = append(d.ends, int32(len(d.terms)))
}

// rows are the terms of an expansion: for each its sign, 1 or -1, and its factors.
type rows struct {
	flat  []int64
	last  int       // where the last row begins
	width int       // numbers in a row
	rows  [][]int64 // of flat
}

func (x *rows) whole() bool { return len(x.flat)-x.last == x.width }

func (x *rows) begin(negated bool) {
	x.last = len(x.flat)
	sign := int64(1)
	if negated {
		sign = -1
	}
	x.flat = append(x.flat, sign)
}

// sort brings the factors of each row, and then the rows, into a fixed order.
func (x *rows) sort() {
	x.rows = x.rows[:0]
	for from := 0; from < len(x.flat); from += x.width {
		row := x.flat[from : from+x.width]
		slices.Sort(row[1:])
		x.rows = append(x.rows, row)
	}
	slices.SortFunc(x.rows, slices.Compare[[]int64])
}

// isExpansion reports whether a tree is a valid decomposition multiplied out.
func (r *reader) isExpansion(nodes []arith.Node, d *decomposition, read reading) bool {
	width, terms := 1, 1
	for _, p := range read.parts {
		if n := len(d.span(p)); p.kind == factor {
			width += n
		} else {
			width, terms = width+1, terms*n
		}
	}
	r.want.width, r.got.width = width, width
	// The answer's terms come first: they are as long as its text, and the decomposition
	// multiplied out may be the square of that.
	if !r.flatten(nodes) || len(r.got.flat) != width*terms {
		return false
	}
	r.multiply(d, read)
	r.got.sort()
	return slices.EqualFunc(r.got.rows, r.want.rows, slices.Equal[[]int64])
}

func (r *reader) multiply(d *decomposition, read reading) {
	want := &r.want
	want.flat = want.flat[:0]
	for _, x := range d.summands(read.parts[0]) {
		for _, y := range d.summands(read.parts[1]) {
			want.flat = append(want.flat, int64(cmp.Compare(x, 0)*cmp.Compare(y, 0)))
			want.flat = d.appendFactors(want.flat, read.parts[0], x)
			want.flat = d.appendFactors(want.flat, read.parts[1], y)
		}
	}
	want.sort()
}

// summands are the terms of a part, or any one number if it is a product.
func (d *decomposition) summands(p part) []int64 {
	terms := d.span(p)
	if p.kind == factor {
		return terms[:1]
	}
	return terms
}

// appendFactors appends what one summand of a part gives to a term.
func (d *decomposition) appendFactors(dst []int64, p part, summand int64) []int64 {
	if p.kind == factor {
		return append(dst, d.span(p)...)
	}
	return append(dst, max(summand, -summand))
}

// flatten takes a sum of products of numbers apart. It fails if the tree is
// something else, or a product has not the number of factors that rows have.
func (r *reader) flatten(nodes []arith.Node) bool {
	roles, got := r.assign(nodes, role{in: inSum}), &r.got
	got.flat, got.last = got.flat[:0], -got.width
	for i := len(nodes) - 1; i >= 0; i-- {
		n, role := nodes[i], roles[i]
		if role.in == inSum && (n.Op == arith.Mul || n.Op == arith.Number) {
			if !got.whole() {
				return false
			}
			got.begin(role.negated)
			role.in = inTerm
		}
		switch {
		case n.Op == arith.Number:
			got.flat = append(got.flat, n.Value)
		case n.Op == arith.Div || role.in == inTerm && (n.Op == arith.Add || n.Op == arith.Sub):
			return false
		case n.Op == arith.Neg && role.in == inTerm:
			got.flat[got.last] = -got.flat[got.last]
		}
		r.descend(n, role)
	}
	return got.whole()
}

// arePartials reports whether a tree has the values of the terms wanted.
func (r *reader) arePartials(nodes []arith.Node) bool {
	want := r.values[0][:0]
	for _, row := range r.want.rows {
		value := int64(1)
		for _, x := range row[1:] {
			if value = times(value, x); value == 0 {
				return false // no number that can be written has this value
			}
		}
		want = append(want, row[0]*value)
	}
	r.values[0] = want
	got, ok := r.integers(nodes)
	slices.Sort(want)
	slices.Sort(got)
	return ok && slices.Equal(want, got)
}

// isSum reports whether a tree is a sum of whole numbers with a value, which is not 0: a 0
// would also mean a sum that does not fit an int64.
func (r *reader) isSum(nodes []arith.Node, value int64) bool {
	got, ok := r.integers(nodes)
	return ok && sum(got) == value
}

// integers lists the terms of a sum of whole numbers; false where a tree is something else.
func (r *reader) integers(nodes []arith.Node) ([]int64, bool) {
	r.got.width = 2
	if !r.flatten(nodes) {
		return nil, false
	}
	got := r.values[1][:0]
	for row := 0; row < len(r.got.flat); row += 2 {
		got = append(got, r.got.flat[row]*r.got.flat[row+1])
	}
	r.values[1] = got
	return got, true
}

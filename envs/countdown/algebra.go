package countdown

import (
	"math/bits"
	"sync"

	"modebench/internal/arith"
)

// maxSlots bounds the numbers of a problem.
const maxSlots = 6

// A set of slots: bit i is slot i. The slots of a problem are its numbers in ascending order.
type slots = uint8

// A form is a rational function of k slots that uses each of them once, up to its sign.
// Flattening makes expressions equal as functions: a form is a number, a sum of numbers and
// products with a sign each, or a product of numbers and sums, each above or below the
// line. The sign of a sum is normalised, its part with the lowest slot counts positive, and
// signs of factors belong to the whole product. So (a-b)*c and (b-a)*c are one form, and
// the algebra keeps track of the sign beside it.
//
// A form is a number below len(level.forms); this is one way to make it.
type form struct {
	left slots // of the operand that holds the lowest slot, as a pattern of k slots
	op   operation
	a, b uint32 // forms of the two operands, over as many slots as they have
}

// An operation joins two forms A and B, of which A holds the lowest slot.
type operation uint8

const (
	sum        operation = iota // A+B
	difference                  // A-B
	product                     // A*B
	quotient                    // A/B
	inverse                     // B/A
	operations
	single // no operation: a form of one slot
)

// flat is the operation that represents all that flatten together.
func (o operation) flat() operation {
	switch o {
	case sum, difference:
		return sum
	case single:
		return single
	}
	return product
}

// A level holds the forms of k slots and how they come about.
type level struct {
	slots int
	forms []form // forms of one operation are together, in the order of operations
	// The form that an operation makes of forms a and b is
	// table[base[left]+(a*count+b)*operations+op], count being the number of
	// forms that the second operand may have.
	base  [1 << maxSlots]int32
	table []uint32
	// How many expressions without signs and needless parentheses (see
	// appendVariant) have the value of the form, and how many its negative.
	plus, minus []uint32
	swaps       [maxSlots - 1][]image // of each form, when slots i and i+1 trade places

	merged [1 << (maxSlots - 1)]merging
}

// An algebra holds the levels of up to as many slots as it is asked for.
type algebra [maxSlots + 1]*level

// levels are made once and shared by all environments.
var levels [maxSlots + 1]struct {
	once sync.Once
	level
}

func newAlgebra(n int) *algebra {
	var al algebra
	for k := 1; k <= n; k++ {
		l := &levels[k]
		l.once.Do(func() {
			l.level.build(k, &al)
			al[k] = &l.level
			l.level.exchange(&al)
		})
		al[k] = &l.level
	}
	return &al
}

// A part is a form over certain slots. As a whole expression or a term of a sum it is
// negative if flipped, as a factor of a product it is below the line.
type part struct {
	form    uint32
	slots   slots
	flipped bool
}

// compress[within][s] are the slots s of a set as a pattern of its own size, and
// expand[within][pattern] the other way.
var compress, expand = func() (c, e [1 << maxSlots][1 << maxSlots]slots) {
	for within := range c {
		for s := range c {
			pattern, next := 0, 0
			for i := range maxSlots {
				if within>>i&1 == 1 {
					pattern |= s >> i & 1 << next
					next++
				}
			}
			c[within][s] = slots(pattern)
			if s&^within == 0 {
				e[within][pattern] = slots(s)
			}
		}
	}
	return c, e
}()

// combine is x op y for two parts without a slot in common, signs included.
func (al *algebra) combine(op arith.Op, x, y part) part {
	if op == arith.Sub {
		y.flipped = !y.flipped
	}
	union := x.slots | y.slots
	over := quotient
	if union&-union&x.slots == 0 {
		x, y = y, x
		over = inverse
	}
	out := part{slots: union, flipped: x.flipped != y.flipped}
	o := product
	switch op {
	case arith.Add, arith.Sub:
		o = sum
		if out.flipped {
			o = difference
		}
		out.flipped = x.flipped
	case arith.Div:
		o = over
	}
	out.form = al.join(o, union, x.slots, x.form, y.form)
	return out
}

// join looks up what an operation makes of forms over slots left and union without left.
func (al *algebra) join(o operation, union, left slots, a, b uint32) uint32 {
	l := al[bits.OnesCount8(union)]
	count := len(al[bits.OnesCount8(union&^left)].forms)
	return l.table[int(l.base[compress[union][left]])+(int(a)*count+int(b))*int(operations)+int(o)]
}

// operands are the two that a part with more than one slot was made of, their
// flags as they contribute to its own.
func (al *algebra) operands(x part) (f form, a, b part) {
	f = al[bits.OnesCount8(x.slots)].forms[x.form]
	left := expand[x.slots][f.left]
	a = part{f.a, left, x.flipped != (f.op == inverse)}
	b = part{f.b, x.slots &^ left, x.flipped != (f.op == difference || f.op == quotient)}
	return f, a, b
}

// flatten appends the terms of a sum or the factors of a product, or a part that
// is neither as it is.
func (al *algebra) flatten(dst []part, kind operation, x part) []part {
	if bits.OnesCount8(x.slots) == 1 {
		return append(dst, x)
	}
	f, a, b := al.operands(x)
	if f.op.flat() != kind {
		return append(dst, x)
	}
	return al.flatten(al.flatten(dst, kind, a), kind, b)
}

// An identity tells forms of one level apart: their flattened parts, by lowest slot.
type identity struct {
	kind  operation
	parts [maxSlots]part
}

func (al *algebra) identify(o operation, union, left slots, a, b uint32) identity {
	k := identity{kind: o.flat()}
	parts := al.flatten(k.parts[:0], k.kind, part{a, left, o == inverse})
	parts = al.flatten(parts, k.kind, part{b, union &^ left, o == difference || o == quotient})
	for i := range parts {
		for j := i; j > 0 && parts[j].slots&-parts[j].slots < parts[j-1].slots&-parts[j-1].slots; j-- {
			parts[j], parts[j-1] = parts[j-1], parts[j]
		}
	}
	return k
}

// build finds the forms of k slots: all results of the operations on two smaller forms.
func (l *level) build(k int, al *algebra) {
	l.slots = k
	if k == 1 {
		l.forms, l.plus, l.minus = []form{{op: single}}, []uint32{1}, []uint32{0}
		return
	}
	union := slots(1<<k - 1)
	size := int32(0)
	for left := slots(1); left < union; left += 2 {
		l.base[left] = size
		a, b := al.sides(union, left)
		size += int32(len(a.forms) * len(b.forms) * int(operations))
	}
	l.table = make([]uint32, size)
	known := map[identity]uint32{}
	for o := range operations {
		for left := slots(1); left < union; left += 2 {
			cell := int(l.base[left]) + int(o)
			a, b := al.sides(union, left)
			for i := range uint32(len(a.forms)) {
				for j := range uint32(len(b.forms)) {
					id := al.identify(o, union, left, i, j)
					index, found := known[id]
					if !found {
						index = uint32(len(l.forms))
						known[id] = index
						l.forms = append(l.forms, form{left, o, i, j})
						l.plus, l.minus = append(l.plus, 0), append(l.minus, 0)
					}
					l.table[cell] = index
					l.count(index, o, a, b, i, j)
					cell += int(operations)
				}
			}
		}
	}
}

func (al *algebra) sides(union, left slots) (a, b *level) {
	return al[bits.OnesCount8(left)], al[bits.OnesCount8(union&^left)]
}

// texts counts expressions without signs and needless parentheses: those that have
// the value of a form, and those that have its negative.
type texts struct{ plus, minus uint32 }

func (n *texts) add(m texts) {
	n.plus += m.plus
	n.minus += m.minus
}

// count adds the expressions that an operation makes of forms i and j.
func (l *level) count(index uint32, o operation, a, b *level, i, j uint32) {
	n := o.texts(a.forms[i].op, b.forms[j].op, texts{a.plus[i], a.minus[i]}, texts{b.plus[j], b.minus[j]})
	l.plus[index] += n.plus
	l.minus[index] += n.minus
}

// texts counts the expressions that join one of A and one of B by an operator,
// given the operations of both forms. The right operand of + is no sum, and that of
// * no product: these would need parentheses that can be dropped.
func (o operation) texts(opA, opB operation, a, b texts) texts {
	kind := o.flat()
	orders := uint32(0) // of A and B around a + or *
	if opA.flat() != kind {
		orders++
	}
	if opB.flat() != kind {
		orders++
	}
	same, mixed := a.plus*b.plus+a.minus*b.minus, a.plus*b.minus+a.minus*b.plus
	switch o {
	case sum:
		return texts{orders*a.plus*b.plus + mixed, orders*a.minus*b.minus + mixed}
	case difference:
		return texts{orders*a.plus*b.minus + same, orders*a.minus*b.plus + same}
	case product:
		return texts{orders * same, orders * mixed}
	}
	return texts{same, mixed}
}

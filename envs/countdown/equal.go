package countdown

import (
	"math/bits"
	"sync"

	"modebench/internal/arith"
)

// Equal numbers are interchangeable, so forms that a permutation of equal slots turns into
// each other are one mode. An image names the form that represents its class: the number of
// that form times 4, plus 1 if the form is the negative of the representative, plus 2 if it
// is both, as 5-5 is. Such a form has no sign.
type image uint32

const (
	negative image = 1
	signless image = 2
)

func (m image) form() uint32 { return uint32(m >> 2) }

// A merging lists the images of a level's forms when certain neighbouring slots hold equal numbers.
type merging struct {
	once   sync.Once
	images []image
}

// exchange fills swaps: for every two neighbouring slots the form that each form becomes
// when they trade places, and its sign. No form is signless by itself.
func (l *level) exchange(al *algebra) {
	for i := range l.slots - 1 {
		l.swaps[i] = make([]image, len(l.forms))
		for f := range l.forms {
			x := al.swap(part{form: uint32(f), slots: 1<<l.slots - 1}, i)
			l.swaps[i][f] = image(x.form << 2)
			if x.flipped {
				l.swaps[i][f] |= negative
			}
		}
	}
}

// swap lets slots i and i+1 trade places in a whole form.
func (al *algebra) swap(x part, i int) part {
	f := al[bits.OnesCount8(x.slots)].forms[x.form]
	a := part{form: f.a, slots: f.left}
	b := part{form: f.b, slots: x.slots &^ f.left}
	pair := slots(3) << i
	switch {
	case a.slots&pair == pair:
		a = al.swapped(a, i)
	case b.slots&pair == pair:
		b = al.swapped(b, i)
	default:
		// No slot lies between them, so neither operand is reordered.
		a.slots ^= pair
		b.slots ^= pair
	}
	switch f.op {
	case sum:
		return al.combine(arith.Add, a, b)
	case difference:
		return al.combine(arith.Sub, a, b)
	case product:
		return al.combine(arith.Mul, a, b)
	case quotient:
		return al.combine(arith.Div, a, b)
	}
	return al.combine(arith.Div, b, a)
}

// swapped is an operand that holds both slots, by the table of its level.
func (al *algebra) swapped(x part, i int) part {
	place := bits.OnesCount8(x.slots & (1<<i - 1))
	m := al[bits.OnesCount8(x.slots)].swaps[place][x.form]
	x.form, x.flipped = m.form(), m&negative != 0
	return x
}

// images lists the images of all forms where slots i and i+1 hold equal numbers
// for each bit i of equal. It is nil where none do: every form is its own image.
func (l *level) images(equal uint8) []image {
	if equal == 0 {
		return nil
	}
	m := &l.merged[equal]
	m.once.Do(func() { m.images = l.merge(equal) })
	return m.images
}

// merge walks through the class of each form in turn, so that the lowest form of a class
// represents it.
func (l *level) merge(equal uint8) []image {
	const unknown = ^image(0)
	out := make([]image, len(l.forms))
	for f := range out {
		out[f] = unknown
	}
	var class []uint32
	for f := range out {
		if out[f] != unknown {
			continue
		}
		out[f] = image(f << 2)
		class = append(class[:0], uint32(f))
		flags := image(0)
		for next := 0; next < len(class); next++ {
			for rest := equal; rest != 0; rest &= rest - 1 {
				to := l.swaps[bits.TrailingZeros8(rest)][class[next]]
				sign := (to ^ out[class[next]]) & negative
				switch old := &out[to.form()]; {
				case *old == unknown:
					*old = image(f<<2) | sign
					class = append(class, to.form())
				case *old&negative != sign:
					flags = signless
				}
			}
		}
		for _, member := range class {
			if flags != 0 {
				out[member] = out[member]&^negative | flags
			}
		}
	}
	return out
}

// image is that of a part's form, given which of all slots hold equal numbers.
func (s *shape) image(x part, equal uint8) image {
	if equal != 0 { // in most problems it is 0
		if images := s.algebra[bits.OnesCount8(x.slots)].images(within(x.slots, equal)); images != nil {
			return images[x.form]
		}
	}
	return image(x.form << 2)
}

// within marks the slots of a set that hold the number of the set's next slot.
func within(set slots, equal uint8) uint8 {
	out := uint8(0)
	for place := 0; set&(set-1) != 0; place++ {
		i := bits.TrailingZeros8(set)
		set &= set - 1
		between := uint8(1)<<bits.TrailingZeros8(set) - 1<<i
		if equal&between == between {
			out |= 1 << place
		}
	}
	return out
}

package countdown

import "math/bits"

// code is the key of a strategy.
func (x part) code() uint32 {
	n := x.form<<7 | uint32(x.slots)<<1
	if x.flipped {
		n++
	}
	return n
}

// value of a part as a term or as a whole, its sign included.
func (p *Problem) value(x part) value {
	v := p.magnitude(x)
	if x.flipped {
		v.num = -v.num
	}
	return v
}

func (p *Problem) magnitude(x part) value {
	if bits.OnesCount8(x.slots) == 1 {
		return value{int64(p.numberAt(x.slots)), 1}
	}
	f := p.shape.algebra[bits.OnesCount8(x.slots)].forms[x.form]
	left := expand[x.slots][f.left]
	return f.op.join(p.magnitude(part{form: f.a, slots: left}), p.magnitude(part{form: f.b, slots: x.slots &^ left}))
}

func (p *Problem) numberAt(slot slots) int16 { return p.numbers[bits.TrailingZeros8(slot)] }

// kind is the operation that a part flattens to.
func (p *Problem) kind(x part) operation {
	k := bits.OnesCount8(x.slots)
	return p.shape.algebra[k].forms[x.form].op.flat()
}

package multiplication

import (
	"encoding/binary"
	"slices"
)

// AppendState implements envs.Cursor. Parts without further effect on the verdict are left
// out as far as legality allows: of an invalid decomposition the product stage keeps
// nothing, and of an expansion that has gone wrong only the place that was reached.
func (c *cursor) AppendState(dst []byte) []byte {
	dst = append(dst, byte(c.stage), flags(c.inside, c.outside, c.valid, c.matched))
	switch {
	case c.stage == firstOperand:
		return c.appendOperand(dst)
	case c.stage == secondOperand:
		return c.appendOperand(c.sides[0].append(dst))
	case c.stage >= product:
		if c.valid {
			dst = c.sides[1].append(c.sides[0].append(dst))
		}
		return binary.AppendUvarint(append(dst, c.digits), uint64(c.value))
	}
	dst = c.sides[1].append(c.sides[0].append(dst))
	dst = append(dst, c.term, c.factor, c.digits)
	if !c.matched {
		// The last digit of a number may depend on all before it: see number.
		power := c.stage == expansion && c.digits > 0 && c.value == powers[c.digits-1]
		return binary.AppendUvarint(append(dst, flags(power)), uint64(c.choice().index()))
	}
	dst = binary.AppendUvarint(dst, uint64(c.used))
	for _, v := range c.written[:c.factor] {
		dst = binary.AppendUvarint(dst, uint64(v))
	}
	return binary.AppendUvarint(dst, uint64(c.value))
}

func flags(set ...bool) (b byte) {
	for i, is := range set {
		if is {
			b |= 1 << i
		}
	}
	return b
}

// appendOperand appends what has been written of the operand under way. The
// number under way has no leading zeros, so its value tells its digits.
func (c *cursor) appendOperand(dst []byte) []byte {
	return binary.AppendUvarint(c.sides[c.stage].append(dst), uint64(c.value))
}

func (x *expression) append(dst []byte) []byte {
	dst = append(dst, byte(x.class)<<4|x.n, x.minus)
	for _, v := range x.values[:x.n] {
		dst = binary.AppendUvarint(dst, uint64(v))
	}
	return dst
}

// AppendView implements envs.Viewer. The view depends on the part under way:
//
//   - An operand: its written part. The second one also sees of the first whether it is a
//     number, a sum, a difference or a product.
//   - The expansion: the number to be copied, and how many of its digits are written.
//   - A partial product: the factors, and how many of its digits are written.
//   - The product: how many of its digits are written. So the same rows write it
//     whatever the decomposition, and a slip in one digit does not touch the others.
//
// After an invalid decomposition, whose numbers may be any, an expansion or a partial
// product sees only the token that is due. Otherwise a tabular policy would fill with
// rows that hardly ever come again.
func (c *cursor) AppendView(dst []byte) []byte {
	dst = append(dst, byte(c.stage))
	switch {
	case c.stage == finished:
		return dst
	case c.stage > secondOperand:
		dst = binary.AppendUvarint(append(dst, c.digits), uint64(c.choice().index()))
		return c.appendDue(dst)
	case c.outside:
		return append(dst, 0xff) // nothing to choose
	case c.stage == secondOperand:
		dst = append(dst, byte(c.sides[0].class)<<1|flags(c.sides[0].minus != 0))
	}
	return c.appendOperand(append(dst, flags(c.inside)))
}

// appendDue appends what a policy sees of the number that is due, from the expansion on.
func (c *cursor) appendDue(dst []byte) []byte {
	if c.stage == product {
		return dst
	}
	if !c.valid {
		return append(dst, 0, byte(c.right()))
	}
	var room [2 * maxTerms]int32
	numbers := c.expected(room[:0], int(c.term))
	if c.stage == expansion {
		numbers = numbers[c.factor : c.factor+1]
	} else {
		slices.Sort(numbers)
	}
	for _, v := range numbers {
		dst = binary.AppendUvarint(dst, uint64(v))
	}
	return append(dst, byte(c.follower()))
}

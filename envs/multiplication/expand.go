package multiplication

import (
	"math/bits"
	"slices"

	"modebench/envs"
)

// leaves is room for a decomposition of the token grammar.
type leaves struct {
	terms [2 * maxTerms]int64
	ends  [2 * maxTerms]int32
}

// expand reads the decomposition, which is complete, and begins the next stage. Its results
// lie in room.
func (c *cursor) expand(room *leaves) (decomposition, reading) {
	d := decomposition{terms: room.terms[:0], ends: room.ends[:0]}
	a, b := &c.sides[0], &c.sides[1]
	if a.class == bare && b.class == bare {
		c.stage = product
		return d, reading{}
	}
	d.terms, d.ends = a.appendLeaves(d.terms, d.ends)
	d.left = len(d.ends)
	d.terms, d.ends = b.appendLeaves(d.terms, d.ends)
	r := d.read(c.problem.a, c.problem.b)
	c.valid, c.matched = r.valid, r.valid
	c.terms, c.each = uint8(a.terms()*b.terms()), uint8(a.factors()+b.factors())
	for k := range int(c.terms) {
		c.signs |= uint32(a.minus>>(k/b.terms())^b.minus>>(k%b.terms())) & 1 << k
	}
	return d, r
}

func (x *expression) appendLeaves(terms []int64, ends []int32) ([]int64, []int32) {
	for j, v := range x.values[:x.n] {
		term := int64(v)
		if x.minus>>j&1 != 0 {
			term = -term
		}
		terms = append(terms, term)
		if x.class == multiplied || j+1 == int(x.n) {
			ends = append(ends, int32(len(terms)))
		}
	}
	return terms, ends
}

func (c *cursor) closeFactor() {
	c.written[c.factor] = int32(c.value)
	c.factor++
	c.value, c.digits = 0, 0
	if c.factor == c.each {
		c.closeTerm()
	} else if c.matched {
		c.matched = c.find() >= 0
	}
}

func (c *cursor) closeTerm() {
	if c.matched {
		c.use(c.find())
	}
	c.factor = 0
	if c.term++; c.term < c.terms {
		return
	}
	c.term, c.used = 0, 0
	if c.stage = partials; c.terms == 1 {
		c.stage = product
	}
}

func (c *cursor) closePartial() {
	c.summands[c.term] = c.value
	if c.matched {
		c.use(c.find())
	}
	c.value, c.digits = 0, 0
	if c.term++; c.term == c.terms {
		c.term, c.used, c.stage = 0, 0, product
	}
}

// find looks for the first term left that has the sign of the one under way and, among its
// factors, those written so far; in the stage of the partial products, the first term that
// has the written value. It is -1 without such a term.
func (c *cursor) find() int {
	left := ^c.used & (1<<c.terms - 1) & ^(c.signs ^ -(c.signs >> c.term & 1))
	for ; left != 0; left &= left - 1 {
		k := bits.TrailingZeros32(left)
		if c.stage == partials && c.worth(k) == c.value || c.stage == expansion && c.fits(k) {
			return k
		}
	}
	return -1
}

// use takes a term that find has found out of those left.
func (c *cursor) use(k int) {
	if c.matched = k >= 0; c.matched {
		c.used |= 1 << k
	}
}

// expected appends the factors of term k, in the order that the grammar has them.
func (c *cursor) expected(dst []int32, k int) []int32 {
	i, j := k, 0 // terms of the sides
	if n := c.sides[1].terms(); n > 1 {
		i, j = int(uint32(k)/uint32(n)), int(uint32(k)%uint32(n))
	}
	return c.sides[1].appendFactors(c.sides[0].appendFactors(dst, i), j)
}

// appendFactors appends what summand i of an expression gives to a term.
func (x *expression) appendFactors(dst []int32, i int) []int32 {
	if x.class == multiplied {
		return append(dst, x.values[:x.n]...)
	}
	return append(dst, x.values[i])
}

// fits reports whether the factors written so far are among those of term k.
func (c *cursor) fits(k int) bool {
	var room [2 * maxTerms]int32
	rest := c.expected(room[:0], k)
	for _, v := range c.written[:c.factor] {
		i := slices.Index(rest, v)
		if i < 0 {
			return false
		}
		rest[i] = rest[len(rest)-1]
		rest = rest[:len(rest)-1]
	}
	return true
}

// worth is the value of term k, or the largest partial product that can be written if that is less.
func (c *cursor) worth(k int) int64 {
	var room [2 * maxTerms]int32
	largest := powers[c.problem.format.partial] - 1
	v := int64(1)
	for _, x := range c.expected(room[:0], k) {
		if v *= int64(x); v > largest {
			return largest
		}
	}
	return v
}

// run takes a whole answer, number by number instead of token by token: a cursor that has
// just begun ends as if it had taken all tokens. It returns the decomposition, which lies
// in room, and whether the tokens are a whole legal answer; if not, the rest means nothing.
func (c *cursor) run(answer []envs.Token, room *leaves) (d decomposition, r reading, whole bool) {
	rest, ok := c.runOperand(answer, star)
	if ok {
		rest, ok = c.runOperand(rest, equals)
	}
	if !ok {
		return d, r, false
	}
	d, r = c.expand(room)
	if rest, ok = c.runExpansion(rest); !ok {
		return d, r, false
	}
	c.value, rest, ok = readReversed(rest, c.problem.format.product)
	c.stage = finished
	return d, r, ok && len(rest) == 1 && rest[0] == end
}

func (c *cursor) runExpansion(rest []envs.Token) ([]envs.Token, bool) {
	f, ok := c.problem.format, true
	for c.stage == expansion {
		if c.value, rest, ok = f.readNatural(rest); !ok || len(rest) == 0 || rest[0] != c.follower() {
			return nil, false
		}
		c.written[c.factor] = int32(c.value)
		if c.factor++; c.factor == c.each {
			c.closeTerm()
		}
		rest = rest[1:]
	}
	for c.stage == partials {
		if c.value, rest, ok = readReversed(rest, f.partial); !ok || len(rest) == 0 || rest[0] != c.follower() {
			return nil, false
		}
		c.closePartial()
		rest = rest[1:]
	}
	return rest, true
}

// runOperand takes an operand and the symbol after it.
func (c *cursor) runOperand(tokens []envs.Token, after envs.Token) (rest []envs.Token, ok bool) {
	x, f := &c.sides[c.stage], c.problem.format
	if len(tokens) > 0 && tokens[0] == opening {
		rest, ok = x.runGroup(tokens[1:], f)
	} else {
		var v int64
		v, rest, ok = f.readNatural(tokens)
		x.class, x.n, x.values[0] = bare, 1, int32(v)
	}
	if !ok || len(rest) == 0 || rest[0] != after {
		return nil, false
	}
	c.stage++
	return rest[1:], true
}

// runGroup takes two numbers or more with operators of one class between them, and the parenthesis
// that closes.
func (x *expression) runGroup(tokens []envs.Token, f *format) (rest []envs.Token, ok bool) {
	for {
		var v int64
		if v, tokens, ok = f.readNatural(tokens); !ok || len(tokens) == 0 {
			return nil, false
		}
		x.values[x.n] = int32(v)
		x.n++
		symbol, class := tokens[0], x.class
		if tokens = tokens[1:]; symbol == closing {
			return tokens, x.n > 1
		}
		if !x.join(symbol) || int(x.n) == f.terms || x.n > 1 && x.class != class {
			return nil, false
		}
	}
}

func (f *format) readNatural(tokens []envs.Token) (v int64, rest []envs.Token, ok bool) {
	n := 0
	for n < len(tokens) && uint(tokens[n]) < uint(plus) && n <= f.numeral {
		v = 10*v + int64(tokens[n])
		n++
	}
	return v, tokens[n:], n > 0 && tokens[0] != 0 && v <= f.largest
}

// readReversed reads a number with its last digit first.
func readReversed(tokens []envs.Token, bound int) (v int64, rest []envs.Token, ok bool) {
	n := 0
	for n < len(tokens) && uint(tokens[n]) < uint(plus) && n < bound {
		v += int64(tokens[n]) * powers[n]
		n++
	}
	return v, tokens[n:], n == 1 || n > 1 && tokens[n-1] != 0
}

package multiplication

import "modebench/envs"

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

// runExpansion takes the expansion and the partial products, as far as there are
// any.
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
	inside := len(tokens) > 0 && tokens[0] == opening
	if inside {
		tokens = tokens[1:]
	}
	for x.class = bare; ; tokens = tokens[1:] {
		var v int64
		if v, tokens, ok = f.readNatural(tokens); !ok || len(tokens) == 0 {
			return nil, false
		}
		x.values[x.n] = int32(v)
		x.n++
		if !inside || tokens[0] == closing {
			break
		}
		if class := x.class; !x.join(tokens[0]) || int(x.n) == f.terms || x.n > 1 && x.class != class {
			return nil, false
		}
	}
	if inside {
		tokens = tokens[1:]
	}
	if inside && x.n == 1 || len(tokens) == 0 || tokens[0] != after {
		return nil, false
	}
	c.stage++
	return tokens[1:], true
}

// readNatural reads a number of a decomposition or an expansion.
func (f *format) readNatural(tokens []envs.Token) (v int64, rest []envs.Token, ok bool) {
	n := 0
	for n < len(tokens) && uint(tokens[n]) < uint(plus) && n <= f.numeral {
		v = 10*v + int64(tokens[n])
		n++
	}
	return v, tokens[n:], n > 0 && tokens[0] != 0 && v <= f.most
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

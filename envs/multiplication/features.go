package multiplication

import "modebench/envs"

// Features implements envs.Describer.
func (e *Env) Features() envs.Features {
	l := &e.layout
	decomposition := 3 + l.numeral
	expansion := 5 + 2*l.terms*(l.numeral+1) + 1 + 2*(l.numeral+1)
	sum := 2 + 2*l.terms*l.terms
	return envs.Features{
		Count:  int(l.features),
		Width:  2 + l.longest + max(decomposition, expansion, sum),
		Prompt: 2,
		Tokens: int(words),
	}
}

// AppendPromptFeatures implements envs.DescribedProblem: a position for each
// operand, with its digits.
func (p *Problem) AppendPromptFeatures(dst [][]int32) [][]int32 {
	for i, v := range [2]int64{p.a, p.b} {
		dst = envs.AppendPosition(dst)
		last := &dst[len(dst)-1]
		*last = appendDigits(*last, p.env.layout.operands[i], v, length(v))
	}
	return dst
}

// appendDigits appends the lowest digits of a number, units first.
func appendDigits(dst []int32, from int32, v int64, digits int) []int32 {
	for place := range int32(digits) {
		dst = append(dst, from+10*place+int32(v%10))
		v /= 10
	}
	return dst
}

// AppendFeatures implements envs.DescribedCursor: how far the answer has come, the digits of the
// number under way, and the numbers in work: the digits of the operand that a decomposition is due
// for, the factors of the term that is due, or the digits of the partial products, as they have
// been written, at the place of the product that is due and at the one below, which a carry may
// come from. They do not include the results of these, nor whether the written part is right.
func (c *cursor) AppendFeatures(dst []int32) []int32 {
	l := &c.problem.env.layout
	dst = append(dst, l.stage+int32(c.stage), l.written+int32(c.digits))
	switch c.stage {
	case firstOperand, secondOperand:
		dst = c.appendExpression(dst, l)
		return appendFront(dst, l.front, c.value, int(c.digits))
	case expansion:
		dst = append(c.appendTerm(dst, l), l.factor+int32(c.factor))
		return appendFront(dst, l.front, c.value, int(c.digits))
	case partials:
		dst = c.appendPairs(c.appendTerm(dst, l), l)
	case product:
		dst = c.appendColumns(append(dst, l.count+int32(c.terms)), l)
	}
	return appendDigits(dst, l.end, c.value, int(c.digits))
}

// appendPairs appends, for a partial product of two factors, the pairs of their digits
// that the next digit is made of, and those that a carry may come from. Zeros at the
// end of factors are left out of both and counted by the place.
func (c *cursor) appendPairs(dst []int32, l *layout) []int32 {
	var room [2 * maxTerms]int32
	factors := c.expected(room[:0], int(c.term))
	if len(factors) != 2 {
		return dst
	}
	place := int(c.digits)
	for i := range factors {
		for factors[i] > 0 && factors[i]%10 == 0 {
			factors[i] /= 10
			place--
		}
	}
	dst = append(dst, l.place+int32(max(place, -1)+1))
	x, y := int64(factors[0]), int64(factors[1])
	for i := range min(place+1, l.numeral+1) {
		high := x / powers[i] % 10
		dst = appendPair(dst, l.pairs, i, high, y/powers[place-i]%10)
		if i < place {
			dst = appendPair(dst, l.lower, i, high, y/powers[place-1-i]%10)
		}
	}
	return dst
}

func appendPair(dst []int32, from int32, i int, x, y int64) []int32 {
	if x == 0 || y == 0 {
		return dst
	}
	return append(dst, from+100*int32(i)+int32(10*x+y))
}

// appendColumns appends the digits that make the next digit of the product.
func (c *cursor) appendColumns(dst []int32, l *layout) []int32 {
	if c.terms == 1 {
		return c.appendFactors(dst, l, 0) // whose product is the only one
	}
	for term, v := range c.summands[:c.terms] {
		feature := 20*int32(term) + 10*int32(c.signs>>term&1)
		dst = append(dst, l.column+feature+int32(v/powers[c.digits]%10))
		if c.digits > 0 {
			dst = append(dst, l.below+feature+int32(v/powers[c.digits-1]%10))
		}
	}
	return dst
}

// appendFront appends the digits of a number that is being written from the front.
func appendFront(dst []int32, from int32, v int64, digits int) []int32 {
	for place := range digits {
		dst = append(dst, from+10*int32(place)+int32(v/powers[digits-1-place]%10))
	}
	return dst
}

// appendExpression appends how far an operand's expression has come.
func (c *cursor) appendExpression(dst []int32, l *layout) []int32 {
	x := &c.sides[c.stage]
	status := notBegun
	switch {
	case c.outside:
		status = closed
	case c.inside:
		status = [...]int{open: parenthesis, summed: summing, multiplied: multiplying}[x.class]
	case c.digits > 0:
		status = bareNumber
	}
	dst = append(dst, l.status+int32(status))
	if !c.outside {
		dst = append(dst, l.numbers+int32(x.n))
		if x.minus>>x.n&1 != 0 {
			dst = append(dst, l.minus)
		}
	}
	v := [2]int64{c.problem.a, c.problem.b}[c.stage]
	return appendDigits(dst, l.operand, v, length(v))
}

// appendTerm appends which term is due, of how many, its sign, and its factors as
// the decomposition has them.
func (c *cursor) appendTerm(dst []int32, l *layout) []int32 {
	dst = append(dst, l.term+int32(c.term), l.count+int32(c.terms), l.each+int32(c.each))
	if c.signs>>c.term&1 != 0 {
		dst = append(dst, l.minus)
	}
	return c.appendFactors(dst, l, int(c.term))
}

func (c *cursor) appendFactors(dst []int32, l *layout, term int) []int32 {
	var room [2 * maxTerms]int32
	step := 10 * int32(l.numeral+1)
	for i, v := range c.expected(room[:0], term) {
		dst = appendDigits(dst, l.factors+int32(i)*step, int64(v), length(int64(v)))
	}
	return dst
}

// A layout numbers the features of an environment. Digits are features by their
// place: units first, except in numbers that are written from the front.
type layout struct {
	numeral int // digits of the longest operand
	longest int // digits of the longest number from its end, a partial product or the product
	terms   int // most summands or factors of an operand

	// Of prompts, which have a position for each operand.
	operands [2]int32

	// Of states.
	stage    int32
	status   int32 // of the expression under way
	numbers  int32 // in it that are complete
	minus    int32 // the number or term under way is taken away
	operand  int32 // digits of the operand of the expression
	written  int32 // how many digits of the number under way
	front    int32 // these digits
	end      int32 // likewise, if it is written from its end
	term     int32 // of the expansion or the partial products, under way
	count    int32 // of terms
	factor   int32 // of the term, under way
	each     int32 // factors of a term
	factors  int32 // digits of each factor of the term
	place    int32 // of the partial product's digit that is due, above the zeros that the factors end in
	pairs    int32 // digits of two factors that are multiplied for that place
	lower    int32 // and for the one below
	column   int32 // digits of the partial products at the product's place that is due, by term and sign
	below    int32 // and one place below
	features envs.Numbering
}

// The shapes of an expression under way.
const (
	notBegun = iota
	bareNumber
	parenthesis // opened
	summing     // in parentheses, after a + or -
	multiplying // after a *
	closed
	statuses
)

func newLayout(f *format) layout {
	l := layout{numeral: f.numeral, longest: max(f.partial, f.product), terms: f.terms}
	take := l.features.Take
	l.operands = [2]int32{take(10 * l.numeral), take(10 * l.numeral)}
	l.stage, l.status, l.numbers, l.minus = take(int(finished)+1), take(statuses), take(l.terms), take(1)
	l.operand = take(10 * l.numeral)
	l.written, l.front, l.end = take(l.longest+1), take(10*(l.numeral+1)), take(10*l.longest)
	l.term, l.count, l.factor, l.each = take(l.terms*l.terms), take(l.terms*l.terms+1), take(2*l.terms), take(2*l.terms+1)
	l.factors = take(2 * l.terms * 10 * (l.numeral + 1))
	l.place, l.pairs, l.lower = take(l.longest+2), take(100*(l.numeral+1)), take(100*(l.numeral+1))
	l.column, l.below = take(20*l.terms*l.terms), take(20*l.terms*l.terms)
	return l
}

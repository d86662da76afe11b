package multiplication

import "modebench/envs"

// A layout numbers the features of an environment. Digits are features by their
// place: units first, except in numbers that are written from the front.
type layout struct {
	numeral int // digits of the longest operand
	most    int // digits of the longest number from its end, a partial product or the product
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
	l := layout{numeral: f.numeral, most: max(f.partial, f.product), terms: f.terms}
	take := l.features.Take
	l.operands = [2]int32{take(10 * l.numeral), take(10 * l.numeral)}
	l.stage, l.status, l.numbers, l.minus = take(int(finished)+1), take(statuses), take(l.terms), take(1)
	l.operand = take(10 * l.numeral)
	l.written, l.front, l.end = take(l.most+1), take(10*(l.numeral+1)), take(10*l.most)
	l.term, l.count, l.factor, l.each = take(l.terms*l.terms), take(l.terms*l.terms+1), take(2*l.terms), take(2*l.terms+1)
	l.factors = take(2 * l.terms * 10 * (l.numeral + 1))
	l.place, l.pairs, l.lower = take(l.most+2), take(100*(l.numeral+1)), take(100*(l.numeral+1))
	l.column, l.below = take(20*l.terms*l.terms), take(20*l.terms*l.terms)
	return l
}

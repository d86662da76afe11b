package countdown

import (
	"math/bits"

	"modebench/envs"
)

// searches bounds the answers that a search draws: a hundredth of a second's. With
// four numbers, one in some two hundred is right.
const searches = 100_000

// A writer draws answers over a generator's numbers, each token answer as likely as any other.
type writer struct {
	*generator
	value int64          // of the answer, if it is a whole number
	order [maxSlots]int8 // slots in the order in which the answer takes them
	size  int            // slots that it takes
	form  uint16         // bit i: token i is an operator
	ops   uint64         // two bits for each operator, in turn
}

// find draws answers until one has a value that will do, and reports whether it has found one.
func (w *writer) find(will func(int64) bool) bool {
	for range searches {
		if w.draw(); w.evaluate() && will(w.value) {
			return true
		}
	}
	return false
}

// draw draws an answer. One random word decides all but how many numbers it takes: its
// digits in a mixed radix, whose places multiply to less than 2^26.
func (w *writer) draw() {
	s := w.shape
	w.size = s.n
	if s.env.config.AtMostOnce {
		w.size = w.drawSize()
	}
	word := w.stream.Uint64()
	digit := func(n int) int {
		high, low := bits.Mul64(word, uint64(n))
		word = low
		return int(high)
	}
	for i := range s.n {
		w.order[i] = int8(i)
	}
	for i := range w.size {
		j := i + digit(s.n-i)
		w.order[i], w.order[j] = w.order[j], w.order[i]
	}
	w.form = patterns[w.size][digit(len(patterns[w.size]))]
	w.ops = uint64(digit(1 << (2 * (w.size - 1))))
}

// evaluate finds the value, and reports whether it is a whole number. Of several
// ways to take equal numbers from their slots only the one from left to right is
// let through, so that no token answer is more likely than another.
func (w *writer) evaluate() bool {
	var stack [maxSlots]value
	depth, next, ops := 0, 0, w.ops
	used := slots(0)
	for i := range 2*w.size - 1 {
		if w.form>>i&1 == 0 {
			slot := w.order[next]
			if w.equal != 0 && slot > 0 && w.equal>>(slot-1)&1 != 0 && used>>(slot-1)&1 == 0 {
				return false
			}
			used |= 1 << slot
			stack[depth] = value{int64(w.numbers[slot]), 1}
			depth, next = depth+1, next+1
			continue
		}
		depth--
		v := operation(ops&3).join(stack[depth-1], stack[depth])
		if v.den == 0 {
			return false
		}
		stack[depth-1] = v
		ops >>= 2
	}
	v := stack[0]
	w.value = v.num / v.den
	return w.value*v.den == v.num
}

func (w *writer) tokens() []envs.Token {
	e := w.shape.env
	out := make([]envs.Token, 0, e.longest)
	next, ops := 0, w.ops
	for i := range 2*w.size - 1 {
		if w.form>>i&1 == 0 {
			out = append(out, firstNumber+envs.Token(int(w.numbers[w.order[next]])-e.low))
			next++
			continue
		}
		out = append(out, plusToken+envs.Token(ops&3))
		ops >>= 2
	}
	if e.config.AtMostOnce {
		out = append(out, endToken)
	}
	return out
}

// patterns lists, by how many numbers there are, the places of operators in token
// answers: bit i is set if token i is one.
var patterns = func() (all [maxSlots + 1][]uint16) {
	for n := 1; n <= maxSlots; n++ {
		for form := range uint16(1) << (2*n - 1) {
			depth := 0
			for i := range 2*n - 1 {
				if form>>i&1 == 0 {
					depth++
				} else if depth--; depth < 1 {
					break // there were no two values to join
				}
			}
			if depth == 1 && bits.OnesCount16(form) == n-1 {
				all[n] = append(all[n], form)
			}
		}
	}
	return all
}()

// drawSize draws how many numbers an answer takes if it may leave some out: in proportion
// to the ways to take that many.
func (w *writer) drawSize() int {
	var ways [maxSlots + 1]int
	total, orders := 0, 1
	for size := 1; size <= w.shape.n; size++ {
		orders *= w.shape.n - size + 1
		ways[size] = orders * len(patterns[size]) << (2 * (size - 1))
		total += ways[size]
	}
	choice := w.between(0, total-1)
	for size := 1; size < w.shape.n; size++ {
		if choice -= ways[size]; choice < 0 {
			return size
		}
	}
	return w.shape.n
}

// uniform draws a right answer to a problem by counting how many continue with each token.
// It replaces find for problems in which find would have to draw too many.
func (w *writer) uniform(p *Problem) []envs.Token {
	return envs.DrawCorrect(make([]envs.Token, 0, p.shape.env.longest), p.begin(), p.appendCounts,
		func(n int64) int64 { return int64(w.between(0, int(n)-1)) })
}

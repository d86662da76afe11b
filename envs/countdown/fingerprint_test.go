package countdown

import (
	"slices"

	"modebench/envs"
	"modebench/internal/rng"
)

// Whether two expressions are one mode is decided here without the algebra: as
// rational functions they are equal if they agree at random points of a large
// prime field. At each point every slot has a value of its own; exchanging equal
// slots exchanges their values.

const prime = 1<<31 - 1

func power(x, n uint64) uint64 {
	out := uint64(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out = out * x % prime
		}
		x = x * x % prime
	}
	return out
}

// residue applies an operator; a division by zero, which random points hardly ever
// meet, gives 0.
func residue(op byte, x, y uint64) uint64 {
	switch op {
	case '+':
		return (x + y) % prime
	case '-':
		return (x + prime - y) % prime
	case '*':
		return x * y % prime
	}
	return x * power(y, prime-2) % prime
}

// pointsEach is how many points functions are compared at: two of degree below 10
// that differ agree at all three with a probability below 1e-25.
const pointsEach = 3

// points are the values of slots, by point.
var points = func() (out [pointsEach][maxSlots]uint64) {
	r := rng.New(77).Rand()
	for i := range out {
		for j := range out[i] {
			out[i][j] = 1 + r.Uint64N(prime-1)
		}
	}
	return out
}()

// arrangements lists the permutations of the slots of ascending numbers that
// exchange equal ones only.
func arrangements(numbers []int16) [][]int {
	out := [][]int{{}}
	for i := range numbers {
		var longer [][]int
		for _, begun := range out {
			for j := range numbers {
				if numbers[j] == numbers[i] && !slices.Contains(begun, j) {
					longer = append(longer, append(slices.Clone(begun), j))
				}
			}
		}
		out = longer
	}
	return out
}

// A fingerprint is the same for two functions if and only if they are one mode.
type fingerprint [pointsEach]uint64

// fingerprintOf is the least list of values over all arrangements.
func fingerprintOf(arrangements [][]int, eval func(slot func(int) uint64) uint64) fingerprint {
	var least fingerprint
	for i, order := range arrangements {
		var f fingerprint
		for k := range points {
			f[k] = eval(func(slot int) uint64 { return points[k][order[slot]] })
		}
		if i == 0 || slices.Compare(f[:], least[:]) < 0 {
			least = f
		}
	}
	return least
}

// postfix evaluates token answers as functions of slots: equal numbers take
// their slots from the left.
func postfix(p *Problem, answer []envs.Token, slot func(int) uint64) uint64 {
	var stack []uint64
	taken := make([]bool, len(p.given()))
	for _, t := range answer {
		switch {
		case t == endToken:
		case t >= firstNumber:
			for i, number := range p.given() {
				if !taken[i] && p.token(number) == t {
					taken[i] = true
					stack = append(stack, slot(i))
					break
				}
			}
		default:
			last := len(stack) - 2
			stack = append(stack[:last], residue("+-*/"[t], stack[last], stack[last+1]))
		}
	}
	return stack[0]
}

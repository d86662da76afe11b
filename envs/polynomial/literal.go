package polynomial

import (
	"slices"
	"strconv"
	"strings"

	"modebench/envs"
)

// Bounds of the numbers of answers. A line has up to 2*10^(digits+decimals) correct
// pairs, and the truth lists them. With five places in all, and coefficients at their
// bounds, no number computed here leaves an int64 (TestNothingOverflows).
const (
	maxDigits = 4
	maxPlaces = 5
)

// The vocabulary: the tokens of answers, digits first, then the tokens of prompts alone.
const (
	minus envs.Token = 10 + iota
	point
	comma // x is written, y comes next
	end   // y is written
	answerTokens
)

const promptSigns = "+*^=xy"

var answerWords = [answerTokens]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "-", ".", ",", "end"}

func vocabulary() []string { return append(answerWords[:], strings.Split(promptSigns, "")...) }

func tokenOf(b byte) envs.Token {
	switch b {
	case '-':
		return minus
	case '.':
		return point
	}
	return envs.Token(b - '0')
}

// A stage is how far a number has been written.
type stage uint8

const (
	atStart       stage = iota
	afterMinus          // a digit must follow
	afterZero           // no digit may follow
	inWhole             // digits may follow
	afterWhole          // all digits allowed before the point are there
	afterPoint          // a digit must follow
	inFraction          // digits may follow
	afterFraction       // all decimals are there
	stages
)

func (s stage) whole() bool { return s != atStart && s != afterMinus && s != afterPoint }

// A grammar bounds the numbers that can be written: all multiples of 1/unit from
// -limit/unit to limit/unit, and no others.
type grammar struct {
	digits, decimals int
	unit, limit      int64
	legal            [2][stages][]envs.Token // while x is written, and y
	layout           layout                  // of features
}

func newGrammar(digits, decimals int) grammar {
	g := grammar{digits: digits, decimals: decimals, unit: 1}
	for range decimals {
		g.unit *= 10
	}
	g.limit = g.unit
	for range digits {
		g.limit *= 10
	}
	g.limit--
	numerals := []envs.Token{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for i, mark := range [2]envs.Token{comma, end} {
		for s := range stages {
			var legal []envs.Token
			if s != afterZero && s != afterWhole && s != afterFraction {
				legal = append(legal, numerals...)
			}
			if s == atStart {
				legal = append(legal, minus)
			}
			if decimals > 0 && (s == afterZero || s == inWhole || s == afterWhole) {
				legal = append(legal, point)
			}
			if s.whole() {
				legal = append(legal, mark)
			}
			g.legal[i][s] = legal
		}
	}
	return g
}

// maxNumber is the length of the longest number of all grammars, in tokens.
const maxNumber = 2 + maxPlaces

// longest is the length of the longest number, in tokens.
func (g *grammar) longest() int {
	if g.decimals == 0 {
		return 1 + g.digits
	}
	return 2 + g.digits + g.decimals
}

// A number is one under way.
type number struct {
	stage    stage
	negative bool
	ints     uint8 // digits before the point
	decimals uint8 // and after it
	digits   int32 // all of them, read as one integer
}

// add appends a digit, a minus sign or a point, or reports that it is not allowed here.
func (n *number) add(g *grammar, t envs.Token) bool {
	if t >= comma || !slices.Contains(g.legal[writingX][n.stage], t) {
		return false
	}
	switch {
	case t == minus:
		n.negative, n.stage = true, afterMinus
		return true
	case t == point:
		n.stage = afterPoint
		return true
	case n.stage >= afterPoint:
		n.decimals++
		n.stage = inFraction
		if int(n.decimals) == g.decimals {
			n.stage = afterFraction
		}
	default:
		n.ints++
		switch {
		case t == 0 && n.stage != inWhole:
			n.stage = afterZero
		case int(n.ints) == g.digits:
			n.stage = afterWhole
		default:
			n.stage = inWhole
		}
	}
	n.digits = 10*n.digits + int32(t)
	return true
}

func (n *number) value(g *grammar) int64 {
	v := int64(n.digits)
	for i := int(n.decimals); i < g.decimals; i++ {
		v *= 10
	}
	if n.negative {
		return -v
	}
	return v
}

// appendState appends a key that tells numbers under way apart.
func (n *number) appendState(dst []byte) []byte {
	first := byte(n.stage)
	if n.negative {
		first |= 0x80
	}
	return append(dst, first, n.decimals, byte(n.digits>>16), byte(n.digits>>8), byte(n.digits))
}

func (g *grammar) appendNumber(dst []byte, v int64) []byte {
	if v < 0 {
		dst, v = append(dst, '-'), -v
	}
	dst = strconv.AppendInt(dst, v/g.unit, 10)
	fraction := v % g.unit
	if fraction == 0 {
		return dst
	}
	dst = append(dst, '.')
	for part := g.unit; fraction > 0; {
		part /= 10
		dst = append(dst, byte('0'+fraction/part))
		fraction %= part
	}
	return dst
}

func (g *grammar) literal(dst []envs.Token, v int64) []envs.Token {
	var room [maxNumber]byte
	for _, b := range g.appendNumber(room[:0], v) {
		dst = append(dst, tokenOf(b))
	}
	return dst
}

// appendPair appends a pair as its mode names it: "x=1, y=11".
func (g *grammar) appendPair(dst []byte, x, y int64) []byte {
	dst = g.appendNumber(append(dst, "x="...), x)
	return g.appendNumber(append(dst, ", y="...), y)
}

func (g *grammar) spellings(v int64) int64 {
	if v == 0 {
		return 2 * int64(g.decimals+1) // minus zero is zero
	}
	n := int64(1)
	for i := 0; i < g.decimals && v%10 == 0; i++ {
		v /= 10
		n++
	}
	return n
}

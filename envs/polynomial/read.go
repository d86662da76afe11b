package polynomial

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"modebench/envs"
	"modebench/internal/plural"
)

type reader struct {
	syntaxError           // if reading failed
	value       [2]int64  // of x and y, in units
	spelled     [2]string // and as in the text
}

// A syntaxError is a text that is no pair. Its message is made when it is asked for.
type syntaxError struct {
	grammar *grammar
	text    string
	offset  int    // byte of the text
	want    string // the part expected there
}

// reader reads the answer in a text, with the minus sign that language models print (U+2212) as the
// one of the grammar. A full stop at the end is left: it would be a point without decimals.
func (g *grammar) reader(text string) *reader {
	if answer, tagged := envs.Tagged(text, "answer"); tagged {
		text = answer
	}
	return &reader{syntaxError: syntaxError{grammar: g, text: strings.ReplaceAll(text, "\u2212", "-")}}
}

// Parts that can be missing.
const (
	wantPair   = `a pair "x=..., y=..."`
	wantName   = `"x=" or "y="`
	wantX      = `"x="`
	wantY      = `"y="`
	wantEquals = `"="`
	wantNumber = "a number"
	wantComma  = "a comma before the other number"
	wantClosed = `")"`
	wantEnd    = "the end of the answer"
)

// pair reads the whole text, or reports that it is no pair and notes why.
func (r *reader) pair() bool {
	open := r.accept('(')
	first := strings.IndexByte("xy\x00", r.peek())
	if first == 2 {
		return r.fail(wantPair)
	}
	if first < 0 {
		return r.fail(wantName)
	}
	if !r.assignment(first) {
		return false
	}
	if !r.accept(',') {
		return r.fail(wantComma)
	}
	if r.peek() != "yx"[first] {
		return r.fail([2]string{wantY, wantX}[first])
	}
	if !r.assignment(1 - first) {
		return false
	}
	if open && !r.accept(')') {
		return r.fail(wantClosed)
	}
	if r.skip(); r.offset < len(r.text) {
		return r.fail(wantEnd)
	}
	return true
}

// assignment reads "x=1": the name, which is known to be there, and the rest.
func (r *reader) assignment(index int) bool {
	r.offset++
	if !r.accept('=') {
		return r.fail(wantEquals)
	}
	r.skip()
	var n number
	place := r.offset
	for ; place < len(r.text); place++ {
		b := r.text[place]
		if b != '-' && b != '.' && (b < '0' || b > '9') {
			break
		}
		if !n.add(r.grammar, tokenOf(b)) {
			return r.fail(wantNumber)
		}
	}
	if !n.stage.whole() || place < len(r.text) && !delimits(r.text[place]) {
		return r.fail(wantNumber)
	}
	r.value[index], r.spelled[index] = n.value(r.grammar), r.text[r.offset:place]
	r.offset = place
	return true
}

// isBlank: the white space of ASCII is free between the parts of an answer.
func isBlank(b byte) bool { return strings.IndexByte(" \t\n\r\v\f", b) >= 0 }

func delimits(b byte) bool { return isBlank(b) || b == ',' || b == ')' || b == '(' || b == '=' }

func (r *reader) skip() {
	for r.offset < len(r.text) && isBlank(r.text[r.offset]) {
		r.offset++
	}
}

// peek is the next byte that is not blank, or 0 at the end of the text. (A zero
// byte in the text fits nowhere either.)
func (r *reader) peek() byte {
	if r.skip(); r.offset == len(r.text) {
		return 0
	}
	return r.text[r.offset]
}

func (r *reader) accept(b byte) bool {
	if r.peek() != b {
		return false
	}
	r.offset++
	return true
}

func (r *reader) fail(want string) bool {
	r.want = want
	return false
}

func (r *reader) appendSpelled(dst []byte) []byte {
	dst = append(append(dst, "x="...), r.spelled[0]...)
	return append(append(dst, ", y="...), r.spelled[1]...)
}

// Error implements error.
func (e *syntaxError) Error() string {
	want := e.want
	if want == wantNumber {
		want = e.grammar.describe()
	}
	rest := e.text[e.offset:]
	if rest == "" {
		return "the answer ends where there should be " + want
	}
	word := rest[:1]
	if !delimits(word[0]) {
		if n := strings.IndexFunc(rest, func(r rune) bool { return r < utf8.RuneSelf && delimits(byte(r)) }); n >= 0 {
			rest = rest[:n]
		}
		word = rest
	}
	return fmt.Sprintf("character %d, %.40q: want %s", 1+utf8.RuneCountInString(e.text[:e.offset]), word, want)
}

// describe names the allowed ways to write a number.
func (g *grammar) describe() string {
	if g.decimals == 0 {
		return fmt.Sprintf("an integer such as -%s, with at most %s and no needless zero in front", "12"[:min(2, g.digits)], plural.Count(g.digits, "digit"))
	}
	return fmt.Sprintf("an integer or a decimal such as -%s.5, with at most %s before the point and %d after it, and no needless zero in front",
		"12"[:min(2, g.digits)], plural.Count(g.digits, "digit"), g.decimals)
}

// inParentheses matches a pair in parentheses, with or without its names before it.
var inParentheses = regexp.MustCompile(`^(?:\( *x *, *y *\) *= *)?\( *([^,()]+?) *, *([^,()]+?) *\)$`)

// A pair is two values with something between, and may have a word before it. A text with
// anything else is no pair.
const (
	lead  = `^(?:(?:[Tt]hen|[Ss]o|[Tt]hus|[Hh]ence),? )?[(]?\s*`
	value = `\s*(?:=|:|is|equals)\s*(-?\s*[0-9]+(?:\.[0-9]+)?)`
	mid   = `(?:\s*[,;]\s*(?:and\s+)?|\s+and\s+|\s+)`
)

// named matches two names with a number each.
var named = regexp.MustCompile(lead + `([xy])` + value + mid + `([xy])` + value + `\s*[)]?$`)

// blanks removes the blanks between a minus sign and its number.
var blanks = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "")

// Rewrite implements envs.Rewriter: (3, 5), (x, y) = (3, 5), x = 3 and y = 5, and the same in two
// lines.
func (p *Problem) Rewrite(answer string) string {
	answer = strings.TrimSpace(answer)
	if m := inParentheses.FindStringSubmatch(answer); m != nil {
		return "x=" + m[1] + ", y=" + m[2]
	}
	m := named.FindStringSubmatch(answer)
	if m == nil || m[1] == m[3] {
		return answer
	}
	x, y := m[2], m[4]
	if m[1] == "y" {
		x, y = y, x
	}
	return "x=" + blanks.Replace(x) + ", y=" + blanks.Replace(y)
}

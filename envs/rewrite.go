package envs

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"modebench/internal/arith"
)

// A Rewriter is a problem that knows other ways in which language models write its answers.
// Package reply, which reads models' responses leniently, asks for them.
type Rewriter interface {
	Problem
	// Rewrite writes an answer that does not parse in the text form, if it knows how. It
	// gives back an answer that it does not know unchanged. It only changes how an answer
	// is written, never what the answer means.
	Rewrite(answer string) string
}

// Equated is the side of an equation that is said to be the number: the first, where the last is
// the number, with steps of a calculation between or not, or the second of two, where the first is.
// A text that is no such equation comes back as it is, and so does one of two equations.
func Equated(text string, number int) string {
	sides := strings.Split(text, "=")
	is := func(side string) bool {
		whole, decimals, _ := strings.Cut(strings.TrimSpace(side), ".")
		return whole == strconv.Itoa(number) && strings.Trim(decimals, "0") == ""
	}
	for i := 1; i < len(sides)-1; i++ {
		if _, err := arith.Parse(nil, sides[i]); err != nil {
			return text
		}
	}
	switch last := len(sides) - 1; {
	case last >= 1 && is(sides[last]) && !is(sides[0]):
		return sides[0]
	case last == 1 && is(sides[0]):
		return sides[1]
	}
	return text
}

// Unquoted is the answer in a text: the text in the last complete pair of <answer> tags or, without
// such a pair, all of it, without the blanks and the full stop at its end.
func Unquoted(text string) string {
	if inside, tagged := Tagged(text, "answer"); tagged {
		text = inside
	}
	return strings.TrimSuffix(strings.TrimRightFunc(text, unicode.IsSpace), ".")
}

// CutClaim is the expression of an answer that may end in "= number". Another claim after the sign
// is an error, which calls the number by its name.
func CutClaim(text, name string, number int) (expression string, err error) {
	expression, claim, equation := strings.Cut(text, "=")
	if claim = strings.TrimSpace(claim); equation && claim != strconv.Itoa(number) {
		err = fmt.Errorf("after = stands %.40q, want nothing but the %s, %d", claim, name, number)
	}
	return expression, err
}

var errListed = errors.New("the answer begins with a hyphen and a blank, as an entry of a list does; write a minus sign without the blank")

// CheckListed is an error where an answer begins with a hyphen and a blank: it may be a minus
// sign, or the mark of a list in Markdown.
func CheckListed(answer string) error {
	answer = strings.TrimSpace(answer)
	if len(answer) > 1 && answer[0] == '-' && strings.IndexByte(" \t\r\n", answer[1]) >= 0 {
		return errListed
	}
	return nil
}

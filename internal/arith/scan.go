package arith

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func fault(index int, format string, args ...any) error {
	return fmt.Errorf("column %d: %s", index+1, fmt.Sprintf(format, args...))
}

// scan returns the text with blanks for white space and ASCII for operators in print, filled up
// with blanks, so that every character is one byte and columns stay. It returns an error for text
// that can be no expression: other characters, operators of other languages, and text beyond a
// bound.
func scan(text string) (string, error) {
	if len(text) > MaxBytes {
		return "", fmt.Errorf("the expression has %d bytes, want at most %d", len(text), MaxBytes)
	}
	plain := []byte(strings.Repeat(" ", len(text)))
	depth, tokens, last := 0, 0, byte(' ') // last: the byte before
	for i, r := range text {
		c, known := plainly(r)
		if !known {
			return "", fault(i, "%q is not part of an expression; its parts are numbers, + - * /, parentheses and blanks", r)
		}
		if i > 0 {
			last = plain[i-1]
		}
		if err := checkToken(text, i, last, c, r); err != nil {
			return "", err
		}
		switch {
		case c == ' ':
		case c == '(':
			depth++
		case c == ')':
			depth--
		case !isDigit(c) || !isDigit(last):
			tokens++
		}
		switch plain[i] = c; {
		case depth < 0:
			return "", fault(i, "this parenthesis closes none")
		case depth > MaxDepth:
			return "", fault(i, "more than %d parentheses are open", MaxDepth)
		case tokens > MaxTokens:
			return "", fault(i, "more than %d numbers, operators and signs", MaxTokens)
		}
	}
	if tokens == 0 {
		return "", errors.New("the expression is empty")
	}
	return string(plain), nil
}

// plainly is the ASCII form of a character, and whether it may be part of an expression.
func plainly(r rune) (c byte, known bool) {
	for _, o := range printed {
		if string(r) == o.text {
			return o.ascii, true
		}
	}
	if unicode.IsSpace(r) {
		return ' ', true
	}
	return byte(r), strings.ContainsRune("0123456789+-*/()", r)
}

// checkToken refuses two bytes in a row that are an operator or a comment in other languages, and a
// number out of bounds that begins with the second. This is the ASCII form of r, at an index.
func checkToken(text string, index int, first, second byte, r rune) error {
	if isDigit(second) && !isDigit(first) {
		number := digits(text[index:])
		if number[0] == '0' && len(number) > 1 {
			return fault(index, "the number %.40s has leading zeros", number)
		}
		if _, err := strconv.ParseInt(number, 10, 64); err != nil {
			return fault(index, "the number %.40s is larger than 2^63-1", number)
		}
	}
	pair := string([]byte{first, second})
	switch {
	case pair != "**" && pair != "//" && pair != "/*":
		return nil
	case r >= utf8.RuneSelf:
		return fault(index, "%q cannot stand here", string(r))
	}
	return fault(index-1, "%s is not an operator; operators are + - * /", pair)
}

func digits(text string) string { return text[:len(text)-len(strings.TrimLeft(text, "0123456789"))] }

// refused is an error about the token of a plain text that the parser stopped at, with the
// characters of the text itself.
func refused(index int, plain, text string) error {
	rest := strings.TrimLeft(plain[index:], " ")
	if rest == "" {
		return fault(len(text), "the expression is not complete")
	}
	index = len(plain) - len(rest)
	word := digits(rest)
	if word == "" {
		_, size := utf8.DecodeRuneInString(text[index:])
		word = text[index : index+size]
	}
	return fault(index, "%.40q cannot stand here", word)
}

package multiplication

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"modebench/envs"
	"modebench/internal/arith"
)

// tokenForms are the forms of token answers that errors name, by their number of sides.
var tokenForms = [maxTokenSides + 1]string{2: "decomposition = product", 3: "decomposition = expansion = product", maxTokenSides: form}

// maxTokenSides is the largest number of sides of a token answer.
const maxTokenSides = 4

// AnswerTokens implements envs.Problem. Blanks are dropped, and signs of print (as
// in 3×4) are those of the vocabulary. How many sides there are, and so which of
// them have their digits reversed, follows from the first.
func (p *Problem) AnswerTokens(text string) ([]envs.Token, error) {
	var room [maxSides + 1]string
	parts, err := sides(room[:0], text)
	if err != nil {
		return nil, err
	}
	if len(parts) == 1 {
		return nil, fmt.Errorf("the token form begins with a decomposition (%s), got the product alone", form)
	}
	c := cursor{problem: p}
	tokens := make([]envs.Token, 0, p.format.limit)
	for i, side := range parts {
		begin := len(tokens)
		if tokens, err = appendSide(tokens, side, c.stage >= partials); err != nil {
			return nil, &sideError{i + 1, side, err}
		}
		if i < len(parts)-1 {
			tokens = append(tokens, equals)
		} else {
			tokens = append(tokens, end)
		}
		for i := begin; i < len(tokens); i++ {
			if !c.choice().has(tokens[i]) {
				return nil, fmt.Errorf("the answer has no token form: %w", c.refuse(tokens, i))
			}
			c.take(tokens[i])
		}
		if want := c.sidesInAll(); i == 0 && len(parts) != want {
			return nil, fmt.Errorf("the token form has %d sides here (%s), got %d", want, tokenForms[want], len(parts))
		}
	}
	return tokens, nil
}

// sidesInAll is the number of sides of an answer whose decomposition is complete.
func (c *cursor) sidesInAll() int {
	switch {
	case c.stage == product:
		return 2
	case c.terms == 1:
		return 3
	}
	return maxTokenSides
}

// refuse returns the reason why a token of an answer is not legal at a cursor that has
// taken the tokens before it. A number that the answer has reversed is named as a whole and
// in its natural order: the writer of a text does not know its order in tokens.
func (c *cursor) refuse(tokens []envs.Token, place int) error {
	t, begin := tokens[place], place-int(c.digits)
	switch {
	case c.stage < partials || c.digits == 0:
		return fmt.Errorf("after %.40q: %w", c.problem.AnswerText(tokens[:place]), c.Push(t))
	case t >= plus && c.whole():
		return fmt.Errorf("after %.40q: token %q is not legal here, want %q", c.problem.AnswerText(tokens[:place]), word(t), word(c.follower()))
	}
	digits := c.problem.format.partial
	if c.stage == product {
		digits = c.problem.format.product
	}
	var number []byte
	for _, t := range tokens[begin:] {
		if t >= plus {
			break
		}
		number = append(number, symbols[t])
	}
	slices.Reverse(number)
	return fmt.Errorf("after %.40q: the number %.40s is not legal here, want at most %d digits and no leading zero",
		c.problem.AnswerText(tokens[:begin]), number, digits)
}

var errNumbers = errors.New("two numbers without an operator between them")

// appendSide appends the tokens of one side, with the digits of each number reversed if
// they are so in tokens.
func appendSide(dst []envs.Token, side string, reversed bool) ([]envs.Token, error) {
	if len(side) > arith.MaxBytes {
		return dst, fmt.Errorf("the expression has %d bytes, want at most %d", len(side), arith.MaxBytes)
	}
	digits, blank := 0, false // digits: at the end of dst
	turn := func() {
		if reversed {
			slices.Reverse(dst[len(dst)-digits:])
		}
		digits = 0
	}
	for _, r := range side {
		if unicode.IsSpace(r) {
			blank = digits > 0
			continue
		}
		switch r { // as package arith reads them
		case '×':
			r = '*'
		case '−':
			r = '-'
		}
		t := envs.Token(strings.IndexRune(symbols, r))
		switch {
		case t < 0:
			return dst, fmt.Errorf("%q has no token", r)
		case t >= plus:
			turn()
		case blank:
			return dst, errNumbers
		default:
			digits++
		}
		blank = false
		dst = append(dst, t)
	}
	turn()
	return dst, nil
}

// AnswerText implements envs.Problem. Numbers are turned round if the grammar has their
// last digit first, as far as the tokens keep to it. The end of the answer is not written,
// and elsewhere it is a full stop, which does not parse; nor does "?", an unknown token.
func (p *Problem) AnswerText(answer []envs.Token) string {
	text := make([]byte, 0, len(answer)+2*maxTokenSides)
	c, legal := cursor{problem: p}, true
	digits := 0 // at the end of the text, if they are to be turned round
	for i, t := range answer {
		if legal && t >= 0 && t < plus && c.stage >= partials {
			digits++
		} else {
			slices.Reverse(text[len(text)-digits:])
			digits = 0
		}
		switch {
		case t == equals:
			text = append(text, " = "...)
		case t >= 0 && t < end:
			text = append(text, symbols[t])
		case t == end && i < len(answer)-1:
			text = append(text, '.')
		case t != end:
			text = append(text, '?')
		}
		if legal = legal && c.choice().has(t); legal {
			c.take(t)
		}
	}
	slices.Reverse(text[len(text)-digits:])
	return string(text)
}

// form is the form of an answer that errors name.
const form = "decomposition = expansion = partial products = product"

// maxSides is the largest number of sides of an answer: the four of the form, and running
// sums of the partial products. Four of these are more than enough, but a text without a
// bound could hold very many.
const maxSides = 8

var errEmpty = errors.New("the answer is empty, want " + form)

// A sideError is a side of an answer that does not parse. Its text is made when it is asked for.
type sideError struct {
	number int // from 1
	text   string
	err    error
}

func (e *sideError) Error() string {
	return fmt.Sprintf("side %d, %.40q: %v", e.number, e.text, e.err)
}

// sides cuts an answer at its equals signs, and allows for the question before it. The
// answer is in <answer> tags or, without tags, makes up the whole text.
func sides(dst []string, text string) ([]string, error) {
	if inside, tagged := envs.Tagged(text, "answer"); tagged {
		text = inside
	}
	if strings.TrimSpace(text) == "" {
		return dst, errEmpty
	}
	if err := envs.CheckListed(text); err != nil {
		return dst, err
	}
	if n := strings.Count(text, "=") + 1; n > maxSides+1 {
		return dst, tooMany(n)
	}
	for side := range strings.SplitSeq(text, "=") {
		dst = append(dst, side)
	}
	return dst, nil
}

func tooMany(n int) error {
	return fmt.Errorf("the answer has %d sides, want at most %d: %s, with running sums before the product", n, maxSides, form)
}

package coins

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"modebench/envs"
)

// AnswerText implements envs.Problem: "5+5+2+1". Tokens that are no whole answer are
// written one by one with "..." after them, which does not parse.
func (p *Problem) AnswerText(answer []envs.Token) string {
	words := make([]string, len(answer))
	coins := 0
	for i, t := range answer {
		words[i] = p.currency.word(t)
		if p.currency.kind(t) >= 0 {
			coins++
		}
	}
	last := len(answer) - 1
	if coins > 0 && coins == last && answer[last] == endToken {
		return strings.Join(words[:last], "+")
	}
	return strings.Join(append(words, "..."), " ")
}

// AnswerTokens implements envs.Problem.
func (p *Problem) AnswerTokens(text string) ([]envs.Token, error) {
	kinds, _, err := p.parse(text)
	if err != nil {
		return nil, err
	}
	answer := make([]envs.Token, 0, len(kinds)+1)
	for _, kind := range kinds {
		answer = append(answer, p.currency.coin(kind))
	}
	return append(answer, endToken), nil
}

// parse reads the text of an answer: the kinds of its coins in their order, and a
// cursor that has taken them.
func (p *Problem) parse(text string) (kinds []int, c *cursor, err error) {
	sum, err := envs.CutClaim(envs.Unquoted(text), "amount", p.amount)
	if err != nil {
		return nil, nil, err
	}
	c = p.begin()
	for word := range strings.SplitSeq(sum, "+") {
		kind, err := p.currency.read(strings.TrimSpace(word))
		if err == nil {
			err = c.take(kind)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("coin %d: %w", len(kinds)+1, err)
		}
		kinds = append(kinds, kind)
	}
	return kinds, c, nil
}

// maxDigits is how many digits a coin's value has at most.
const maxDigits = 3

// read finds the kind of a coin by its value.
func (m *currency) read(word string) (int, error) {
	if word == "" {
		return 0, errors.New("want a number")
	}
	number := strings.Trim(word, "0123456789") == "" && word[0] != '0'
	if !number {
		return 0, fmt.Errorf("%.40q is no number, want digits without a zero in front", word)
	}
	if len(word) <= maxDigits {
		value, _ := strconv.Atoi(word)
		if kind, known := slices.BinarySearch(m.values, value); known {
			return kind, nil
		}
	}
	return 0, fmt.Errorf("there is no coin of %.40s", word)
}

// unbracketed has blanks in the place of brackets, so that numbers on both sides stay two.
var unbracketed = strings.NewReplacer("(", " ", ")", " ")

// listed matches the separators of the coins of a list.
var listed = regexp.MustCompile(`,(?:\s*and\b)?|\band\b`)

// column matches a list of coins with one in each line.
var column = regexp.MustCompile(`^[0-9]+(?:\s*\n\s*[0-9]+)+$`)

// Rewrite implements envs.Rewriter: an equation with the amount on one side, coins with commas
// or "and" between, and brackets, which change nothing in a sum.
func (p *Problem) Rewrite(answer string) string {
	if column.MatchString(answer) {
		return strings.Join(strings.Fields(answer), " + ")
	}
	return listed.ReplaceAllString(unbracketed.Replace(envs.Equated(answer, p.amount)), " + ")
}

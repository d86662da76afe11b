package polynomial

import (
	"regexp"
	"strings"
)

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

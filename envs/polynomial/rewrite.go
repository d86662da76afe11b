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

// xFirst and yFirst match a pair that gives x and y a number each.
var (
	xFirst = regexp.MustCompile(lead + `x` + value + mid + `y` + value + `\s*[)]?$`)
	yFirst = regexp.MustCompile(lead + `y` + value + mid + `x` + value + `\s*[)]?$`)
)

// blanks removes the blanks between a minus sign and its number.
var blanks = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "")

// Rewrite implements envs.Rewriter: (3, 5), (x, y) = (3, 5), x = 3 and y = 5, and the same in two
// lines.
func (p *Problem) Rewrite(answer string) string {
	answer = strings.TrimSpace(answer)
	if m := inParentheses.FindStringSubmatch(answer); m != nil {
		return "x=" + m[1] + ", y=" + m[2]
	}
	if m := xFirst.FindStringSubmatch(answer); m != nil {
		return "x=" + blanks.Replace(m[1]) + ", y=" + blanks.Replace(m[2])
	}
	if m := yFirst.FindStringSubmatch(answer); m != nil {
		return "x=" + blanks.Replace(m[2]) + ", y=" + blanks.Replace(m[1])
	}
	return answer
}

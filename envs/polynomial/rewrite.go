package polynomial

import (
	"regexp"
	"strings"
)

// inParentheses matches a pair in parentheses, with or without its names before it.
var inParentheses = regexp.MustCompile(`^(?:\( *x *, *y *\) *= *)?\( *([^,()]+?) *, *([^,()]+?) *\)$`)

// named matches a line that gives x and y a number each, and says nothing else.
var named = regexp.MustCompile(`^(?:(?:[Tt]hen|[Ss]o|[Tt]hus|[Hh]ence),? )?x *= *(-?[0-9.]+) *(?:,|;|and|, *and) *y *= *(-?[0-9.]+)$`)

// Rewrite implements envs.Rewriter: (3, 5), (x, y) = (3, 5), and x = 3 and y = 5.
func (p *Problem) Rewrite(answer string) string {
	answer = strings.TrimSpace(answer)
	if m := inParentheses.FindStringSubmatch(answer); m != nil {
		return "x=" + m[1] + ", y=" + m[2]
	}
	if m := named.FindStringSubmatch(answer); m != nil {
		return "x=" + m[1] + ", y=" + m[2]
	}
	return answer
}

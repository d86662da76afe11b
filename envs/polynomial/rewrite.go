package polynomial

import (
	"regexp"
	"strings"
)

// inParentheses matches a pair in parentheses, with or without its names before it.
var inParentheses = regexp.MustCompile(`^(?:\( *x *, *y *\) *= *)?\( *([^,()]+?) *, *([^,()]+?) *\)$`)

// named matches the number that one of the two names is given.
var named = map[string]*regexp.Regexp{
	"x": regexp.MustCompile(`\bx *= *(-?[0-9][0-9.]*[0-9]|-?[0-9])(?:$|[,;.)\s])`),
	"y": regexp.MustCompile(`\by *= *(-?[0-9][0-9.]*[0-9]|-?[0-9])(?:$|[,;.)\s])`),
}

// Rewrite implements envs.Rewriter: (3, 5), (x, y) = (3, 5), and a sentence that gives x and y a
// number once each, in one line.
func (p *Problem) Rewrite(answer string) string {
	answer = strings.TrimSpace(answer)
	if m := inParentheses.FindStringSubmatch(answer); m != nil {
		return "x=" + m[1] + ", y=" + m[2]
	}
	if strings.Contains(answer, "\n") {
		return answer // reasoning, in which others may be named
	}
	x, y := named["x"].FindAllStringSubmatch(answer, 2), named["y"].FindAllStringSubmatch(answer, 2)
	if len(x) == 1 && len(y) == 1 {
		return "x=" + x[0][1] + ", y=" + y[0][1]
	}
	return answer
}

package derivation

import (
	"regexp"
	"strings"
)

// statements matches statements with anything between them that ends one, and single one of them.
var (
	statements = regexp.MustCompile(`^[a-z]\s*=\s*[0-9](?:(?:\s*(?:[,;]\s*(?:and\b)?|->|=>|[→⇒])|\s+and\b|\s)\s*[a-z]\s*=\s*[0-9])*$`)
	single     = regexp.MustCompile(`[a-z]\s*=\s*[0-9]`)
)

// Rewrite implements envs.Rewriter: statements with blanks, arrows or "and" between.
func (p *Problem) Rewrite(answer string) string {
	if !statements.MatchString(answer) {
		return answer
	}
	return strings.Join(single.FindAllString(answer, -1), ", ")
}

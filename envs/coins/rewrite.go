package coins

import (
	"regexp"
	"strings"

	"modebench/envs"
)

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

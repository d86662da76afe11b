package coins

import (
	"regexp"
	"strings"

	"modebench/envs"
)

// unbracketed has blanks in the place of brackets, so that numbers on both sides stay two.
var unbracketed = strings.NewReplacer("(", " ", ")", " ")

// listed matches what stands between the coins of a list.
var listed = regexp.MustCompile(`,(?:\s*and\b)?|\band\b`)

// Rewrite implements envs.Rewriter: an equation with the amount on one side, coins with commas
// or "and" between, and brackets, which change nothing in a sum.
func (p *Problem) Rewrite(answer string) string {
	return listed.ReplaceAllString(unbracketed.Replace(envs.Equated(answer, p.amount)), " + ")
}

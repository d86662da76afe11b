package coins

import (
	"strings"

	"modebench/envs"
)

// unbracketed has blanks in the place of brackets, so that numbers on both sides stay two.
var unbracketed = strings.NewReplacer("(", " ", ")", " ", ",", " + ")

// Rewrite implements envs.Rewriter: an equation with the amount on one side, coins with commas
// between, and brackets, which change nothing in a sum.
func (p *Problem) Rewrite(answer string) string {
	return unbracketed.Replace(envs.Equated(answer, p.amount))
}

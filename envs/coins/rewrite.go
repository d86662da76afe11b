package coins

import (
	"strings"

	"modebench/envs"
)

// Rewrite implements envs.Rewriter: an equation with the amount on one side, and coins with commas
// between.
func (p *Problem) Rewrite(answer string) string {
	return strings.ReplaceAll(envs.Equated(answer, p.amount), ",", " + ")
}

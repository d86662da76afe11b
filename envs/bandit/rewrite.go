package bandit

import "strings"

// Rewrite implements envs.Rewriter: the name of an arm in any case.
func (p *Problem) Rewrite(answer string) string { return strings.ToLower(answer) }

package countdown

import "modebench/envs"

// Rewrite implements envs.Rewriter: an equation with the target on one side, and with steps of
// the calculation between.
func (p *Problem) Rewrite(answer string) string { return envs.Equated(answer, int(p.target)) }

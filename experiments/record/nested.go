package record

import "fmt"

// Nested says which seeds of an experiment share what. Nil, and all seeds share one draw of
// problems and one base policy. Else it holds two numbers, p and b: p seeds in turn share a
// draw of problems, and b of them in turn a base policy, where the policy has one. Seeds 0 to
// p-1 have draw 1. b divides p, so base policies are nested within draws.
type Nested []int

// MaxNested bounds the seeds that share a draw.
const MaxNested = 100000

// Check says what is wrong with it, if anything.
func (n Nested) Check() error {
	if n == nil {
		return nil
	}
	for _, x := range n {
		if x < 1 || x > MaxNested {
			return fmt.Errorf("got %v, want numbers of seeds from 1 to %d", []int(n), MaxNested)
		}
	}
	if len(n) != 2 || n[0]%n[1] != 0 {
		return fmt.Errorf("got %v, want [p, b]: p seeds in turn share a draw of problems, and b of them, which divides p, a base policy", []int(n))
	}
	return nil
}

// Draw is the number of a seed's draw of problems, its env_seed: from 1, or 0, the published
// draw, where all seeds share it. seed is 0 or more.
func (n Nested) Draw(seed int) int {
	if n == nil {
		return 0
	}
	return seed/n[0] + 1
}

// Base is the number of a seed's base policy, its pretrain_seed: from 1, or 0 where all seeds
// share one and the spec says which.
func (n Nested) Base(seed int) int {
	if n == nil {
		return 0
	}
	return seed/n[1] + 1
}

// Share says whether two seeds share both draw and base policy.
func (n Nested) Share(a, b int) bool { return n.Draw(a) == n.Draw(b) && n.Base(a) == n.Base(b) }

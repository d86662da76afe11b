package record

import (
	"fmt"
	"slices"

	"modebench/internal/each"
	"modebench/internal/plural"
)

// Nested describes what the seeds of an experiment share. If it is nil, all seeds share one draw of
// problems and one base policy. Else it holds two numbers, p and b: p seeds in turn share a
// draw of problems, and b of them in turn a base policy, where the policy has one. Seeds 0 to
// p-1 have draw 1. b divides p, so base policies are nested within draws.
type Nested []int

// MaxNested bounds the seeds that share a draw.
const MaxNested = 100000

// Check returns its first fault, or nil.
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

// Base is the number of a seed's base policy, its pretrain_seed: from 1, or 0 if all seeds share
// the spec's base policy.
func (n Nested) Base(seed int) int {
	if n == nil {
		return 0
	}
	return seed/n[1] + 1
}

// Share reports whether two seeds share both draw and base policy.
func (n Nested) Share(a, b int) bool { return n.Draw(a) == n.Draw(b) && n.Base(a) == n.Base(b) }

// Draws groups values, one of each seed, by the draw of problems that the seeds have: the
// numbers of the draws, in the order in which they appear, and the values of each. Where
// seeds are not nested, each seed is a group of its own under its own number, because it
// is the seed that was replicated then.
func (n Nested) Draws(seeds []int, values []float64) (draws []int, groups [][]float64) {
	if n == nil {
		for i := range seeds {
			groups = append(groups, values[i:i+1])
		}
		return slices.Clone(seeds), groups
	}
	place := map[int]int{} // of a draw
	for i, seed := range seeds {
		index, known := place[n.Draw(seed)]
		if !known {
			index = len(draws)
			place[n.Draw(seed)] = index
			draws, groups = append(draws, n.Draw(seed)), append(groups, nil)
		}
		groups[index] = append(groups[index], values[i])
	}
	return draws, groups
}

// Bases groups values of the seeds of one draw by their base policies.
func (n Nested) Bases(seeds []int, values []float64) (groups [][]float64) {
	last := -1
	for i, seed := range seeds {
		if base := n.Base(seed); base != last || i == 0 {
			groups, last = append(groups, nil), base
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], values[i])
	}
	return groups
}

// Units returns the number of replicated values of a variant with these cells, and a description:
// "4 draws of problems with 2 seeds each"; if seeds are not nested "8 seeds".
func (n Nested) Units(refs []Ref) (count int, text string) {
	seeds := SeedsOf(refs)
	if n == nil {
		return len(seeds), plural.Count(len(seeds), "seed")
	}
	_, groups := n.Draws(seeds, make([]float64, len(seeds)))
	text = plural.Count(len(groups), "draw") + " of problems with "
	alike := !slices.ContainsFunc(groups, func(g []float64) bool { return len(g) != len(groups[0]) })
	switch {
	case len(groups) < 2:
		text += plural.Count(len(seeds), "seed")
	case alike:
		text += plural.Count(len(groups[0]), "seed") + " each"
	default:
		text += plural.Count(len(seeds), "seed") + " in all"
	}
	return len(groups), text
}

// SeedsOf lists the seeds of cells.
func SeedsOf(refs []Ref) []int {
	return each.Map(refs, func(ref Ref) int { return ref.Seed })
}

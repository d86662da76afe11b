package estimators

import (
	"slices"

	"modebench/envs"
)

// Clusters numbers the distinct modes of a group's rollouts. Assign fills the zero value.
type Clusters struct {
	Index   []int       // of each rollout's cluster, in order of first appearance; -1: degenerate
	Size    []int       // of each cluster
	mode    []envs.Mode // of each cluster
	numbers map[envs.Mode]int
}

// linear is the number of rollouts up to which comparing modes one by one is faster than a map.
const linear = 32

// Assign reads the modes of rollouts of one candidate each.
func (c *Clusters) Assign(rollouts []*Rollout) {
	c.Index, c.Size, c.mode = c.Index[:0], c.Size[:0], c.mode[:0]
	small := len(rollouts) <= linear
	if !small {
		if c.numbers == nil {
			c.numbers = map[envs.Mode]int{}
		}
		clear(c.numbers)
	}
	for _, r := range rollouts {
		mode := r.Candidates[0].Mode
		if mode == envs.Degenerate {
			c.Index = append(c.Index, -1)
			continue
		}
		k := len(c.Size)
		if small {
			if j := slices.Index(c.mode, mode); j >= 0 {
				k = j
			}
		} else if j, ok := c.numbers[mode]; ok {
			k = j
		} else {
			c.numbers[mode] = k
		}
		if k == len(c.Size) {
			c.Size = append(c.Size, 0)
			c.mode = append(c.mode, mode)
		}
		c.Size[k]++
		c.Index = append(c.Index, k)
	}
}

// SizeOf is the size of the cluster of rollout i; 1 without a mode.
func (c *Clusters) SizeOf(i int) int {
	if c.Index[i] < 0 {
		return 1
	}
	return c.Size[c.Index[i]]
}

// NewMode reports whether an answer has a mode that no drawn answer before it has. If counted
// is given, only answers for which it is above 0 have a mode.
func NewMode(answers []*envs.Verdict, counts []int, i int, counted []float64) bool {
	mode := answers[i].Mode
	if mode == envs.Degenerate || counted != nil && counted[i] <= 0 {
		return false
	}
	for a, c := range counts[:i] {
		if c > 0 && answers[a].Mode == mode && (counted == nil || counted[a] > 0) {
			return false
		}
	}
	return true
}

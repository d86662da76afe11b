package estimators

import "modebench/envs"

// Clusters numbers the distinct modes of a group's rollouts. The zero value is ready;
// Assign fills it.
type Clusters struct {
	Of   []int       // of each rollout, in order of first appearance; -1: degenerate
	Size []int       // of each cluster
	mode []envs.Mode // of each cluster
	seen map[envs.Mode]int
}

// linear is the number of rollouts up to which comparing modes one by one is
// faster than a map.
const linear = 32

// Assign reads the modes of rollouts of one candidate each.
func (c *Clusters) Assign(rollouts []*Rollout) {
	c.Of, c.Size, c.mode = c.Of[:0], c.Size[:0], c.mode[:0]
	small := len(rollouts) <= linear
	if !small {
		if c.seen == nil {
			c.seen = map[envs.Mode]int{}
		}
		clear(c.seen)
	}
	for _, r := range rollouts {
		mode := r.Candidates[0].Mode
		if mode == envs.Degenerate {
			c.Of = append(c.Of, -1)
			continue
		}
		k := len(c.Size)
		if small {
			for j, m := range c.mode {
				if m == mode {
					k = j
					break
				}
			}
		} else if j, ok := c.seen[mode]; ok {
			k = j
		} else {
			c.seen[mode] = k
		}
		if k == len(c.Size) {
			c.Size = append(c.Size, 0)
			c.mode = append(c.mode, mode)
		}
		c.Size[k]++
		c.Of = append(c.Of, k)
	}
}

// SizeOf is the number of rollouts in the cluster of rollout i. A rollout without a mode
// is alone in one of its own.
func (c *Clusters) SizeOf(i int) int {
	if c.Of[i] < 0 {
		return 1
	}
	return c.Size[c.Of[i]]
}

// NewMode reports whether an answer has a mode that no drawn answer before it has. If counted
// is given, only answers for which it is above 0 have a mode.
func NewMode(answers []*envs.Verdict, counts []int, at int, counted []float64) bool {
	mode := answers[at].Mode
	if mode == envs.Degenerate || counted != nil && counted[at] <= 0 {
		return false
	}
	for a, c := range counts[:at] {
		if c > 0 && answers[a].Mode == mode && (counted == nil || counted[a] > 0) {
			return false
		}
	}
	return true
}

package estimators

import "modebench/envs"

// clusters numbers the distinct modes of a group.
type clusters struct {
	of   []int       // of each rollout, in order of first appearance; -1: degenerate
	size []int       // of each cluster
	mode []envs.Mode // of each cluster
	seen map[envs.Mode]int
}

// linear is the number of rollouts up to which comparing modes one by one is
// faster than a map.
const linear = 32

func (c *clusters) assign(rollouts []*Rollout) {
	c.of, c.size, c.mode = c.of[:0], c.size[:0], c.mode[:0]
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
			c.of = append(c.of, -1)
			continue
		}
		k := len(c.size)
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
		if k == len(c.size) {
			c.size = append(c.size, 0)
			c.mode = append(c.mode, mode)
		}
		c.size[k]++
		c.of = append(c.of, k)
	}
}

// newMode says whether an answer has a mode that no drawn answer before it has. If counted
// is given, only answers for which it is above 0 have a mode.
func newMode(answers []*envs.Verdict, counts []int, at int, counted []float64) bool {
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

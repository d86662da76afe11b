package tabular

import (
	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/rng"
)

// prior returns the function that gives the base logits of a problem's states:
// the environment's own where it knows them, else smoothed counts of
// demonstrations.
func (p *Policy) prior(problem envs.Problem) func([]float64, []envs.Token, string) []float64 {
	if known, ok := problem.(envs.Priored); ok && p.config.Demonstrations == 0 {
		return func(dst []float64, prefix []envs.Token, _ string) []float64 {
			return known.AppendPrior(dst, prefix)
		}
	}
	n := p.config.Demonstrations
	if n == 0 {
		n = defaultDemonstrations
	}
	var counts map[string][]float64
	return func(dst []float64, prefix []envs.Token, state string) []float64 {
		if counts == nil {
			counts = count(problem, n)
		}
		c := problem.Start()
		for _, token := range prefix {
			if c.Push(token) != nil {
				return dst
			}
		}
		seen := counts[state]
		for i := range c.Legal() {
			k := p.config.Smoothing
			if seen != nil {
				k += seen[i]
			}
			dst = append(dst, exact.Log(k))
		}
		return dst
	}
}

// count draws n demonstrations and counts, by state, how often each legal token
// was taken. The draws depend on the problem alone.
func count(problem envs.Problem, n int) map[string][]float64 {
	counts := map[string][]float64{}
	key := rng.New(0).Str("demonstrations").Str(problem.ID())
	for i := range n {
		c := problem.Start()
		for _, token := range problem.Demonstrate(key.Int(uint64(i)).Rand()) {
			state := string(c.AppendState(nil))
			legal := c.Legal()
			if counts[state] == nil {
				counts[state] = make([]float64, len(legal))
			}
			for j, l := range legal {
				if l == token {
					counts[state][j]++
				}
			}
			if c.Push(token) != nil {
				break
			}
		}
	}
	return counts
}

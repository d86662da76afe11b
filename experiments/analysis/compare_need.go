package analysis

import (
	"fmt"

	"modebench/metrics/stats"
)

// whySeeds says why a verdict takes as many seeds as it does, where a comparison that is
// paired, or is not, has fewer; "" where none has.
func (c *Comparison) whySeeds(paired bool) string {
	least, most, tests := 0, 0, 0
	for i := range c.Variants {
		few, defined := false, 0
		for _, m := range c.Variants[i].Metrics {
			if m.Verdict != VerdictUndefined {
				defined++
			}
			if m.Verdict == VerdictUnderpowered && m.Paired == paired {
				few = true
				if least == 0 {
					least = m.Need
				}
				least, most = min(least, m.Need), max(most, m.Need)
			}
		}
		if few {
			tests = max(tests, defined)
		}
	}
	if least == 0 {
		return ""
	}
	seeds := fmt.Sprint(most)
	if most > least {
		seeds = fmt.Sprintf("%d to %d", least, most)
	}
	smallest := "2/2^n of n pairs"
	if !paired {
		smallest = "2/C(2n,n) of n seeds a side"
	}
	text := fmt.Sprintf("why %s seeds: so that the least p, %s, is below %v", seeds, smallest, stats.Alpha)
	if tests > 1 {
		text += fmt.Sprintf(" after correction for %d metrics", tests)
	}
	switch {
	case most > stats.MinSeeds:
		return fmt.Sprintf("%s (of one: %d)\n", text, stats.MinSeeds)
	case !paired:
		return fmt.Sprintf("%s; %d in any case\n", text, stats.MinSeeds)
	}
	return text + "\n"
}

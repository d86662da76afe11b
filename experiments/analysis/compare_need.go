package analysis

import (
	"fmt"

	"modebench/metrics/stats"
)

// whySeeds explains why a verdict takes as many seeds as it does, if a paired (or unpaired)
// comparison has fewer; "" if every comparison has enough.
func (c *Comparison) whySeeds(paired bool) string {
	least, largest, tests := 0, 0, 0
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
				least, largest = min(least, m.Need), max(largest, m.Need)
			}
		}
		if few {
			tests = max(tests, defined)
		}
	}
	if least == 0 {
		return ""
	}
	seeds := fmt.Sprint(largest)
	if largest > least {
		seeds = fmt.Sprintf("%d to %d", least, largest)
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
	case largest > stats.MinSeeds:
		return fmt.Sprintf("%s (of one: %d)\n", text, stats.MinSeeds)
	case !paired:
		return fmt.Sprintf("%s; %d in any case\n", text, stats.MinSeeds)
	}
	return text + "\n"
}

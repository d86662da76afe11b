package analysis

import (
	"fmt"
	"math"
	"strings"

	"modebench/internal/table"
	"modebench/metrics/stats"
)

// A seedPlan gives the number of seeds that show a difference in a metric, estimated from the
// deviation of the present seeds.
type seedPlan struct {
	// Deviation of the differences by seed or, unpaired, the root mean square of
	// the two sides' deviations; NaN with fewer than two seeds.
	Deviation float64
	// Seeds (on each side) that show the difference with a chance of 80%, in a test of this
	// metric alone; 0 if unknown.
	Seeds int
	// Detectable is the smallest difference that as many pairs as there are show with that
	// chance; NaN without pairs, infinite with too few for any verdict.
	Detectable float64
}

// plan finds the number of seeds that show a difference of that size, in the metric's unit.
func (c *MetricComparison) plan(difference float64) seedPlan {
	p := seedPlan{Deviation: math.NaN(), Detectable: math.NaN()}
	if c.N() < 2 {
		return p
	}
	if c.Paired {
		differences := c.differences()
		p.Deviation = stats.Deviation(differences)
		p.Seeds = stats.PlanPaired(differences, difference, 1)
		p.Detectable = stats.Detectable(differences, 1)
		return p
	}
	// That of a side: the root of the mean variance.
	p.Deviation = math.Hypot(stats.Deviation(c.old), stats.Deviation(c.new)) / math.Sqrt2
	p.Seeds = stats.PlanUnpaired(c.old, c.new, difference, 1)
	return p
}

// PlanText is the table of the seeds that a difference takes, a row for each variant;
// the comparison has one metric.
func PlanText(c *Comparison, difference float64) string {
	least := stats.MinSeeds
	rows := [][]string{{c.Metrics[0], "seeds", "deviation", fmt.Sprintf("needed for %v", difference), "detectable now"}}
	for i := range c.Variants {
		m := &c.Variants[i].Metrics[0]
		plan := m.plan(difference)
		rows = append(rows, append([]string{c.Variants[i].Label(), m.nText()}, plan.cells()...))
		if finite(plan.Deviation) {
			least = min(least, m.N())
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "old: %s\nnew: %s\n", c.Old, c.New)
	fmt.Fprintf(&b, "seeds (a side) that show a difference of %v with a chance of 80%%, in a test of this metric alone at level %v,\n", difference, stats.Alpha)
	b.WriteString("if more seeds spread as these do (deviation: of the differences by seed where paired, else of a side)\n\n")
	b.WriteString(table.Grid(rows).Text())
	if least < stats.MinSeeds {
		// Of 5 normal values the 95% interval of the deviation ends at 2.9 times it, of 2 at 32.
		fmt.Fprintf(&b, "underpowered: the deviation of %d seeds is a first guess and may be off by a factor of three and more; plan from %d\n", least, stats.MinSeeds)
	}
	b.WriteString(c.notes())
	return b.String()
}

// cells are the columns of a plan.
func (p seedPlan) cells() []string {
	if !finite(p.Deviation) {
		return []string{"n/a", "unknown: it takes two seeds to see a spread"}
	}
	needed, detectable := "too many to tell", ""
	if p.Seeds > 0 {
		needed = fmt.Sprint(p.Seeds)
	}
	switch {
	case math.IsInf(p.Detectable, 1):
		detectable = "none"
	case finite(p.Detectable):
		detectable = fmt.Sprintf("%.3g", p.Detectable)
	}
	return []string{fmt.Sprintf("%.3g", p.Deviation), needed, detectable}
}

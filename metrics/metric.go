package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"modebench/envs"
)

// A Metric is a quantity that policies are compared by, under the name that columns,
// figures, claims and comparisons use. The file that holds it registers it.
type Metric struct {
	Name   string // "accuracy"; of a family "pass@k", or "branches@h" for token positions
	Doc    string // one line
	Detail string // unit and range, and the source if it is a paper; one line

	Label string // on the axes of figures; "": the name
	Unit  string // behind the label
	Axis  Axis

	Delta Delta

	Measure  string      // the group that measure in [eval] of a spec has to list; "": always measured
	Reads    envs.Fields // of candidates, by the metrics of verdicts
	Vectors  bool        // takes reward vectors of two components or more
	Variants bool        // takes variants, which not every environment has
	Pools    bool        // of sampled pools alone: exact distributions have no value
	Policy   bool        // takes the policy itself: judged answers alone (Document) have no value
	Run      bool        // of a whole run, and not of an evaluation

	// Setting is the field of [eval] that changes the metric and not every metric: "k" of a metric
	// over all k, "draws", "delta", "every"; "": none.
	Setting string

	rank int
	// add adds the values of a problem to the table. Metrics that share work share the add of one of
	// them. nil: of those metrics, and of metrics that are measured outside tables (AddValue).
	add func(t *Table, a *answers)
	// whole is the value over all problems, for a metric that is no average over them.
	whole func(t *Table) (value float64, problems int)
	// ceiling is the best value that any policy could reach on a problem (AddOptimum); not ok
	// if the ground truth does not give it. k is 0 for metrics without k. nil: no ceiling.
	ceiling func(t *Table, g *truth, k int) (value float64, ok bool)
}

// An Axis is the range of a figure's axis.
type Axis int

// The axes.
const (
	AxisUnbounded Axis = iota
	AxisFromZero       // values cannot be negative
	AxisCounts         // the same, with ticks at whole numbers
	AxisShare          // from 0 to 1
)

// registry holds the metrics; it fills while the package is initialised.
var registry []Metric

// register adds metrics. The file that holds them calls it from init. Ranks order
// listings and records; they are tens, so that a new metric fits between two others. A rank or a
// name that is taken is a mistake, and panics.
func register(metrics ...Metric) {
	for _, m := range metrics {
		for i := range registry {
			if registry[i].rank == m.rank || registry[i].Name == m.Name {
				panic(fmt.Sprintf("metrics: %s and %s have the same rank or name", registry[i].Name, m.Name))
			}
		}
		registry = append(registry, m)
	}
}

// ranked is the registry in the order of ranks.
var ranked = sync.OnceValue(func() []Metric {
	slices.SortFunc(registry, func(a, b Metric) int { return cmp.Compare(a.rank, b.rank) })
	return registry
})

// byFamily has the place in All of each family.
var byFamily = sync.OnceValue(func() map[string]int {
	out := map[string]int{}
	for i, m := range ranked() {
		out[m.Family()] = i
	}
	return out
})

// All lists the metrics in the order of listings.
func All() []Metric { return slices.Clone(ranked()) }

// Lookup returns the metric of a name. "pass@16", "pass@k" and "pass" all name the family
// pass@k. It is false for a name that no metric has.
func Lookup(name string) (Metric, bool) {
	i := Place(name)
	if i < 0 {
		return Metric{}, false
	}
	return ranked()[i], true
}

// Place returns the place in All of the metric that Lookup returns, and -1 for a name that no
// metric has.
func Place(name string) int {
	family, _, _ := strings.Cut(name, "@")
	if i, known := byFamily()[family]; known {
		return i
	}
	return -1
}

// Family is the name before the @ of a family, and else the whole name.
func (m *Metric) Family() string {
	family, _, _ := strings.Cut(m.Name, "@")
	return family
}

// atEachK reports whether the metric is a family over the k of evaluations.
func (m *Metric) atEachK() bool { return strings.HasSuffix(m.Name, "@k") }

// A Delta is the smallest difference in a metric that matters: two methods that are closer
// count as no different, and experiments are planned to see a difference as large.
type Delta struct {
	Size float64 // in the unit of the metric, above 0
	Why  string
}

// Deltas that several metrics share. A delta is about a twentieth of the way from a base policy to
// the best that a policy could reach, in the median over the environments and settings of the
// built-in specs (distances in parentheses), rounded to 1, 2 or 5 times a power of ten, or a
// quarter. So two methods may differ by one delta nineteen times before one of them has won it all.
var (
	shareDelta  = Delta{0.02, "a fiftieth of the range from 0 to 1; a twentieth of the way from base to optimum is .014 (pass@k) to .04 (front_coverage)"}
	countDelta  = Delta{0.25, "one mode more on every fourth problem; a base policy has 3.4 distinct correct ones, of 4 to 24"}
	manyDelta   = Delta{0.5, "one more on every second problem; a base policy has about ten"}
	rewardDelta = Delta{0.02, "a fiftieth of the range of w*.r; a twentieth of the way from base to optimum is .01 to .03"}
	natsDelta   = Delta{0.1, "a tenth of a nat, a factor of 1.1 in the number of equally likely modes; a base policy has 2.1"}
)

// A Group is metrics that are measured together, if measure in [eval] of a spec lists its name.
type Group struct{ Name, Doc string }

// The names of the groups.
const (
	MeasureVotes      = "votes"
	MeasureRollouts   = "rollouts"
	MeasureEmbeddings = "embeddings"
	MeasureBranches   = "branches"
	MeasureKL         = "kl"
	MeasureSearch     = "search"
	MeasureUpdates    = "updates"
	MeasureDrawn      = "drawn"
	MeasureBoundary   = "boundary"
	// MeasureBoundaryNull needs MeasureBoundary beside it.
	MeasureBoundaryNull = "boundary_null"
	MeasureLaw          = "law"
	MeasureLengths      = "lengths"
)

// Groups lists the groups in the order in which measure lists them.
func Groups() []Group {
	return []Group{
		{MeasureVotes, "maj@k and the majority's share"},
		{MeasureRollouts, "of whole rollouts"},
		{MeasureEmbeddings, "of cosines"},
		{MeasureBranches, "branches@h"},
		{MeasureKL, "from the policy before training"},
		{MeasureSearch, "search@k, an evolutionary search at test time"},
		{MeasureUpdates, "effects of clips and corrections in training"},
		{MeasureDrawn, "tokens drawn for training"},
		{MeasureBoundary, "problems that training solves and loses"},
		{MeasureBoundaryNull, "the same of a second pool of answers of the policy before training, beside boundary"},
		{MeasureLaw, "accuracy against entropy"},
		{MeasureLengths, "tokens of right and of wrong rollouts"},
	}
}

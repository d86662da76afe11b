package analysis

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"modebench/internal/each"
	"modebench/metrics/stats"
)

// A CheckReport is the difference between a snapshot and its baseline. Every cell of either
// is in exactly one of its lists, or is the same in both.
type CheckReport struct {
	Cells         int            // compared, of both
	Moved         []Movement     // other records, to the bit
	OtherSettings []CellSnapshot // other settings under the same name: nothing to compare
	Added         []CellSnapshot // without a baseline
	Removed       []CellSnapshot // of the baseline alone
}

// A Movement is a cell whose records differ from the baseline's.
type Movement struct {
	Spec, Label, Method string
	Seed                int
	// Trained reports that training itself moved. If it is false, only evaluations moved.
	Trained bool
	// Shifts are the series that moved, at least one.
	Shifts []Shift
}

// A Shift is a series of numbers that moved, with the last number on either side.
type Shift struct {
	Name     string
	Old, New float64 // NaN where one side has no such series
}

// Names of shifts that are no series of numbers.
const (
	shiftModes  = "modes"  // the probabilities of modes, or whether an evaluation was exact
	shiftPolicy = "policy" // the checkpoint
)

// Against compares a snapshot with its baseline, cell by cell and bit by bit. It compares
// the cells for which include is true, on both sides; nil includes all.
func (s *Snapshot) Against(baseline *Snapshot, include func(spec, method string) bool) *CheckReport {
	r := &CheckReport{}
	old := map[cellKey]*CellSnapshot{}
	for i := range baseline.Cells {
		old[baseline.Cells[i].key()] = &baseline.Cells[i]
	}
	covered := map[cellKey]bool{}
	for i := range s.Cells {
		c := &s.Cells[i]
		if include != nil && !include(c.Spec, c.Method) {
			continue
		}
		covered[c.key()] = true
		before := old[c.key()]
		switch {
		case before == nil:
			r.Added = append(r.Added, *c)
		case before.ID != c.ID:
			r.OtherSettings = append(r.OtherSettings, *c)
		default:
			r.Cells++
			if before.Train != c.Train || before.Eval != c.Eval {
				r.Moved = append(r.Moved, movement(before, c))
			}
		}
	}
	for _, c := range baseline.Cells {
		if !covered[c.key()] && (include == nil || include(c.Spec, c.Method)) {
			r.Removed = append(r.Removed, c)
		}
	}
	return r
}

func movement(before, after *CellSnapshot) Movement {
	m := Movement{Spec: after.Spec, Label: after.Label, Method: after.Method, Seed: after.Seed, Trained: before.Train != after.Train}
	evaluated, trained := false, false
	for _, name := range names(before, after) {
		a, inOld := before.Series[name]
		if b, inNew := after.Series[name]; inOld && inNew && a == b {
			continue
		}
		m.Shifts = append(m.Shifts, Shift{name, before.last(name), after.last(name)})
		inTraining := strings.HasPrefix(name, trainPrefix)
		evaluated, trained = evaluated || !inTraining, trained || inTraining
	}
	if before.Eval != after.Eval && !evaluated {
		m.Shifts = append(m.Shifts, Shift{shiftModes, math.NaN(), math.NaN()})
	}
	if m.Trained && !trained {
		m.Shifts = append(m.Shifts, Shift{shiftPolicy, math.NaN(), math.NaN()})
	}
	return m
}

// Methods lists the methods of the cells that moved, by name.
func (r *CheckReport) Methods() []string {
	moved := map[string]bool{}
	for _, m := range r.Moved {
		moved[m.Method] = true
	}
	return slices.Sorted(maps.Keys(moved))
}

// Green reports that every cell is in both and the same.
func (r *CheckReport) Green() bool {
	return len(r.Moved)+len(r.OtherSettings)+len(r.Added)+len(r.Removed) == 0
}

// Text describes in words the cells that moved: a line for each cell, and before them the
// movements that they share. limit is the number of metrics that a line names; 0: all.
func (r *CheckReport) Text(limit int) string {
	var b strings.Builder
	for _, m := range r.Moved {
		fmt.Fprintf(&b, "moved: %s on %s%s: %s\n", m.Label, m.Spec, seedText(m.Seed), m.text(limit))
	}
	for _, part := range []struct {
		cells []CellSnapshot
		label string
	}{
		{r.OtherSettings, "has other settings than the baseline's"},
		{r.Added, "is not in the baseline"},
		{r.Removed, "is in the baseline, and was not run"},
	} {
		for _, c := range part.cells {
			fmt.Fprintf(&b, "no baseline: %s on %s%s %s\n", c.Label, c.Spec, seedText(c.Seed), part.label)
		}
	}
	if len(r.Moved) > 0 {
		b.WriteString(r.summary())
	}
	return b.String()
}

func seedText(seed int) string {
	if seed == 0 {
		return ""
	}
	return fmt.Sprintf(", seed %d", seed)
}

// text lists the series that moved in a cell.
func (m *Movement) text(limit int) string {
	var words []string
	for i, s := range m.Shifts {
		if limit > 0 && i == limit && len(m.Shifts) > limit+1 {
			words = append(words, fmt.Sprintf("and %d more", len(m.Shifts)-i))
			break
		}
		words = append(words, s.text())
	}
	return strings.Join(words, ", ")
}

func (s *Shift) text() string {
	switch {
	case s.Name == shiftModes:
		return "the probabilities of modes"
	case s.Name == shiftPolicy:
		return "the trained policy"
	case math.IsNaN(s.Old):
		return s.Name + " is new"
	case math.IsNaN(s.New):
		return s.Name + " is gone"
	case s.Old == s.New:
		return fmt.Sprintf("%s (%.6g at the end as before)", s.Name, s.New)
	}
	return fmt.Sprintf("%s %.6g -> %.6g", s.Name, s.Old, s.New)
}

// summary describes how far the movement goes: which methods, which metrics, and whether
// policies trained another way.
func (r *CheckReport) summary() string {
	trained := 0
	count := map[string]int{}
	for _, m := range r.Moved {
		if m.Trained {
			trained++
		}
		for _, s := range m.Shifts {
			count[s.Name]++
		}
	}
	var all, some []string
	for _, m := range r.Moved {
		for _, s := range m.Shifts {
			switch n := count[s.Name]; {
			case n == 0: // listed already
			case n == len(r.Moved):
				all = append(all, s.Name)
			default:
				some = append(some, s.Name)
			}
			count[s.Name] = 0
		}
	}
	slices.Sort(all)
	slices.Sort(some)
	var b strings.Builder
	fmt.Fprintf(&b, "\n%d of %d cells moved\n  methods: %s\n", len(r.Moved), r.Cells, strings.Join(r.Methods(), ", "))
	if len(all) > 0 {
		fmt.Fprintf(&b, "  metrics in all of them: %s\n", strings.Join(all, ", "))
	}
	if len(some) > 0 {
		fmt.Fprintf(&b, "  metrics in some: %s\n", strings.Join(some, ", "))
	}
	switch trained {
	case 0:
		b.WriteString("  training is the same to the bit: the measurement of policies moved\n")
	case len(r.Moved):
		b.WriteString("  training moved in all of them\n")
	default:
		fmt.Fprintf(&b, "  training moved in %d of them; the others are only measured another way\n", trained)
	}
	return b.String()
}

// A StatisticalCheck is a variant of a spec whose metrics were compared with the baseline's
// over seeds.
type StatisticalCheck struct {
	Spec, Label string
	Metrics     []MetricComparison
}

// Statistically compares a snapshot with its baseline over seeds, for records that cannot be
// the same bit by bit: estimators of other programs, other machines' arithmetic. Every
// variant that both have is compared in the given metrics (compareValues, with Holm's
// correction over them), by the numbers after training, which snapshots hold to six digits.
func (s *Snapshot) Statistically(baseline *Snapshot, metrics []string, include func(spec, method string) bool) []StatisticalCheck {
	type variant struct{ spec, label string }
	old := map[variant][]CellSnapshot{}
	for _, c := range baseline.Cells {
		v := variant{c.Spec, c.Label}
		old[v] = append(old[v], c)
	}
	var order []variant
	cells := map[variant][]CellSnapshot{}
	for _, c := range s.Cells {
		v := variant{c.Spec, c.Label}
		if old[v] == nil || include != nil && !include(c.Spec, c.Method) {
			continue
		}
		if cells[v] == nil {
			order = append(order, v)
		}
		cells[v] = append(cells[v], c)
	}
	var out []StatisticalCheck
	for _, v := range order {
		values := each.Map(metrics, func(metric string) seedValues {
			return seedValues{metric, lasts(old[v], metric), lasts(cells[v], metric)}
		})
		out = append(out, StatisticalCheck{v.spec, v.label, compareValues(values, StatisticMean)})
	}
	return out
}

func lasts(cells []CellSnapshot, metric string) map[int]float64 {
	out := map[int]float64{}
	for _, c := range cells {
		out[c.Seed] = c.last(metric)
	}
	return out
}

// last is the last number of a series; NaN without it.
func (c *CellSnapshot) last(name string) float64 {
	if series, ok := c.Series[name]; ok {
		return series.Last
	}
	return math.NaN()
}

// StatisticalText is the verdicts of a statistical check in words, a line for each variant and
// metric that is not the same. For an unclear verdict it gives the difference that this number
// of seeds would have shown. A metric that one side lacks counts as moved (OneSided).
func StatisticalText(checks []StatisticalCheck) string {
	var b strings.Builder
	count := map[Verdict]int{}
	for _, c := range checks {
		for _, m := range c.Metrics {
			if m.OneSided() != "" {
				count[VerdictMoved]++
			} else {
				count[m.Verdict]++
			}
			where := fmt.Sprintf("%s on %s: %s", c.Label, c.Spec, m.Metric)
			switch m.Verdict {
			case VerdictMoved:
				fmt.Fprintf(&b, "moved: %s %.6g -> %.6g, difference %s (p=%.2g n=%d)\n", where, m.Old.Mean, m.New.Mean, differenceText(m.Delta), m.P, m.N())
			case VerdictUndefined:
				if gone := m.OneSided(); gone != "" {
					fmt.Fprintf(&b, "moved: %s %s\n", where, gone)
				}
			case VerdictUnderpowered:
				fmt.Fprintf(&b, "underpowered: %s %.6g -> %.6g with %d seeds, need %d\n", where, m.Old.Mean, m.New.Mean, m.N(), m.Need)
			case VerdictUnclear:
				fmt.Fprintf(&b, "not seen to move: %s %.6g -> %.6g, difference %s (p=%.2g n=%d)%s\n", where, m.Old.Mean, m.New.Mean, differenceText(m.Delta), m.P, m.N(), m.detectable())
			}
		}
	}
	all := 0
	for _, n := range count {
		all += n
	}
	fmt.Fprintf(&b, "\n%d comparisons: %d the same, %d moved, %d not seen to move, %d underpowered, %d undefined\n", all,
		count[VerdictSame], count[VerdictMoved], count[VerdictUnclear], count[VerdictUnderpowered], count[VerdictUndefined])
	return b.String()
}

// OneSided is "is gone" or "is new" for a metric that one side alone has, else "". There is
// no test of it, but a check that let it pass would be green although a metric was lost.
func (c *MetricComparison) OneSided() string {
	switch {
	case c.Verdict != VerdictUndefined || (c.Old.N > 0) == (c.New.N > 0):
		return ""
	case c.Old.N > 0:
		return "is gone"
	}
	return "is new"
}

// differenceText is a difference to three digits, however small: a metric that moved by 0.0001
// in every seed has moved.
func differenceText(d stats.Interval) string {
	if !finite(d.Low) || !finite(d.High) {
		return fmt.Sprintf("%+.3g", d.Mean)
	}
	return fmt.Sprintf("%+.3g [%+.3g, %+.3g]", d.Mean, d.Low, d.High)
}

// detectable is the difference that a comparison of pairs would have shown. A smaller one may
// be there although none was seen.
func (c *MetricComparison) detectable() string {
	if !c.Paired {
		return ""
	}
	return fmt.Sprintf("; %d seeds show a difference of %.2g in 8 of 10 runs", c.N(), stats.Detectable(c.differences(), 1))
}

package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"modebench/envs"
)

// A Pool is the judged answers drawn for one problem: chains from the same
// policy, each independent of the others.
type Pool struct {
	// Modes is the number of modes that correct answers of the problem have
	// (envs.Truth.Modes), or -1 if it is not known.
	Modes int
	// Front is the exact Pareto front (envs.Truth.Front); empty if it is not known. Any order does.
	Front [][]float64
	// Chains holds the rollouts in draw order, each with its m >= 1 candidates;
	// m is the same for all of them.
	Chains [][]*envs.Verdict
	// Named is the candidate that each chain names as its final answer, from 1, or 0 for no
	// candidate (envs.FinalVerdict then takes the last candidate with an answer). nil: no
	// chain names one.
	Named []int
}

// A Value is one metric.
type Value struct {
	Name     string  // as All lists it, with its k: "pass@4", "accuracy"
	Mean     float64 // average over Problems; always finite
	Problems int     // how many problems the metric is defined for; at least 1
}

// A Table accumulates metrics over problems. Those of a method come from Add
// and AddExact, in any mixture; AddOptimum belongs in a table of its own. A
// problem for which a metric is not defined does not enter its average.
//
// A Table is not safe for concurrent use. Adding a problem reuses what the one before needed.
type Table struct {
	opt      Options
	have     envs.Fields
	given    []*Metric // those that problems have, if their answers and ground truth do
	rows     []row
	row      map[string]int
	families map[string]int    // places among the rows of one k
	optimum  bool              // AddOptimum was called
	shares   map[Share]float64 // sums over problems; the keys have no Mass

	plan    plan
	answers answers
	lines   collinearity
	scratch scratch
}

// A row of a table is a metric at one k, or without k.
type row struct {
	name     string
	sum      float64 // over problems; NaN: its average would mean nothing
	problems int
	last     float64                                      // the value that was added last
	whole    func(t *Table) (value float64, problems int) // of Metric
}

// NewTable returns an empty table. It keeps the slices of the options.
//
// Errors: no weights or a weight that is not finite, a k below 1 or given twice, a draw of another
// length than the weights or with an entry outside [0, 1], a delta outside [-1, 1].
func NewTable(o Options) (*Table, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	have := envs.HasAll
	if !o.Variants {
		have &^= envs.HasVariant
	}
	if !o.Answers {
		have &^= envs.HasAnswer
	}
	if !slices.Contains(o.Measure, MeasureEmbeddings) {
		have &^= envs.HasEmbedding
	}
	return newTable(o, have), nil
}

// check returns the first fault of the options.
func (o *Options) check() error {
	if len(o.Weights) == 0 {
		return errors.New("weights: none, want one per reward component")
	}
	for i, w := range o.Weights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return fmt.Errorf("weights[%d]: got %v, want a finite number", i, w)
		}
	}
	for i, draw := range o.Draws {
		if len(draw) != len(o.Weights) {
			return fmt.Errorf("draws[%d]: %d entries, want %d (one per weight)", i, len(draw), len(o.Weights))
		}
		for j, w := range draw {
			if !(w >= 0 && w <= 1) {
				return fmt.Errorf("draws[%d][%d]: got %v, want a number in [0, 1]", i, j, w)
			}
		}
	}
	if !(o.Delta >= -1 && o.Delta <= 1) {
		return fmt.Errorf("delta: got %v, want a cosine in [-1, 1]", o.Delta)
	}
	return checkKs(o.K)
}

// newTable returns the empty table for candidates that carry the given fields.
func newTable(o Options, have envs.Fields) *Table {
	t := &Table{opt: o, have: have, row: map[string]int{}, families: map[string]int{}, shares: map[Share]float64{}}
	all := ranked()
	for i := range all {
		m := &all[i]
		if m.atEachK() {
			t.families[m.Family()] = len(t.families)
		}
		if t.has(m.Reads) && !(m.Vectors && len(o.Weights) < 2) && (m.Measure == "" || slices.Contains(o.Measure, m.Measure)) {
			t.given = append(t.given, m)
		}
	}
	for _, k := range o.K {
		for i := range all {
			if m := &all[i]; m.atEachK() {
				t.newRow(atK(m.Family(), k), nil)
			}
		}
	}
	for i := range all {
		if m := &all[i]; !strings.Contains(m.Name, "@") {
			t.newRow(m.Name, m.whole)
		}
	}
	return t
}

// atK returns the name of a metric at k: "pass@4".
func atK(family string, k int) string { return family + "@" + strconv.Itoa(k) }

func (t *Table) newRow(name string, whole func(*Table) (float64, int)) {
	t.row[name] = len(t.rows)
	t.rows = append(t.rows, row{name: name, whole: whole})
}

// checkKs reports a k below 1 or listed twice.
func checkKs(ks []int) error {
	for i, k := range ks {
		if k < 1 {
			return fmt.Errorf("k[%d]: %d, want at least 1", i, k)
		}
		if slices.Contains(ks[:i], k) {
			return fmt.Errorf("k[%d]: %d is listed twice", i, k)
		}
	}
	return nil
}

// AddValue adds one problem's value, a finite number, of a metric by its name. Names that no
// metric has follow the others, in the order of their first value.
func (t *Table) AddValue(name string, value float64) {
	number, known := t.row[name]
	if !known {
		number = len(t.rows)
		t.newRow(name, nil)
	}
	t.rows[number].add(value)
}

// addAt adds one problem's value of a family of metrics at K[i].
func (t *Table) addAt(family string, i int, value float64) {
	t.rows[i*len(t.families)+t.families[family]].add(value)
}

func (r *row) add(value float64) {
	r.sum += value
	r.problems++
	r.last = value
}

// Latest returns the value of a metric at the last problem that it is defined for; false before
// the first.
func (t *Table) Latest(name string) (float64, bool) {
	number, known := t.row[name]
	if !known || t.rows[number].problems == 0 {
		return 0, false
	}
	return t.rows[number].last, true
}

// Values returns the metrics that some problem has a value for, averaged over
// those problems: for each k in the order of Options.K the metrics at k, then
// the others, both in the order of All, then those that only AddValue names.
func (t *Table) Values() []Value {
	var out []Value
	for i := range t.rows {
		r := &t.rows[i]
		v := Value{r.name, r.sum / float64(r.problems), r.problems}
		if r.whole != nil {
			v.Mean, v.Problems = r.whole(t)
		}
		if v.Problems > 0 && !math.IsNaN(v.Mean) {
			out = append(out, v)
		}
	}
	return out
}

// Means returns the Mean of each of Values by name.
func (t *Table) Means() map[string]float64 {
	out := map[string]float64{}
	for _, v := range t.Values() {
		out[v.Name] = v.Mean
	}
	return out
}

// measure adds the metrics of a problem's numbered answers.
func (t *Table) measure(a *answers) {
	for _, m := range t.given {
		if m.add != nil && !(m.Pools && a.exact) {
			m.add(t, a)
		}
	}
}

// has reports whether the candidates carry all of the fields.
func (t *Table) has(fields envs.Fields) bool { return t.have&fields == fields }

// The defaults of Options, of evaluations, documents and imported answers alike.
const (
	DefaultDraws = 128 // scalarisations behind ew_best@k
	DefaultDelta = 0.8 // SD-E2's
)

// Options choose the metrics of a Table.
type Options struct {
	Weights []float64 // w*, one finite entry per reward component
	K       []int     // the k of pass@k and so on, each at least 1, none twice
	// Samples is the number of candidates that distinct_correct, distinct_incorrect and reward_l1
	// of an exact distribution refer to. Pools are taken as large as they are.
	Samples int
	// Draws are the scalarisations w of ew_best@k, with entries in [0, 1]; all
	// problems and methods share them. nil leaves ew_best@k out.
	Draws [][]float64
	// Variants reports that verdicts carry variants (envs.Info.Variants). Without it
	// the metrics of variants are left out.
	Variants bool
	// Answers reports that verdicts carry answers to vote with (envs.Info.Votes). Without
	// it the metrics of votes and final_accuracy are left out.
	Answers bool
	// Measure lists the groups of metrics beyond the plain ones, as measure in [eval] does. A
	// table computes those of votes, rollouts and embeddings.
	Measure []string
	// Delta is the cosine above which an answer repeats an earlier answer (Uniq and RR of
	// SD-E2 sec. 3.2 and app. D), in [-1, 1]; read by the metrics of embeddings alone.
	Delta float64
}

package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"modebench/envs"
)

// A Pool is the judged answers drawn for one problem: chains from the same
// policy, each independent of the others.
type Pool struct {
	// Modes is the number of modes that correct answers of the problem have
	// (envs.Truth.Modes), or -1 where it is not known.
	Modes int
	// Front is the exact Pareto front (envs.Truth.Front); empty where it is not
	// known. Any order does.
	Front [][]float64
	// Chains holds the rollouts in draw order, each with its m >= 1 candidates;
	// m is the same for all of them.
	Chains [][]*envs.Verdict
	// Named says which candidate each chain names as its final answer, from 1; 0 is
	// none (envs.FinalVerdict then takes the last one that has an answer). nil: no
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
// A Table is not safe for concurrent use. Adding a problem reuses what the one
// before needed.
type Table struct {
	opt  Options
	have envs.Fields
	rows []Value // Mean holds the sum until Values is called
	row  map[string]int
	last []float64 // of each row, the value that was added last
	// unbounded marks the rows of a metric whose ceiling is not known for some
	// problem (AddOptimum).
	unbounded map[int]bool

	plan    plan
	answers answers
	lines   collinearity
	scratch scratch
}

// NewTable returns an empty table. It keeps the slices of the options.
//
// Errors: no weights or one that is not finite, a k below 1 or given twice, a
// draw of another length than the weights or with an entry outside [0, 1], a delta
// outside [-1, 1].
func NewTable(o Options) (*Table, error) {
	if len(o.Weights) == 0 {
		return nil, errors.New("weights: none, want one per reward component")
	}
	for i, w := range o.Weights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("weights[%d]: got %v, want a finite number", i, w)
		}
	}
	if err := checkKs(o.K); err != nil {
		return nil, err
	}
	for i, draw := range o.Draws {
		if len(draw) != len(o.Weights) {
			return nil, fmt.Errorf("draws[%d]: %d entries, want %d (one per weight)", i, len(draw), len(o.Weights))
		}
		for j, w := range draw {
			if !(w >= 0 && w <= 1) {
				return nil, fmt.Errorf("draws[%d][%d]: got %v, want a number in [0, 1]", i, j, w)
			}
		}
	}
	if !(o.Delta >= -1 && o.Delta <= 1) {
		return nil, fmt.Errorf("delta: got %v, want a cosine in [-1, 1]", o.Delta)
	}
	have := envs.HasAll
	if !o.Variants {
		have &^= envs.HasVariant
	}
	if !o.Answers {
		have &^= envs.HasAnswer
	}
	if o.Groups&Embeddings == 0 {
		have &^= envs.HasEmbedding
	}
	return newTable(o, have), nil
}

// newTable returns the empty table for candidates that carry the given fields.
func newTable(o Options, have envs.Fields) *Table {
	t := &Table{opt: o, have: have, row: map[string]int{}, unbounded: map[int]bool{}}
	for _, k := range o.K {
		for family := range families {
			t.newRow(atK(described[family].Name, k))
		}
	}
	for _, d := range described[families:] {
		t.newRow(d.Name)
	}
	return t
}

func (t *Table) newRow(name string) {
	t.row[name] = len(t.rows)
	t.rows = append(t.rows, Value{Name: name})
	t.last = append(t.last, 0)
}

// checkKs reports a k below 1 or one that is listed twice.
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

// AddValue adds one problem's value, a finite number, of a metric that is measured
// elsewhere. Metrics that the table does not know follow its own, in the order
// of their first value.
func (t *Table) AddValue(name string, value float64) {
	if _, known := t.row[name]; !known {
		t.newRow(name)
	}
	t.add(t.row[name], value)
}

// Latest returns the value of a metric at the last problem that it is defined for; false where
// there is none.
func (t *Table) Latest(name string) (float64, bool) {
	row, known := t.row[name]
	if !known || t.rows[row].Problems == 0 {
		return 0, false
	}
	return t.last[row], true
}

// addAt adds one problem's value of a family of metrics at K[i].
func (t *Table) addAt(f family, i int, value float64) { t.add(i*int(families)+int(f), value) }

// addPlain adds one problem's value of a metric without k.
func (t *Table) addPlain(m plainMetric, value float64) {
	t.add(len(t.opt.K)*int(families)+int(m), value)
}

func (t *Table) add(row int, value float64) {
	t.rows[row].Mean += value
	t.rows[row].Problems++
	t.last[row] = value
}

// Values returns the metrics that some problem has a value for, averaged over
// those problems: for each k in the order of Options.K the metrics at k, then
// the others, both in the order of All, then those of AddValue alone.
func (t *Table) Values() []Value {
	rhoAt := len(t.opt.K)*int(families) + int(rhoBar)
	rho, ok := t.lines.mean()
	var out []Value
	for i, v := range t.rows {
		if i == rhoAt && ok { // the one metric that is no average over problems
			out = append(out, Value{v.Name, rho, t.lines.problems})
			continue
		}
		if v.Problems > 0 && !t.unbounded[i] {
			v.Mean /= float64(v.Problems)
			out = append(out, v)
		}
	}
	return out
}

// has reports whether the candidates carry all of the fields.
func (t *Table) has(fields envs.Fields) bool { return t.have&fields == fields }

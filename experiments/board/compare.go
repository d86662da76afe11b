package board

import (
	"maps"
	"slices"

	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/metrics/stats"
)

// rank fills the ranks and the methods surely above and below.
func (t *Table) rank(names []string) error {
	scores, err := Scores(t.Results, names, Tuned)
	if err != nil {
		return err
	}
	looks, err := looksOf(t.Results[0])
	if err != nil {
		return err
	}
	ranks, err := stats.RankByLooks(scores, looks)
	if err != nil {
		return err
	}
	for i := range t.Rows {
		l := &t.Rows[i]
		l.Rank = ranks.Ranks[i]
		for j, name := range names {
			if ranks.Above[j][i] {
				l.Above = append(l.Above, name)
			}
			if ranks.Above[i][j] {
				l.Below = append(l.Below, name)
			}
		}
	}
	return nil
}

// compare fills the scores, the answers and the paired columns.
func (t *Table) compare(names []string) error {
	scores, err := Scores(t.Results, names, Tuned)
	if err != nil {
		return err
	}
	reference := slices.Index(names, Reference) // Scores needs it
	looks, err := looksOf(t.Results[0])
	if err != nil {
		return err
	}
	decisions, err := stats.Decide(scores, scores[reference], looks, Margin)
	if err != nil {
		return err
	}
	for i := range t.Rows {
		l := &t.Rows[i]
		l.Decision, l.Score = decisions.Methods[i], moved(decisions.Methods[i].Difference, 1)
	}
	for _, column := range pairedColumns {
		values := t.values(names, column, Tuned)
		zero := values[reference]
		if column != "accuracy" { // it is a difference from the reference already
			zero = zeros(zero)
		}
		compared, err := stats.CompareWithReference(values, zero, familyError, 0)
		if err != nil {
			return err
		}
		for i := range t.Rows {
			t.Rows[i].Paired[column] = moved(compared.Methods[i].Difference, meanOfTable(zero, values[i], stats.Looks[0].Seeds))
		}
	}
	return nil
}

// carry fills the scores with one setting for all tasks.
func (t *Table) carry(names []string) error {
	var carried []string
	for _, name := range names {
		if !slices.ContainsFunc(t.Results, func(r *Result) bool { return r.Tuned(name) != nil && r.Row(name, Carried) == nil }) {
			carried = append(carried, name)
		}
	}
	for i := range t.Rows {
		t.Rows[i].Carried = noInterval
	}
	reference := slices.Index(carried, Reference)
	if reference < 0 {
		return nil
	}
	scores, err := Scores(t.Results, carried, Carried)
	if err != nil {
		return err
	}
	for _, table := range scores {
		for task, xs := range table { // all have the seeds of the first look
			table[task] = xs[:min(len(xs), stats.Looks[0].Seeds)]
		}
	}
	compared, err := stats.CompareWithReference(scores, scores[reference], familyError, Margin)
	if err != nil {
		return err
	}
	for i := range t.Rows {
		if j := slices.Index(carried, t.Rows[i].Method); j >= 0 {
			t.Rows[i].Carried, t.Rows[i].Carries = moved(compared.Methods[j].Difference, 1), compared.Methods[j].Standing
		}
	}
	return nil
}

// looksOf are the looks of the board that a result is of.
func looksOf(r *Result) ([]stats.Look, error) {
	p, ok := protocols[r.Policy]
	if !ok {
		return nil, input.Errorf("there is no board under policy %q", r.Policy)
	}
	return p.Looks, nil
}

// moved is an interval of differences from a number, as an interval of the other number.
func moved(difference stats.Interval, from float64) stats.Interval {
	difference.Mean, difference.Low, difference.High = difference.Mean+from, difference.Low+from, difference.High+from
	return difference
}

// zeros is a table of zeros of the same shape.
func zeros(t stats.Table) stats.Table {
	out := stats.Table{}
	for task, xs := range t {
		out[task] = make([]float64, len(xs))
	}
	return out
}

// meanOfTable is the mean over the tasks of shape of the mean over the first seeds.
func meanOfTable(t, shape stats.Table, seeds int) float64 {
	return Mean(each.Map(slices.Sorted(maps.Keys(shape)), func(task string) float64 { return Mean(t[task][:min(len(t[task]), seeds)]) }))
}

// values are a column by seed, of rows in a role, one table for each method.
func (t *Table) values(names []string, column, role string) []stats.Table {
	out := make([]stats.Table, len(names))
	for i, name := range names {
		out[i] = stats.Table{}
		for _, r := range t.Results {
			if row := r.Row(name, role); row != nil {
				out[i][r.Task] = row.BySeed(column)
			}
		}
	}
	return out
}

// Undecided are the methods of results that need the seeds of a look, counted from 0: no look before
// it decided them.
func Undecided(results []*Result, look int) ([]string, error) {
	t, err := NewTable(results)
	if err != nil {
		return nil, err
	}
	looks, err := looksOf(results[0])
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range t.Rows {
		if l.Decision.Standing == stats.Unsettled && l.Decision.Seeds >= looks[look].Seeds {
			out = append(out, l.Methods()...)
		}
	}
	return out, nil
}

// Scores are the scores that ranks compare, one table for each method: areas of its rows in a role, in units
// of the Reference's.
func Scores(results []*Result, methods []string, role string) ([]stats.Table, error) {
	units, err := units(results, role)
	if err != nil {
		return nil, err
	}
	out := make([]stats.Table, len(methods))
	for i, name := range methods {
		out[i] = stats.Table{}
		for _, r := range results {
			if row := r.Row(name, role); row != nil {
				for _, x := range row.BySeed("area") {
					out[i][r.Task] = append(out[i][r.Task], x/units[r.Task])
				}
			}
		}
	}
	return out, nil
}

// units are the areas of the reference by task, in the mean over the seeds of the first look. They make
// tasks weigh alike. Later seeds do not enter, since answers of the first look would change with the unit.
func units(results []*Result, role string) (map[string]float64, error) {
	out := map[string]float64{}
	for _, r := range results {
		row := r.Row(Reference, role)
		if row == nil {
			return nil, input.Errorf("task %s has no result of %s, which scores are measured by", r.Task, Reference)
		}
		unit := row.Mean("area")
		if !(unit > 0) {
			return nil, input.Errorf("task %s: the area of %s is %v in the mean over seeds, want one above 0 to measure by", r.Task, Reference, unit)
		}
		out[r.Task] = unit
	}
	return out, nil
}

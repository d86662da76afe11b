package foretell

import (
	"cmp"
	"maps"
	"slices"

	"modebench/experiments/board"
	"modebench/metrics/stats"
)

// share finds the methods of both boards.
func (f *Comparison) share() {
	rows := [2]map[string]board.Line{lines(f.Short), lines(f.Long)}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(rows[0])) {
		if _, shared := rows[1][name]; shared {
			names = append(names, name)
		}
	}
	all := slices.Concat(f.Short.Results, f.Long.Results)
	names, _ = board.Distinct(names, func(name string) string { return board.Evaluations(all, name) })
	for _, name := range names {
		b := SharedMethod{Method: name, Short: rows[0][name], Long: rows[1][name]}
		for i, rank := range []stats.Rank{b.Short.Rank, b.Long.Rank} {
			n := float64(len([]*board.Table{f.Short, f.Long}[i].Rows))
			b.Ranks[i] = [2]float64{float64(rank.Low-1) / n, float64(rank.High) / n}
		}
		f.Shared = append(f.Shared, b)
		if len(b.Short.Areas) == len(f.Short.Tasks) && len(b.Long.Areas) == len(f.Long.Tasks) {
			f.Everywhere = append(f.Everywhere, name)
		}
	}
	slices.SortStableFunc(f.Shared, func(a, b SharedMethod) int {
		return cmp.Or(cmp.Compare(len(b.Short.Areas), len(a.Short.Areas)), cmp.Compare(b.Short.Rank.IQM.Mean, a.Short.Rank.IQM.Mean))
	})
}

// Verdicts counts the methods beside Reference by the sure verdicts of both boards: [1 + sure
// on the short one][1 + sure on the long one], where sure is -1 below Reference, 1 above it, 0
// neither (Line.Sure).
func (f *Comparison) Verdicts() (out [3][3]int) {
	for _, b := range f.Shared {
		if b.Method != board.Reference {
			out[1+b.Short.Sure][1+b.Long.Sure]++
		}
	}
	return out
}

// Foretold are the methods of which the short board is sure, above Reference (1) or below it (-1).
func (f *Comparison) Foretold(sure int) []SharedMethod {
	return f.where(func(b SharedMethod) bool { return b.Short.Sure == sure && sure != 0 })
}

// Hidden are the methods of which the long board is sure, and the short one is not.
func (f *Comparison) Hidden() []SharedMethod {
	return f.where(func(b SharedMethod) bool { return b.Long.Sure != 0 && b.Short.Sure == 0 })
}

// sideOf is the side of Reference that a line is on, by the 95% interval of its probability to
// be above it: 1 above, -1 below, 0 if the interval contains a half. It is a statement about
// this method alone; of a hundred methods some are wrong by chance.
func sideOf(l board.Line) int {
	switch {
	case l.Beats.Low > 0.5:
		return 1
	case l.Beats.High < 0.5:
		return -1
	}
	return 0
}

// Opposed are the methods that the boards put on opposite sides of Reference (sideOf).
func (f *Comparison) Opposed() []SharedMethod {
	return f.where(func(b SharedMethod) bool { return sideOf(b.Short)*sideOf(b.Long) < 0 })
}

// Moved are the methods whose open ranks on both boards do not meet, as shares of the methods.
func (f *Comparison) Moved() []SharedMethod {
	return f.where(func(b SharedMethod) bool { return b.Ranks[0][1] <= b.Ranks[1][0] || b.Ranks[1][1] <= b.Ranks[0][0] })
}

func (f *Comparison) where(is func(SharedMethod) bool) (out []SharedMethod) {
	for _, b := range f.Shared {
		if b.Method != board.Reference && is(b) {
			out = append(out, b)
		}
	}
	return out
}

// everywhere are the methods that fit all tasks of the board, by name.
func everywhere(t *board.Table) (out []string) {
	for _, l := range t.Rows {
		if len(l.Areas) == len(t.Tasks) {
			out = append(out, l.Method)
		}
	}
	slices.Sort(out)
	return out
}

// lines are the rows of a table by method, those that share a row among them.
func lines(t *board.Table) map[string]board.Line {
	out := map[string]board.Line{}
	for _, l := range t.Rows {
		for _, name := range l.Methods() {
			out[name] = l
		}
	}
	return out
}

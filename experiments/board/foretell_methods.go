package board

import (
	"cmp"
	"slices"
)

// both finds the methods of both boards.
func (f *Foretelling) both() {
	rows := [2]map[string]Line{f.Short.lines(), f.Long.lines()}
	var names []string
	for name := range rows[0] {
		if _, there := rows[1][name]; there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	all := append(slices.Clone(f.Short.results), f.Long.results...)
	names, _ = apart(names, func(name string) string { return evaluations(all, name) })
	for _, name := range names {
		b := Both{Method: name, Short: rows[0][name], Long: rows[1][name]}
		for i, at := range []struct {
			line Line
			of   *Table
		}{{b.Short, f.Short}, {b.Long, f.Long}} {
			n := float64(len(at.of.Rows))
			b.Ranks[i] = [2]float64{float64(at.line.Rank.Low-1) / n, float64(at.line.Rank.High) / n}
		}
		f.Both = append(f.Both, b)
		if len(b.Short.Areas) == len(f.Short.Tasks) && len(b.Long.Areas) == len(f.Long.Tasks) {
			f.Everywhere = append(f.Everywhere, name)
		}
	}
	slices.SortStableFunc(f.Both, func(a, b Both) int {
		return cmp.Or(cmp.Compare(len(b.Short.Areas), len(a.Short.Areas)), cmp.Compare(b.Short.Rank.IQM.Mean, a.Short.Rank.IQM.Mean))
	})
}

// Verdicts counts the methods beside Reference by what either board surely says of them: [1 + sure on
// the short one][1 + sure on the long one], where sure is -1 below Reference, 1 above it, 0 neither
// (Line.Sure).
func (f *Foretelling) Verdicts() (out [3][3]int) {
	for _, b := range f.Both {
		if b.Method != Reference {
			out[1+b.Short.Sure][1+b.Long.Sure]++
		}
	}
	return out
}

// Told are the methods of which the short board is sure, above Reference (1) or below it (-1).
func (f *Foretelling) Told(sure int) []Both {
	return f.where(func(b Both) bool { return b.Short.Sure == sure && sure != 0 })
}

// Hidden are the methods of which the long board is sure, and the short one is not.
func (f *Foretelling) Hidden() []Both {
	return f.where(func(b Both) bool { return b.Long.Sure != 0 && b.Short.Sure == 0 })
}

// Side says on which side of Reference a line is by the 95% interval of its probability to be above
// it: 1 above, -1 below, 0 where the interval has a half. It is a statement of this method alone, and of
// a hundred methods some are wrong by chance.
func (l Line) Side() int {
	switch {
	case l.Beats.Low > 0.5:
		return 1
	case l.Beats.High < 0.5:
		return -1
	}
	return 0
}

// Opposed are the methods that the boards put on opposite sides of Reference (Side).
func (f *Foretelling) Opposed() []Both {
	return f.where(func(b Both) bool { return b.Short.Side()*b.Long.Side() < 0 })
}

// Moved are the methods whose open ranks on both boards do not meet, as shares of the methods.
func (f *Foretelling) Moved() []Both {
	return f.where(func(b Both) bool { return b.Ranks[0][1] <= b.Ranks[1][0] || b.Ranks[1][1] <= b.Ranks[0][0] })
}

func (f *Foretelling) where(is func(Both) bool) (out []Both) {
	for _, b := range f.Both {
		if b.Method != Reference && is(b) {
			out = append(out, b)
		}
	}
	return out
}

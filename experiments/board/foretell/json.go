package foretell

import (
	"modebench/experiments/board"
	"modebench/internal/lined"
	"modebench/internal/table"
	"modebench/metrics/stats"
)

// json is the comparison for lined.Text. Of each row of the audit the taus are those with score,
// accuracy and diversity of the short board, then of the long one. In verdicts[i][j] is how many
// methods are surely below (0), not told apart from (1) or surely above (2) the reference on the
// short board (i) and on the long one (j).
func (f *Comparison) json() table.Object {
	var repeats, within, steps, methods []table.Object
	for _, r := range f.Seeds {
		repeats = append(repeats, append(append(table.Object{{"board", r.Board}, {"between", r.Occasions}, {"column", r.Column}}, tauJSON(r.Tau)...),
			table.Object{{"pairs", r.Pairs}, {"ceiling", board.Four(r.Ceiling)}}...))
	}
	for _, w := range f.Within {
		within = append(within, table.Object{{"board", w.Board}, {"score_and_accuracy", tauJSON(w.Accuracy)}, {"score_and_diversity", tauJSON(w.Diversity)}})
	}
	for _, s := range f.Steps {
		var untuned, tuned []table.Object
		for i := range s.Taus {
			untuned, tuned = append(untuned, tauJSON(s.Taus[i])), append(tuned, tauJSON(s.Tuned[i]))
		}
		steps = append(steps, table.Object{{"column", s.Column}, {"untuned", untuned}, {"tuned", tuned}})
	}
	for _, b := range f.Shared {
		sides := func(value func(l board.Line) any) [2]any { return [2]any{value(b.Short), value(b.Long)} }
		methods = append(methods, table.Object{
			{"method", b.Method},
			{"score", sides(func(l board.Line) any { return four(l.Rank.IQM) })},
			{"above_grpo", sides(func(l board.Line) any { return four(l.Beats) })},
			{"surely_above_grpo", sides(func(l board.Line) any { return l.Sure })},
			{"rank", sides(func(l board.Line) any { return [2]int{l.Rank.Low, l.Rank.High} })},
			{"tasks", sides(func(l board.Line) any { return len(l.Areas) })},
		})
	}
	return table.Object{
		{"board", board.Version}, {"short", side(f.Short)}, {"long", side(f.Long)}, {"over_tasks", scopesJSON(f.Over)}, {"task_by_task", scopesJSON(f.Tasks)},
		{"against_itself", repeats}, {"within", within}, {"audit", steps}, {"verdicts", f.Verdicts()}, {"methods", methods},
	}
}

// four is a mean with the ends of its interval, of four digits each.
func four(i stats.Interval) [3]lined.Number {
	return [3]lined.Number{board.Four(i.Mean), board.Four(i.Low), board.Four(i.High)}
}

// tauJSON is a tau with its bounds, and the number of methods.
func tauJSON(i stats.Interval) table.Object { return table.Object{{"tau", four(i)}, {"methods", i.N}} }

func side(t *board.Table) table.Object {
	return table.Object{{"policy", t.Policy}, {"tasks", t.Tasks}, {"seeds", t.Seeds}, {"methods", len(t.Rows)}}
}

func scopesJSON(scopes []Scope) (out []table.Object) {
	for _, s := range scopes {
		var columns []table.Object
		for _, c := range s.Columns {
			columns = append(columns, append(append(table.Object{{"column", c.Column}}, tauJSON(c.Tau)...),
				table.Object{{"halves", [2]lined.Number{board.Four(c.Halves[0]), board.Four(c.Halves[1])}}, {"ceiling", board.Four(c.Ceiling)}}...))
		}
		out = append(out, table.Object{{"short", s.Short}, {"long", s.Long}, {"columns", columns}})
	}
	return out
}

package analysis

import (
	"encoding/json"

	"modebench/internal/table"
	"modebench/metrics/stats"
)

// CompareJSON is the comparison as one JSON document. A difference above 0 adds the number of
// seeds that show it. The fields are
//
//	old, new    dir, spec, label ("" for all variants)
//	statistic   mean or iqm; "mean" in the rows is this statistic
//	alpha       level of the verdicts
//	rows        one for each variant and metric:
//	  variant, metric, n, paired
//	  old, new     variant, n, mean, low, high
//	  delta, improvement   mean, low, high
//	  p            after correction; null with fewer seeds than need
//	  need         fewest seeds of a verdict
//	  verdict      same, moved, unclear, underpowered or undefined
//	  detect       difference, deviation, seeds, detectable; only if asked for
//	only_old, only_new   labels without a counterpart
//	left_out    columns of new that the records of old lack
//	warnings    differences in measurement between the two sides
//
// Numbers that are not finite are null.
func CompareJSON(c *Comparison, difference float64) ([]byte, error) {
	var rows []table.Object
	for i := range c.Variants {
		v := &c.Variants[i]
		for j := range v.Metrics {
			m := &v.Metrics[j]
			row := table.Object{
				{"variant", v.Label()}, {"metric", m.Metric}, {"n", m.N()}, {"paired", m.Paired},
				{"old", append(table.Object{{"variant", v.Old.Label}, {"n", m.Old.N}}, bounds(m.Old)...)},
				{"new", append(table.Object{{"variant", v.New.Label}, {"n", m.New.N}}, bounds(m.New)...)},
				{"delta", bounds(m.Delta)}, {"improvement", bounds(m.Improvement)}, {"p", m.P}, {"need", m.Need}, {"verdict", m.Verdict},
			}
			if difference > 0 {
				p := m.plan(difference)
				seeds := any(p.Seeds)
				if p.Seeds == 0 {
					seeds = nil
				}
				row = append(row, table.Member{"detect", table.Object{{"difference", difference}, {"deviation", p.Deviation}, {"seeds", seeds}, {"detectable", p.Detectable}}})
			}
			rows = append(rows, row)
		}
	}
	data, err := json.MarshalIndent(table.Object{
		{"old", c.Old.object()}, {"new", c.New.object()}, {"statistic", c.Statistic}, {"alpha", stats.Alpha}, {"rows", rows},
		{"only_old", c.OnlyOld}, {"only_new", c.OnlyNew}, {"left_out", c.LeftOut}, {"warnings", c.Warnings()},
	}, "", "  ")
	return append(data, '\n'), err
}

func (s Side) object() table.Object {
	return table.Object{{"dir", s.Run.Dir}, {"spec", s.Run.Spec}, {"label", s.Label}}
}

func bounds(i stats.Interval) table.Object {
	return table.Object{{"mean", i.Mean}, {"low", i.Low}, {"high", i.High}}
}

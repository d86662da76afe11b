package plots

import (
	"errors"
	"slices"

	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/forest"
)

// claimsKind is the kind of figure that shows claims with their answers.
const claimsKind = "claims"

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: claimsKind, Place: 8, Doc: "the answers to all claims of the spec, a line for each setting, in units of delta",
			Claims: true,
		},
		note: "Effect in units of delta [95% interval], right of 0 where the claim is right; of several settings the median. Then how many settings have each answer.",
		gather: func(run *record.Run, d *Data) error {
			verdicts, err := claims.Judge(run)
			if err == nil && len(verdicts) == 0 {
				err = errors.New("the experiment makes no claims")
			}
			d.Claims = forest.RowsOf(verdicts)
			return err
		},
		draw: func(d *Data) (*draw.Figure, Values, error) {
			page := &forest.Claims{Title: d.Figure.Title, Rows: d.Claims, Detail: d.Detail}
			f, err := page.Draw()
			return f, claimsValues(page), err
		},
	})
}

// ClaimsData is the data of a figure of verdicts, on the claims of one experiment or of
// many.
func ClaimsData(name, title string, verdicts []claims.Verdict, detail forest.Detail) *Data {
	return claimsData(name, title, forest.RowsOf(verdicts), detail)
}

func claimsData(name, title string, rows []forest.Row, detail forest.Detail) *Data {
	return &Data{Figure: record.Figure{Name: name, Kind: claimsKind, Title: title}, Claims: rows, Detail: detail}
}

// claimsValues is a table for each paper: a row for each claim with the median of its effects
// and how many settings have each answer, and below it a row for each setting that has a line.
func claimsValues(page *forest.Claims) (out Values) {
	for i, r := range page.Rows {
		if i == 0 || r.Paper != page.Rows[i-1].Paper {
			p := PanelValues{Title: r.Paper, Axis: "claim", Columns: []ValueColumn{{Label: "effect in deltas"}}}
			for _, answer := range claims.AtSettings {
				p.Columns = append(p.Columns, ValueColumn{Label: string(answer)})
			}
			out = append(out, p)
		}
		p := &out[len(out)-1]
		effect := stats.Interval{}
		if list := r.Known(); len(list) == 1 {
			effect = r.Effect(slices.IndexFunc(r.Mean, func(x *float64) bool { return x != nil }))
		} else if len(list) > 1 {
			effect = exactly(len(list), forest.Quantile(list, 0.5))
		}
		row := ValueRow{Name: r.Spec + ", " + r.Name + ": " + r.Outcome, Cells: []stats.Interval{effect}}
		for _, answer := range claims.AtSettings {
			row.Cells = append(row.Cells, exactly(len(r.Settings), float64(r.Count(answer))))
		}
		p.Rows = append(p.Rows, row)
		if len(r.Settings) == 1 || page.Collapsed(r) {
			continue
		}
		for j, s := range r.Settings {
			row := ValueRow{Name: r.Name + ", " + s.Label + ": " + string(s.Answer), Cells: make([]stats.Interval, len(p.Columns))}
			row.Cells[0] = r.Effect(j)
			p.Rows = append(p.Rows, row)
		}
	}
	return out
}

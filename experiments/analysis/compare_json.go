package analysis

import (
	"encoding/json"

	"modebench/metrics/stats"
)

// The documents of CompareJSON. What is not known is null.
type (
	compareDocument struct {
		Old       sideDocument  `json:"old"`
		New       sideDocument  `json:"new"`
		Statistic Statistic     `json:"statistic"`
		Alpha     float64       `json:"alpha"`
		Rows      []rowDocument `json:"rows"`
		OnlyOld   []string      `json:"only_old"`
		OnlyNew   []string      `json:"only_new"`
		LeftOut   []string      `json:"left_out"`
		Warnings  []string      `json:"warnings"`
	}
	sideDocument struct {
		Dir   string `json:"dir"`
		Spec  string `json:"spec"`
		Label string `json:"label"`
	}
	rowDocument struct {
		Variant     string           `json:"variant"`
		Metric      string           `json:"metric"`
		N           int              `json:"n"`
		Paired      bool             `json:"paired"`
		Old         valueDocument    `json:"old"`
		New         valueDocument    `json:"new"`
		Delta       intervalDocument `json:"delta"`
		Improvement intervalDocument `json:"improvement"`
		P           *float64         `json:"p"`
		Need        int              `json:"need"`
		Verdict     Verdict          `json:"verdict"`
		Detect      *detectDocument  `json:"detect,omitempty"`
	}
	valueDocument struct {
		Variant string `json:"variant"`
		N       int    `json:"n"`
		intervalDocument
	}
	intervalDocument struct {
		Mean *float64 `json:"mean"`
		Low  *float64 `json:"low"`
		High *float64 `json:"high"`
	}
	detectDocument struct {
		Difference float64  `json:"difference"`
		Deviation  *float64 `json:"deviation"`
		Seeds      *int     `json:"seeds"`
		Detectable *float64 `json:"detectable"`
	}
)

// CompareJSON is the comparison as one JSON document, and with a difference above
// 0 how many seeds show it of it. It has the fields
//
//	old, new    dir, spec, label ("" for all variants)
//	statistic   mean or iqm, which "mean" in the rows stands for
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
//	warnings    where the two sides are not measured alike
//
// Numbers that are not finite are null.
func CompareJSON(c *Comparison, difference float64) ([]byte, error) {
	doc := compareDocument{
		Old:       sideDocument{c.Old.Run.Dir, c.Old.Run.Spec, c.Old.Label},
		New:       sideDocument{c.New.Run.Dir, c.New.Run.Spec, c.New.Label},
		Statistic: c.Statistic, Alpha: stats.Alpha, Rows: []rowDocument{},
		OnlyOld: list(c.OnlyOld), OnlyNew: list(c.OnlyNew), LeftOut: list(c.LeftOut), Warnings: list(c.Warnings()),
	}
	for i := range c.Variants {
		v := &c.Variants[i]
		for j := range v.Metrics {
			m := &v.Metrics[j]
			row := rowDocument{
				Variant: v.Label(), Metric: m.Metric, N: m.N(), Paired: m.Paired,
				Old:   valueDocument{v.Old.Label, m.Old.N, bounds(m.Old)},
				New:   valueDocument{v.New.Label, m.New.N, bounds(m.New)},
				Delta: bounds(m.Delta), Improvement: bounds(m.Improvement),
				P: number(m.P), Need: m.Need, Verdict: m.Verdict,
			}
			if difference > 0 {
				p := m.plan(difference)
				row.Detect = &detectDocument{difference, number(p.Deviation), nil, number(p.Detectable)}
				if p.Seeds > 0 {
					row.Detect.Seeds = &p.Seeds
				}
			}
			doc.Rows = append(doc.Rows, row)
		}
	}
	data, err := json.MarshalIndent(doc, "", "  ")
	return append(data, '\n'), err
}

// list is never null in JSON.
func list(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
}

func bounds(i stats.Interval) intervalDocument {
	return intervalDocument{number(i.Mean), number(i.Low), number(i.High)}
}

func number(x float64) *float64 {
	if !finite(x) {
		return nil
	}
	return &x
}

package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/numbers"
)

// claimsKind is the kind of figure that shows claims with their verdicts.
const claimsKind = "claims"

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: claimsKind, Place: 8, Doc: "the verdicts on all claims of the spec",
			Claims: true,
		},
		note: "Effect [95% interval], a / b where a claim is about a multiple of b, and settings.",
		gather: func(run *record.Run, d *Data) error {
			verdicts, err := claims.Judge(run)
			if err == nil && len(verdicts) == 0 {
				err = errors.New("the experiment makes no claims")
			}
			d.Claims = claimRows(verdicts)
			return err
		},
		draw:   claimsFigure,
		values: claimsValues,
	})
}

// A ClaimRow is a claim with its verdict, or the part of one whose metrics have one unit. Its
// intervals are the effects at each setting, in that unit, or as a share of b.
type ClaimRow struct {
	Spec     string   `json:"spec"`
	Name     string   `json:"name"`
	Text     string   `json:"text"`
	Metrics  []string `json:"metrics"`
	Verdict  string   `json:"verdict"`         // one of stats.Answer
	Compares bool     `json:"compares"`        // effects are differences, and not values
	Ratio    bool     `json:"ratio,omitempty"` // effects are a / b: the gate is about a multiple of b
	Holds    int      `json:"holds"`           // settings where the gate holds
	Judged   int      `json:"judged"`          // settings with a verdict
	numbers.Intervals
}

// claimRows are verdicts as a figure shows them. A claim on metrics of several units is a row
// for each.
func claimRows(verdicts []claims.Verdict) []ClaimRow {
	var out []ClaimRow
	for _, v := range verdicts {
		var units []string
		for _, metric := range v.Claim.Metrics {
			if unit := effectUnit(metric); !slices.Contains(units, unit) {
				units = append(units, unit)
			}
		}
		for _, unit := range units {
			out = append(out, claimRow(v, unit, len(units) > 1))
		}
	}
	return out
}

// claimRow is the part of a claim whose metrics have some unit.
func claimRow(v claims.Verdict, unit string, several bool) ClaimRow {
	r := ClaimRow{
		Spec: v.Spec, Name: v.Claim.Name, Text: v.Claim.Text, Verdict: string(v.Answer),
		Compares: len(v.Claim.B) > 0, Ratio: v.Claim.Times != 0 || v.Claim.Of != "",
	}
	for _, metric := range v.Claim.Metrics {
		if effectUnit(metric) == unit {
			r.Metrics = append(r.Metrics, metric)
		}
	}
	if several {
		r.Text += ": " + strings.Join(r.Metrics, ", ")
	}
	var effects []stats.Interval
	for _, s := range v.Settings {
		if !slices.Contains(r.Metrics, s.Metric) {
			continue
		}
		effects = append(effects, shownEffect(s.Effect))
		if s.Answer != stats.Untestable {
			r.Judged++
		}
		if s.Answer == stats.Supported {
			r.Holds++
		}
	}
	r.Intervals = numbers.NewIntervals(effects, anySeeds)
	return r
}

// anySeeds is no number of seeds: with it every interval says over how many seeds it is.
const anySeeds = -1

// shownEffect is an effect as figures have it. Without an interval it has infinite bounds,
// and an undefined one is over no seeds.
func shownEffect(at stats.Interval) stats.Interval {
	if math.IsNaN(at.Mean) {
		return stats.Interval{}
	}
	at.N = max(at.N, 1) // a difference of two deviations is over none
	if math.IsNaN(at.Low) || math.IsNaN(at.High) {
		at.Low, at.High = math.Inf(-1), math.Inf(1)
	}
	return at
}

// ClaimsData is the data of a figure of verdicts, on the claims of one experiment or of
// many.
func ClaimsData(name, title string, verdicts []claims.Verdict) *Data {
	return claimsData(name, title, claimRows(verdicts))
}

func claimsData(name, title string, rows []ClaimRow) *Data {
	return &Data{Figure: record.Figure{Name: name, Kind: claimsKind, Title: title}, Claims: rows}
}

// verdict is the row's verdict with counts where settings disagree.
func (r ClaimRow) verdict() string {
	if 0 < r.Holds && r.Holds < r.Judged {
		return fmt.Sprintf("%s: %d of %d", r.Verdict, r.Holds, r.Judged)
	}
	return r.Verdict
}

// known are the effects that are measured, the least first.
func (r ClaimRow) known() []stats.Interval {
	var out []stats.Interval
	for i := range r.Mean {
		if at := r.At(i, 0); r.Mean[i] != nil {
			out = append(out, at)
		}
	}
	slices.SortStableFunc(out, func(a, b stats.Interval) int {
		switch {
		case a.Mean < b.Mean:
			return -1
		case a.Mean > b.Mean:
			return 1
		}
		return 0
	})
	return out
}

// claimsValues is the table: a row for each claim with the effect at the lower median of
// its settings, the settings where it holds and those that have a verdict.
func claimsValues(d *Data) (Values, error) {
	p := PanelValues{Axis: "claim", Columns: []ValueColumn{{Label: "effect"}, {Label: "holds at"}, {Label: "of settings with a verdict"}}}
	for _, r := range d.Claims {
		effect := stats.Interval{}
		if list := r.known(); len(list) > 0 {
			effect = list[(len(list)-1)/2]
		}
		p.Rows = append(p.Rows, ValueRow{
			Name:  r.Spec + ", " + r.Name + ": " + r.verdict(),
			Cells: []stats.Interval{effect, exactly(len(r.Mean), float64(r.Holds)), exactly(len(r.Mean), float64(r.Judged))},
		})
	}
	return Values{p}, nil
}

// check finds numbers of a claim that contradict each other.
func (r *ClaimRow) check() error {
	if err := r.Intervals.Check(len(r.Mean), math.MaxInt); err != nil {
		return err
	}
	if len(r.Metrics) == 0 {
		return errors.New("metrics: a claim is about some")
	}
	if r.Holds < 0 || r.Holds > r.Judged || r.Judged > len(r.Mean) {
		return fmt.Errorf("holds at %d of %d judged of %d settings", r.Holds, r.Judged, len(r.Mean))
	}
	return nil
}

package plots

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/forest"
	"modebench/plots/numbers"
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
			d.Claims = claimRows(verdicts)
			return err
		},
		draw:   claimsFigure,
		values: claimsValues,
	})
}

// A Detail is how much a figure of claims shows of them.
type Detail string

const (
	// FewSettings have a line each; a claim of more than fewSettings of them has one line.
	FewSettings Detail = ""
	// EverySetting has a line.
	EverySetting Detail = "settings"
	// EveryClaim has one line.
	EveryClaim Detail = "claims"
)

// fewSettings is how many settings of a claim still have a line each.
const fewSettings = 12

// details are what Detail may be.
var details = []Detail{FewSettings, EverySetting, EveryClaim}

// A ClaimRow is a claim with what the seeds say of it. Its intervals are the effects at each
// setting in units of delta, to the right of 0 where the claim is right.
type ClaimRow struct {
	Spec     string         `json:"spec"`
	Paper    string         `json:"paper"` // whose claim it is
	Name     string         `json:"name"`
	Text     string         `json:"text"`
	Metrics  []string       `json:"metrics"`
	Same     bool           `json:"same,omitempty"`  // the claim is right from -1 to 1
	Bound    bool           `json:"bound,omitempty"` // the claim names a bound, where 0 is then
	Times    float64        `json:"times,omitempty"` // of a ratio: the one that the claim names, 1 where it is about more or less
	Below    bool           `json:"below,omitempty"` // of a ratio: the claim is right below that
	Answer   stats.Answer   `json:"answer"`
	Outcome  string         `json:"outcome"` // the answer in words
	Form     EffectForm     `json:"form"`    // what effects are
	Settings []ClaimSetting `json:"settings"`
	numbers.Intervals
	Effects numbers.Intervals `json:"effects"` // in the unit of the metric
}

// A ClaimSetting is a claim at one setting.
type ClaimSetting struct {
	Label  string       `json:"label"` // what tells it from the claim's others
	Answer stats.Answer `json:"answer"`
	Reason string       `json:"reason,omitempty"` // why it is untestable, or has too few seeds
}

// An EffectForm is what the effects of a claim are.
type EffectForm string

const (
	formDifference EffectForm = "difference" // of a and b
	formRatio      EffectForm = "ratio"      // of a and b, or of their deviations
	formValue      EffectForm = "value"      // of a alone
)

// claimRows are verdicts as a figure shows them, paper by paper.
func claimRows(verdicts []claims.Verdict) []ClaimRow {
	papers := claims.Papers(verdicts)
	var out []ClaimRow
	for _, v := range verdicts {
		out = append(out, claimRow(v))
	}
	slices.SortStableFunc(out, func(a, b ClaimRow) int {
		return cmp.Compare(slices.Index(papers, a.Paper), slices.Index(papers, b.Paper))
	})
	return out
}

func claimRow(v claims.Verdict) ClaimRow {
	c := v.Claim
	r := ClaimRow{
		Spec: v.Spec, Paper: claims.Paper(c), Name: c.Name, Text: c.Text, Metrics: c.Metrics, Same: c.Says == string(stats.Same),
		Answer: v.Answer, Outcome: v.Outcome(), Form: formDifference,
	}
	switch {
	case len(c.B) == 0:
		r.Form = formValue
	case c.Times != 0 || c.Of != "":
		r.Form, r.Times, r.Below = formRatio, cmp.Or(c.Times, 1), c.Says == string(stats.Below)
	}
	r.Bound = !r.Same && (len(c.B) == 0 || c.By != 0 || c.Times != 0)
	var deltas, effects []stats.Interval
	for i, s := range v.Settings {
		r.Settings = append(r.Settings, ClaimSetting{Label: v.Label(i), Answer: s.Answer, Reason: s.Reason})
		deltas, effects = append(deltas, shownEffect(s.InDeltas(c))), append(effects, shownEffect(s.Effect))
	}
	r.Intervals, r.Effects = numbers.NewIntervals(deltas, anySeeds), numbers.NewIntervals(effects, anySeeds)
	return r
}

// anySeeds is no number of seeds: with it every interval says over how many seeds it is.
const anySeeds = -1

// shownEffect is an effect as figures have it. Without an interval it has infinite bounds,
// and an undefined one is over no seeds.
func shownEffect(at stats.Interval) stats.Interval {
	if math.IsNaN(at.Mean) || math.IsInf(at.Mean, 0) {
		return stats.Interval{}
	}
	at.N = max(at.N, 1)
	if math.IsNaN(at.Low) || math.IsNaN(at.High) {
		at.Low, at.High = math.Inf(-1), math.Inf(1)
	}
	return at
}

// ClaimsData is the data of a figure of verdicts, on the claims of one experiment or of
// many.
func ClaimsData(name, title string, verdicts []claims.Verdict, detail Detail) *Data {
	return claimsData(name, title, claimRows(verdicts), detail)
}

func claimsData(name, title string, rows []ClaimRow, detail Detail) *Data {
	return &Data{Figure: record.Figure{Name: name, Kind: claimsKind, Title: title}, Claims: rows, Detail: detail}
}

// collapsed says whether the claim has one line for all of its settings.
func (d *Data) collapsed(r ClaimRow) bool {
	switch n := len(r.Settings); {
	case n < 2 || d.Detail == EverySetting || len(d.Claims) == 1:
		return false
	case d.Detail == EveryClaim:
		return true
	default:
		return n > fewSettings
	}
}

// count is how many settings of the claim have that answer.
func (r ClaimRow) count(answer stats.Answer) int {
	n := 0
	for _, s := range r.Settings {
		if s.Answer == answer {
			n++
		}
	}
	return n
}

// known are the effects that are measured, in units of delta, the least first.
func (r ClaimRow) known() []float64 { return ascending(r.Mean) }

// ascending are the numbers that there are, the least first.
func ascending(means []*float64) []float64 {
	var out []float64
	for _, mean := range means {
		if mean != nil {
			out = append(out, *mean)
		}
	}
	slices.Sort(out)
	return out
}

// ratio says whether the claim is drawn on the axis of ratios: it says which one it names.
func (r ClaimRow) ratio() bool { return r.Form == formRatio && r.Times > 0 }

// drawn are the effects on the axis that the claim is drawn on.
func (r ClaimRow) drawn() *numbers.Intervals {
	if r.ratio() {
		return &r.Effects
	}
	return &r.Intervals
}

// claimsValues is a table for each paper: a row for each claim with the median of its effects
// and how many settings have each answer, and below it a row for each setting that has a line.
func claimsValues(d *Data) (Values, error) {
	var out Values
	for i, r := range d.Claims {
		if i == 0 || r.Paper != d.Claims[i-1].Paper {
			p := PanelValues{Title: r.Paper, Axis: "claim", Columns: []ValueColumn{{Label: "effect in deltas"}}}
			for _, answer := range claims.AtSettings {
				p.Columns = append(p.Columns, ValueColumn{Label: string(answer)})
			}
			out = append(out, p)
		}
		p := &out[len(out)-1]
		effect := stats.Interval{}
		if list := r.known(); len(list) == 1 {
			effect = r.effect(slices.IndexFunc(r.Mean, func(x *float64) bool { return x != nil }))
		} else if len(list) > 1 {
			effect = exactly(len(list), forest.Quantile(list, 0.5))
		}
		row := ValueRow{Name: r.Spec + ", " + r.Name + ": " + r.Outcome, Cells: []stats.Interval{effect}}
		for _, answer := range claims.AtSettings {
			row.Cells = append(row.Cells, exactly(len(r.Settings), float64(r.count(answer))))
		}
		p.Rows = append(p.Rows, row)
		if len(r.Settings) == 1 || d.collapsed(r) {
			continue
		}
		for j, s := range r.Settings {
			row := ValueRow{Name: r.Name + ", " + s.Label + ": " + string(s.Answer), Cells: make([]stats.Interval, len(p.Columns))}
			row.Cells[0] = r.effect(j)
			p.Rows = append(p.Rows, row)
		}
	}
	return out, nil
}

// effect is the effect at a setting in units of delta, over no seeds where it is not defined.
func (r ClaimRow) effect(i int) stats.Interval { return r.At(i, anySeeds) }

// check finds numbers of a claim that contradict each other.
func (r *ClaimRow) check() error {
	for _, s := range r.Settings {
		if !slices.Contains(claims.AtSettings, s.Answer) {
			return fmt.Errorf("settings: the answer %q, want one of %q", s.Answer, claims.AtSettings)
		}
	}
	switch {
	case !slices.Contains(claims.Answers, r.Answer):
		return fmt.Errorf("answer: got %q, want one of %q", r.Answer, claims.Answers)
	case len(r.Metrics) == 0:
		return errors.New("metrics: a claim is about some")
	case !slices.Contains([]EffectForm{formDifference, formRatio, formValue}, r.Form):
		return fmt.Errorf("form: got %q, want %s, %s or %s", r.Form, formDifference, formRatio, formValue)
	case r.Times < 0 || math.IsInf(r.Times, 0) || r.Form != formRatio && r.Times > 0:
		return fmt.Errorf("times: got %v of a %s, want a number above 0 of a ratio", r.Times, r.Form)
	}
	if err := r.Intervals.Check(len(r.Settings), math.MaxInt); err != nil {
		return err
	}
	if err := r.Effects.Check(len(r.Settings), math.MaxInt); err != nil {
		return fmt.Errorf("effects: %w", err)
	}
	return nil
}

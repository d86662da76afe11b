package forest

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"modebench/experiments/claims"
	"modebench/internal/each"
	"modebench/metrics/stats"
	"modebench/plots/numbers"
)

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

// The choices of Detail.
var Details = []Detail{FewSettings, EverySetting, EveryClaim}

// Claims is a figure of claims with their answers.
type Claims struct {
	Title  string
	Rows   []Row // paper by paper
	Detail Detail
}

// A Row is a claim with its answer. Its intervals are the effects at each
// setting in units of delta, to the right of 0 where the claim is right.
type Row struct {
	Spec     string       `json:"spec"`
	Paper    string       `json:"paper"` // whose claim it is
	Name     string       `json:"name"`
	Text     string       `json:"text"`
	Metrics  []string     `json:"metrics"`
	Same     bool         `json:"same,omitempty"`  // the claim is right from -1 to 1
	Bound    bool         `json:"bound,omitempty"` // the claim names a bound, where 0 is then
	Times    float64      `json:"times,omitempty"` // the ratio that the claim names, 1 if it is about more or less
	Below    bool         `json:"below,omitempty"` // of a ratio: the claim is right below that
	Answer   stats.Answer `json:"answer"`
	Outcome  string       `json:"outcome"` // the answer in words
	Form     EffectForm   `json:"form"`    // of its effects
	Settings []Setting    `json:"settings"`
	numbers.Intervals
	Effects numbers.Intervals `json:"effects"` // in the unit of the metric
}

// A Setting is a claim at one setting.
type Setting struct {
	Label  string       `json:"label"` // tells it from the claim's others
	Answer stats.Answer `json:"answer"`
	Reason string       `json:"reason,omitempty"` // why it is untestable, or has too few seeds
}

// An EffectForm is the form of a claim's effects: a difference, a ratio or a value.
type EffectForm string

const (
	FormDifference EffectForm = "difference" // of a and b
	FormRatio      EffectForm = "ratio"      // of a and b, or of their deviations
	FormValue      EffectForm = "value"      // of a alone
)

// RowsOf are verdicts as a figure shows them, paper by paper.
func RowsOf(verdicts []claims.Verdict) []Row {
	papers := claims.Papers(verdicts)
	out := each.Map(verdicts, claimRow)
	slices.SortStableFunc(out, func(a, b Row) int {
		return cmp.Compare(slices.Index(papers, a.Paper), slices.Index(papers, b.Paper))
	})
	return out
}

func claimRow(v claims.Verdict) Row {
	c := v.Claim
	r := Row{
		Spec: v.Spec, Paper: claims.Paper(c), Name: c.Name, Text: c.Text, Metrics: c.Metrics, Same: c.Says == string(stats.Same),
		Answer: v.Answer, Outcome: v.Outcome(), Form: FormDifference,
	}
	switch {
	case len(c.B) == 0:
		r.Form = FormValue
	case c.Times != 0 || c.Of != "":
		r.Form, r.Times, r.Below = FormRatio, cmp.Or(c.Times, 1), c.Says == string(stats.Below)
	}
	r.Bound = !r.Same && (len(c.B) == 0 || c.By != 0 || c.Times != 0)
	var deltas, effects []stats.Interval
	for i, s := range v.Settings {
		r.Settings = append(r.Settings, Setting{Label: v.Label(i), Answer: s.Answer, Reason: s.Reason})
		deltas, effects = append(deltas, shownEffect(s.InDeltas(c))), append(effects, shownEffect(s.Effect))
	}
	r.Intervals, r.Effects = numbers.NewIntervals(deltas, AnySeeds), numbers.NewIntervals(effects, AnySeeds)
	return r
}

// AnySeeds is no number of seeds: with it every interval has its own number.
const AnySeeds = -1

// shownEffect is an effect as figures have it. Without an interval it has infinite bounds,
// and an undefined one is over no seeds.
func shownEffect(effect stats.Interval) stats.Interval {
	if math.IsNaN(effect.Mean) || math.IsInf(effect.Mean, 0) {
		return stats.Interval{}
	}
	effect.N = max(effect.N, 1)
	if math.IsNaN(effect.Low) || math.IsNaN(effect.High) {
		effect.Low, effect.High = math.Inf(-1), math.Inf(1)
	}
	return effect
}

// Collapsed reports whether the claim has one line for all of its settings.
func (d *Claims) Collapsed(r Row) bool {
	switch n := len(r.Settings); {
	case n < 2 || d.Detail == EverySetting || len(d.Rows) == 1:
		return false
	case d.Detail == EveryClaim:
		return true
	default:
		return n > fewSettings
	}
}

// Count is how many settings of the claim have that answer.
func (r Row) Count(answer stats.Answer) int {
	return each.Count(r.Settings, func(s Setting) bool { return s.Answer == answer })
}

// Known are the effects that are measured, in units of delta, the least first.
func (r Row) Known() []float64 { return ascending(r.Mean) }

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

// ratio reports whether the claim is drawn on the axis of ratios: it names a ratio.
func (r Row) ratio() bool { return r.Form == FormRatio && r.Times > 0 }

func (r Row) drawn() *numbers.Intervals {
	if r.ratio() {
		return &r.Effects
	}
	return &r.Intervals
}

// Effect is the effect at a setting in units of delta, over no seeds if it is not defined.
func (r Row) Effect(i int) stats.Interval { return r.At(i, AnySeeds) }

// Check finds numbers of a claim that contradict each other.
func (r *Row) Check() error {
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
	case !slices.Contains([]EffectForm{FormDifference, FormRatio, FormValue}, r.Form):
		return fmt.Errorf("form: got %q, want %s, %s or %s", r.Form, FormDifference, FormRatio, FormValue)
	case r.Times < 0 || math.IsInf(r.Times, 0) || r.Form != FormRatio && r.Times > 0:
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

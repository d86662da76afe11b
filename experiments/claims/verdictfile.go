package claims

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/input"
	"modebench/internal/lined"
	"modebench/metrics/stats"
)

// A Document holds the answers to registered claims, short enough to be kept: numbers of 6
// significant digits, and no values of single seeds.
type Document struct {
	Version      int           `json:"version"`      // of this form: documentVersion
	Registration string        `json:"registration"` // its hash
	Spec         string        `json:"spec"`
	Policy       string        `json:"policy"`
	Seeds        Seeds         `json:"seeds"`
	Claims       []ClaimAnswer `json:"claims"`
	Settings     []AnswerAt    `json:"settings"` // of all claims
}

// A ClaimAnswer is a claim's answer as a document has it.
type ClaimAnswer struct {
	Claim  string       `json:"claim"`
	Answer stats.Answer `json:"answer"`
	P      ShortP       `json:"p"`               // of the claim by itself
	Paper  string       `json:"paper"`           // whose claims are corrected together
	Family int          `json:"of"`              // number of those claims
	Among  ShortP       `json:"p_among"`         // after that correction
	Needs  int          `json:"needs,omitempty"` // seeds, if undecided
	Null   stats.Answer `json:"null,omitempty"`  // to its null comparison, if it has one
	Shows  lined.Number `json:"shows,omitempty"` // effect that the seeds would have shown with 90% power, in deltas, if undecided
}

// An AnswerAt is the answer at one setting as a document has it. Intervals are mean, low, high.
type AnswerAt struct {
	Claim    string            `json:"claim"`
	Metric   string            `json:"metric"`
	A        string            `json:"a"`
	B        string            `json:"b,omitempty"`
	Axes     map[string]string `json:"axes,omitempty"`
	N        int               `json:"n"` // seeds
	Effect   [3]lined.Number   `json:"effect"`
	InDeltas [3]lined.Number   `json:"in_deltas"`
	P        ShortP            `json:"p"`
	Answer   stats.Answer      `json:"answer"`
	Reason   string            `json:"reason,omitempty"`
	LeftOut  string            `json:"left_out,omitempty"`
}

// ShortP are PValues as documents have them.
type ShortP struct {
	Supported    lined.Number `json:"supported"`
	Opposed      lined.Number `json:"opposed"`
	NoDifference lined.Number `json:"no_difference"`
}

func (p PValues) short() ShortP {
	return ShortP{lined.Round(p.Supported), lined.Round(p.Opposed), lined.Round(p.NoDifference)}
}

// documentVersion is that of the rule that gives the answers: the form has not changed.
const documentVersion = 2

// NewDocument is the document of a registered spec's verdicts. all are those that were judged
// together, of other specs too.
func NewDocument(r Registration, verdicts, all []Verdict) Document {
	doc := Document{Version: documentVersion, Registration: r.Hash, Spec: r.Spec, Policy: r.Policy, Seeds: r.Seeds}
	family := map[string]int{}
	for _, v := range all {
		if !math.IsNaN(v.P.Supported) { // some setting could decide
			family[Paper(v.Claim)]++
		}
	}
	for _, v := range verdicts {
		paper := Paper(v.Claim)
		c := ClaimAnswer{Claim: v.Claim.Name, Answer: v.Answer, P: v.P.short(), Paper: paper, Family: family[paper], Among: v.Among.short(), Needs: v.Needs}
		if v.Null != nil {
			c.Null = v.Null.Answer
		}
		if v.Answer == stats.Undecided {
			c.Shows = lined.Round(v.Shows())
		}
		doc.Claims = append(doc.Claims, c)
		for i := range v.Settings {
			doc.Settings = append(doc.Settings, v.Settings[i].document(v))
		}
	}
	return doc
}

func (s *Setting) document(v Verdict) AnswerAt {
	three := func(i stats.Interval) [3]lined.Number {
		return [3]lined.Number{lined.Round(i.Mean), lined.Round(i.Low), lined.Round(i.High)}
	}
	out := AnswerAt{
		Claim: v.Claim.Name, Metric: s.Metric, A: s.A, B: s.B, N: s.Effect.N, Answer: s.Answer, Reason: s.Reason, LeftOut: s.LeftOut,
		Effect: three(s.Effect), InDeltas: three(s.InDeltas(v.Claim)),
		P: pValues(s.Finding).short(),
	}
	for _, axis := range s.Axes {
		if out.Axes == nil {
			out.Axes = map[string]string{}
		}
		out.Axes[axis.Field] = axis.Value
	}
	return out
}

// Shows is the effect that the seeds of an undecided claim would have shown with 90% power, in
// units of delta, given their scatter: at the undecided setting that needs most seeds, or at
// the setting that needs fewest if the claim has to hold at any. It is NaN if it is unknown.
func (v *Verdict) Shows() float64 {
	list := v.testable()
	if v.Claim.Combine == pooled && len(list) > 0 {
		mean := v.mean(list)
		return stats.DetectableAnswer(stats.Deviation(mean), len(mean), 1)
	}
	shows := math.NaN()
	for _, s := range list {
		if s.Answer != stats.Undecided {
			continue
		}
		x := stats.DetectableAnswer(stats.Deviation(s.Contrast), len(s.Contrast), v.tests()) / s.unit(v.Claim)
		if math.IsNaN(shows) || (x > shows) != (v.Claim.Combine == anyOf) {
			shows = x
		}
	}
	return shows
}

// Missed describes in a line the effect that an undecided claim's seeds could have shown; ""
// for other answers.
func (v *Verdict) Missed() string {
	if v.Answer != stats.Undecided {
		return ""
	}
	return fmt.Sprintf("%s is undecided: %d seeds would have shown %s", v.Claim.Name, v.seeds(), effectInDeltas(v.Shows()))
}

// ReadDocument reads a file written by lined.Text. Errors name file and line.
func ReadDocument(path string) (Document, error) {
	var doc Document
	data, err := record.ReadFile(path)
	if err == nil {
		err = lined.Read(path, data, &doc, "b", "supported", "opposed", "no_difference", "effect", "in_deltas", "shows")
	}
	if err != nil {
		return doc, err
	}
	if doc.Version < 1 || doc.Version > documentVersion || !sums.MatchString(doc.Registration) {
		return doc, input.Errorf("%s:1: not the verdicts of registered claims, in version %d", path, documentVersion)
	}
	return doc, lined.Same(path, data, lined.Text(doc), "bench claims --format json")
}

// ReadKept reads the verdicts of a document of the registration in another file; no verdicts if it is
// of another kind of policy than the named; "": any.
func ReadKept(document, registration, policy string) ([]Verdict, error) {
	d, err := ReadDocument(document)
	if err != nil || policy != "" && d.Policy != policy {
		return nil, err
	}
	r, err := ReadRegistration(registration)
	if err != nil {
		return nil, err
	}
	verdicts, err := d.Verdicts(r)
	if err != nil {
		err = fmt.Errorf("%s: %w", document, err)
	}
	return verdicts, err
}

// Verdicts are those of a document, with the claims as they were registered. They have what tables
// and figures show of them, and no number of a single seed. A document of another registration is
// an error.
func (d Document) Verdicts(r Registration) ([]Verdict, error) {
	if d.Registration != r.Hash || d.Spec != r.Spec {
		return nil, input.Errorf("the verdicts are of %s, registration %.12s, and registered is %s, %.12s", d.Spec, d.Registration, r.Spec, r.Hash)
	}
	var out []Verdict
	for _, answer := range d.Claims {
		i := slices.IndexFunc(r.Claims, func(c RegisteredClaim) bool { return c.Name == answer.Claim })
		if i < 0 {
			return nil, input.Errorf("%s: the verdicts are of a claim %q, which is not registered", d.Spec, answer.Claim)
		}
		c := r.Claims[i]
		v := Verdict{Spec: d.Spec, Claim: c.Claim, P: answer.P.values(), Among: answer.Among.values(), Answer: answer.Answer, Needs: answer.Needs}
		for _, s := range d.Settings {
			if s.Claim != answer.Claim {
				continue
			}
			m := slices.Index(c.Metrics, s.Metric)
			if m < 0 {
				return nil, input.Errorf("%s: the claim %s is not about %q", d.Spec, s.Claim, s.Metric)
			}
			v.Settings = append(v.Settings, s.setting(c.Claim, c.Deltas[m]))
		}
		if list := v.testable(); v.Answer == stats.Untestable && len(list) > 0 { // taken back since it was registered
			v.Claim.Untestable = list[0].Reason
		}
		v.corrected()
		out = append(out, v)
	}
	return out, nil
}

func (p ShortP) values() PValues {
	return PValues{float64(p.Supported), float64(p.Opposed), float64(p.NoDifference)}
}

// setting is the answer at a setting as it was judged, without the numbers of seeds.
func (kept AnswerAt) setting(c record.Claim, delta float64) Setting {
	s := Setting{Metric: kept.Metric, A: kept.A, B: kept.B, Delta: delta, Answer: kept.Answer, Reason: kept.Reason, LeftOut: kept.LeftOut}
	for _, field := range slices.Sorted(maps.Keys(kept.Axes)) {
		s.Axes = append(s.Axes, record.Axis{Field: field, Value: kept.Axes[field]})
	}
	s.a.Name, s.b.Name = unplaced(kept.A, s.Axes), unplaced(kept.B, s.Axes)
	s.Effect = stats.Interval{N: kept.N, Mean: float64(kept.Effect[0]), Low: float64(kept.Effect[1]), High: float64(kept.Effect[2])}
	in, unit := kept.InDeltas, s.unit(c)
	s.Finding = stats.Finding{N: kept.N, Supported: float64(kept.P.Supported), Opposed: float64(kept.P.Opposed), NoDifference: float64(kept.P.NoDifference)}
	s.Finding.Effect = stats.Interval{N: kept.N, Mean: float64(in[0]) * unit, Low: float64(in[1]) * unit, High: float64(in[2]) * unit}
	if e := &s.Finding.Effect; c.Says == string(stats.Below) {
		e.Mean, e.Low, e.High = -e.Mean, -e.High, -e.Low
	}
	return s
}

// unplaced is a variant's label without the setting that both sides share.
func unplaced(label string, axes []record.Axis) string {
	for _, axis := range axes {
		label = strings.ReplaceAll(label+" ", " "+axesText([]record.Axis{axis})+" ", " ")
		label = strings.TrimSuffix(label, " ")
	}
	return label
}

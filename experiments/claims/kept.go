package claims

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/input"
	"modebench/metrics/stats"
)

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
	s := Setting{Metric: kept.Metric, A: kept.A, B: kept.B, Delta: delta, Answer: kept.Answer, Reason: kept.Reason}
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

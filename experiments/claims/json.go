package claims

import (
	"modebench/internal/table"
	"modebench/metrics/stats"
)

// JSON is verdicts as the list that bench claims --json prints, for encoding/json.
func JSON(verdicts []Verdict) []table.Object {
	interval := func(i stats.Interval) table.Object {
		return table.Object{{"mean", i.Mean}, {"low", i.Low}, {"high", i.High}, {"n", i.N}}
	}
	ps := func(supported, opposed, noDifference float64) table.Object {
		return table.Object{{"supported", supported}, {"opposed", opposed}, {"no_difference", noDifference}}
	}
	out := []table.Object{}
	for _, v := range verdicts {
		var settings []table.Object
		for _, s := range v.Settings {
			axes := map[string]string{}
			for _, a := range s.Axes {
				axes[a.Field] = a.Value
			}
			settings = append(settings, table.Object{
				{"metric", s.Metric}, {"a", s.A}, {"b", s.B}, {"axes", axes}, {"effect", interval(s.Effect)}, {"in_deltas", interval(s.InDeltas(v.Claim))},
				{"p", ps(s.Finding.Supported, s.Finding.Opposed, s.Finding.NoDifference)}, {"answer", s.Answer}, {"reason", s.Reason}, {"needs", s.Needs},
			}.Without("b", "reason", "needs"))
		}
		out = append(out, table.Object{
			{"spec", v.Spec}, {"claim", v.Claim.Name}, {"text", v.Claim.Text}, {"source", v.Claim.Source}, {"paper", v.Claim.Paper},
			{"metrics", v.Claim.Metrics}, {"says", Sentence(v.Claim)}, {"answer", v.Answer},
			{"p", ps(v.Among.Supported, v.Among.Opposed, v.Among.NoDifference)}, {"needs", v.Needs}, {"settings", settings},
		}.Without("needs"))
	}
	return out
}

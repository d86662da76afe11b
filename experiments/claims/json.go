package claims

import (
	"math"

	"modebench/metrics/stats"
)

type claimJSON struct {
	Spec     string        `json:"spec"`
	Claim    string        `json:"claim"`
	Text     string        `json:"text"`
	Source   string        `json:"source"`
	Paper    string        `json:"paper"`
	Metrics  []string      `json:"metrics"`
	Says     string        `json:"says"`
	Answer   stats.Answer  `json:"answer"`
	P        pJSON         `json:"p"`
	Needs    int           `json:"needs,omitempty"`
	Settings []settingJSON `json:"settings"`
}

type settingJSON struct {
	Metric string            `json:"metric"`
	A      string            `json:"a"`
	B      string            `json:"b,omitempty"`
	Axes   map[string]string `json:"axes"`
	Effect effectJSON        `json:"effect"`
	Deltas effectJSON        `json:"in_deltas"`
	P      pJSON             `json:"p"`
	Answer stats.Answer      `json:"answer"`
	Reason string            `json:"reason,omitempty"`
	Needs  int               `json:"needs,omitempty"`
}

type effectJSON struct {
	Mean *float64 `json:"mean"`
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
	N    int      `json:"n"`
}

// pJSON are p values, null where there is none.
type pJSON struct {
	Supported    *float64 `json:"supported"`
	Opposed      *float64 `json:"opposed"`
	NoDifference *float64 `json:"no_difference"`
}

// JSON is verdicts as the list that bench claims --json prints, for encoding/json. What is not
// finite is null.
func JSON(verdicts []Verdict) any {
	finite := func(x float64) *float64 {
		if math.Abs(x) <= math.MaxFloat64 {
			return &x
		}
		return nil
	}
	interval := func(i stats.Interval) effectJSON {
		return effectJSON{finite(i.Mean), finite(i.Low), finite(i.High), i.N}
	}
	ps := func(p PValues) pJSON {
		return pJSON{finite(p.Supported), finite(p.Opposed), finite(p.NoDifference)}
	}
	out := []claimJSON{}
	for _, v := range verdicts {
		c := claimJSON{
			Spec: v.Spec, Claim: v.Claim.Name, Text: v.Claim.Text, Source: v.Claim.Source, Paper: v.Claim.Paper,
			Metrics: v.Claim.Metrics, Says: Says(v.Claim), Answer: v.Answer, P: ps(v.Among), Needs: v.Needs,
		}
		for _, s := range v.Settings {
			axes := map[string]string{}
			for _, a := range s.Axes {
				axes[a.Field] = a.Value
			}
			c.Settings = append(c.Settings, settingJSON{
				Metric: s.Metric, A: s.A, B: s.B, Axes: axes, Answer: s.Answer, Reason: s.Reason, Needs: s.Needs,
				Effect: interval(s.Effect), Deltas: interval(s.InDeltas(v.Claim)),
				P: ps(PValues{Supported: s.Finding.Supported, Opposed: s.Finding.Opposed, NoDifference: s.Finding.NoDifference}),
			})
		}
		out = append(out, c)
	}
	return out
}

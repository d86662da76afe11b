package report

import (
	"strings"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/metrics/stats"
)

// claim is a claim as the page shows it.
type claim struct {
	ID, Class, Mark, Verdict string
	Name, Text, Source       string
	Paper, Metrics, Effect   string
	Says, First              string   // its question, and the gate that was written first
	Axes                     []string // heads of the settings' columns
	Compares                 bool     // a with b
	Rows                     []settingRow
	All                      *forest // all settings on one line; nil where each is in sight
	Open                     bool    // the settings are in sight at once
}

// settingsInSight is how many settings of a claim a page shows without being asked.
const settingsInSight = 6

type settingRow struct {
	Metric, A, B   string
	Axes           []string
	ValueA, ValueB string
	Effect         string
	Answer         string
	Class, Mark    string
	Forest         *forest
}

// marks tell answers apart without colour: a sign beside the word.
var marks = map[stats.Answer]struct{ class, mark string }{
	stats.Supported:    {"good", "✓"},
	stats.Opposed:      {"bad", "✕"},
	stats.NoDifference: {"part", "="},
	stats.Mixed:        {"part", "±"},
	stats.Undecided:    {"none", "?"},
	stats.Untestable:   {"none", "–"},
}

func newClaims(id string, claims []Claim, places []int) []claim {
	var out []claim
	for i, c := range claims {
		m := marks[c.Answer]
		shown := claim{
			ID: numbered(id+"-claim", places, i), Class: m.class, Mark: m.mark, Verdict: c.Outcome,
			Name: c.Name, Text: c.Text, Source: c.Source, Paper: c.Paper, Metrics: strings.Join(c.Metrics, ", "),
			Effect: c.Effect, Says: c.Says, First: c.Gate, Compares: len(c.B) > 0,
		}
		if shown.Open = len(c.Settings) <= settingsInSight; !shown.Open {
			shown.All = allForest(c.Settings)
		}
		shown.Axes = axesOf(c.Settings)
		for _, s := range c.Settings {
			shown.Rows = append(shown.Rows, newSettingRow(c, s, shown.Axes))
		}
		out = append(out, shown)
	}
	return out
}

func axesOf(settings []Setting) []string {
	var out []string
	for _, s := range settings {
		for _, a := range s.Axes {
			out = append(out, a.Field)
		}
	}
	return each.Distinct(out)
}

func newSettingRow(c Claim, s Setting, axes []string) settingRow {
	row := settingRow{
		Metric: s.Metric, A: s.A, B: s.B, ValueA: both(s.ValueA), Effect: effect(s.Effect, len(c.B) > 0),
		Answer: s.Outcome, Class: marks[s.Answer].class, Mark: marks[s.Answer].mark, Forest: newForest(s),
	}
	if s.B != "" {
		row.ValueB = both(s.ValueB)
	}
	for _, field := range axes {
		row.Axes = append(row.Axes, axisValue(s.Axes, field))
	}
	return row
}

func axisValue(axes []record.Axis, field string) string {
	for _, a := range axes {
		if a.Field == field {
			return a.Value
		}
	}
	return "–"
}

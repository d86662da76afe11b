package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/experiments/record"
)

// claim is a claim as the page shows it.
type claim struct {
	ID, Class, Mark, Verdict string
	Name, Text, Source       string
	Paper, Metrics, Effect   string
	Gate                     string
	Axes                     []string // heads of the settings' columns
	Compares                 bool     // a with b
	Rows                     []settingRow
}

type settingRow struct {
	Metric, A, B   string
	Axes           []string
	ValueA, ValueB string
	Effect         string
	Holds, Class   string
}

// marks tell verdicts apart without colour: a sign beside the word.
var marks = map[string]struct{ class, mark string }{
	"reproduced":     {"good", "✓"},
	"in part":        {"part", "◐"},
	"not reproduced": {"bad", "✕"},
}

func newClaims(id string, claims []Claim) []claim {
	var out []claim
	for i, c := range claims {
		m, known := marks[c.Verdict]
		if !known {
			m.class, m.mark = "none", "–"
		}
		shown := claim{
			ID: fmt.Sprintf("%s-claim%d", id, i+1), Class: m.class, Mark: m.mark, Verdict: verdictText(c),
			Name: c.Name, Text: c.Text, Source: c.Source, Paper: c.Paper, Metrics: strings.Join(c.Metrics, ", "),
			Effect: effectText(c), Gate: c.Gate, Compares: len(c.B) > 0,
		}
		shown.Axes = axesOf(c.Settings)
		for _, s := range c.Settings {
			shown.Rows = append(shown.Rows, newSettingRow(c, s, shown.Axes))
		}
		out = append(out, shown)
	}
	return out
}

// verdictText is the verdict, with counts where settings disagree or some have none.
func verdictText(c Claim) string {
	text := c.Verdict
	if 0 < c.Holds && c.Holds < c.Judged {
		text += fmt.Sprintf(": %d of %d", c.Holds, c.Judged)
	}
	if without := len(c.Settings) - c.Judged; without > 0 && c.Judged > 0 {
		text += fmt.Sprintf(" (%d without a verdict)", without)
	}
	return text
}

// effectText is the effect at the one setting, or the least and the largest of several.
func effectText(c Claim) string {
	signed := len(c.B) > 0
	known := slices.DeleteFunc(slices.Clone(c.Settings), func(s Setting) bool { return math.IsNaN(s.Effect.Mean) })
	if len(known) == 0 {
		return "n/a"
	}
	if len(c.Settings) == 1 {
		return effect(known[0].Effect, signed)
	}
	byMean := func(a, b Setting) int {
		if a.Effect.Mean < b.Effect.Mean {
			return -1
		}
		return 1
	}
	least, most := slices.MinFunc(known, byMean).Effect, slices.MaxFunc(known, byMean).Effect
	unit := ""
	if math.IsNaN(least.Low) {
		unit = "sd "
	}
	format := "%s%.3g to %.3g over %d settings"
	if signed {
		format = "%s%+.3g to %+.3g over %d settings"
	}
	return fmt.Sprintf(format, unit, least.Mean, most.Mean, len(c.Settings))
}

// axesOf lists the fields that the settings of a claim have.
func axesOf(settings []Setting) []string {
	var out []string
	for _, s := range settings {
		for _, a := range s.Axes {
			if !slices.Contains(out, a.Field) {
				out = append(out, a.Field)
			}
		}
	}
	return out
}

func newSettingRow(c Claim, s Setting, axes []string) settingRow {
	row := settingRow{
		Metric: s.Metric, A: s.A, B: s.B, ValueA: both(s.ValueA), Effect: effect(s.Effect, len(c.B) > 0),
		Holds: "does not hold", Class: "bad",
	}
	if s.B != "" {
		row.ValueB = both(s.ValueB)
	}
	switch {
	case s.Reason != "":
		row.Holds, row.Class = s.Reason, "none"
	case s.Holds:
		row.Holds, row.Class = "holds", "good"
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

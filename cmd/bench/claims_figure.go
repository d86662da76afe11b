package main

import (
	"math"
	"path/filepath"
	"slices"
	"strings"

	"modebench/experiments/analysis"
	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots"
)

// Verdicts are the runner's, which the package that draws does not know.
func init() {
	plots.JudgeClaims(func(run *record.Run) ([]plots.ClaimRow, error) {
		verdicts, err := analysis.Verdicts(run)
		return claimRows(verdicts), err
	})
}

// claimRows are verdicts as a figure shows them.
func claimRows(verdicts []analysis.ClaimVerdict) []plots.ClaimRow {
	var out []plots.ClaimRow
	for _, v := range verdicts {
		row := plots.ClaimRow{
			Spec: v.Spec, Name: v.Claim.Name, Text: v.Claim.Text, Metrics: v.Claim.Metrics, Verdict: string(v.Verdict),
			Compares: len(v.Claim.B) > 0, Holds: v.Holds, Judged: v.Judged,
		}
		for _, s := range v.Settings {
			row.Effects = append(row.Effects, shownEffect(s.Effect))
		}
		out = append(out, row)
	}
	return out
}

// shownEffect is an effect that has infinite bounds where it has none, and is of no seeds
// where it is undefined.
func shownEffect(at stats.Interval) stats.Interval {
	if math.IsNaN(at.Mean) {
		return stats.Interval{}
	}
	at.N = max(at.N, 1) // that of two deviations is over none
	if math.IsNaN(at.Low) || math.IsNaN(at.High) {
		at.Low, at.High = math.Inf(-1), math.Inf(1)
	}
	return at
}

// checkClaimsFile checks what --figure was given.
func checkClaimsFile(path string) error {
	known := append(slices.Clone(figureFormats), dataFormat)
	if format, name := formatOf(path); path != "" && (!slices.Contains(known, format) || name == "") {
		return usagef("--figure %q, want a file that ends in .%s", path, strings.Join(known, ", ."))
	}
	if format, name := formatOf(path); format == dataFormat && !plots.IsFigureName(name) {
		return usagef("--figure %q, want letters, digits, '.', '_' and '-' in the name of a .%s file", path, dataFormat)
	}
	return nil
}

// formatOf is the format of a figure's file and its name without it.
func formatOf(path string) (format, name string) {
	ext := filepath.Ext(path)
	return strings.ToLower(strings.TrimPrefix(ext, ".")), strings.TrimSuffix(filepath.Base(path), ext)
}

// drawClaims draws verdicts into a file.
func drawClaims(path string, verdicts []analysis.ClaimVerdict) error {
	format, name := formatOf(path)
	data := plots.ClaimsData(name, "Which claims reproduce", claimRows(verdicts))
	if format == dataFormat {
		return saveData(data, path)
	}
	picture, err := data.Draw()
	if err != nil {
		return err
	}
	return picture.Save(path)
}

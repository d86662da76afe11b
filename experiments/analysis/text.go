package analysis

import (
	"slices"
	"strings"

	"modebench/internal/table"
	"modebench/metrics/stats"
)

// Indent indents each line by two spaces.
func Indent(text string) string {
	lines := slices.Collect(strings.Lines(text))
	return "  " + strings.Join(lines, "  ")
}

// IntervalText writes a mean with its interval, "n/a" if it is not defined.
func IntervalText(i stats.Interval) string {
	return table.Digits{Decimals: 3, Missing: "n/a"}.Interval(i.Mean, i.Low, i.High)
}

package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"modebench/metrics/stats"
)

// alignColumns pads cells to columns, two spaces apart.
func alignColumns(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for j, cell := range row {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for j, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell)+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

func indent(text string) string {
	lines := slices.Collect(strings.Lines(text))
	return "  " + strings.Join(lines, "  ")
}

// intervalText writes an interval with as many decimals as its width warrants.
func intervalText(i stats.Interval) string {
	if math.IsNaN(i.Mean) {
		return "n/a"
	}
	width := i.High - i.Low
	if math.IsInf(width, 0) || math.IsNaN(width) {
		return fmt.Sprintf("%.3f", i.Mean)
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f]", i.Mean, i.Low, i.High)
}

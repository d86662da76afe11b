package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"modebench/internal/visible"
	"modebench/metrics/stats"
)

// AlignColumns pads cells to columns, two spaces apart.
func AlignColumns(rows [][]string) string {
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

func Indent(text string) string {
	lines := slices.Collect(strings.Lines(text))
	return "  " + strings.Join(lines, "  ")
}

// MarkdownText is a text as Markdown shows it in a cell of a table: what would end the cell,
// be code or a link, or be taken for HTML is escaped.
func MarkdownText(text string) string { return markdownEscapes.Replace(visible.Text(text)) }

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "](", `]\(`, "&", "&amp;", "<", "&lt;")

// IntervalText writes an interval with as many decimals as its width warrants.
func IntervalText(i stats.Interval) string {
	if math.IsNaN(i.Mean) {
		return "n/a"
	}
	width := i.High - i.Low
	if math.IsInf(width, 0) || math.IsNaN(width) {
		return fmt.Sprintf("%.3f", i.Mean)
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f]", i.Mean, i.Low, i.High)
}

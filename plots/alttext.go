package plots

import (
	"fmt"
	"strings"

	"modebench/plots/sheets"
)

// The text for a reader who does not see a figure has at most this many panels, and numbers of a
// row. The table beside a figure has all numbers.
const (
	textPanels = 4
	textCells  = 4
)

// altText describes a figure for screen readers: its kind, and for each panel its axes, its lines
// with their last values, or its rows with their numbers.
func altText(kind string, values Values) string {
	doc, _, _ := strings.Cut(kinds[kind].Doc, ", metrics =")
	parts := []string{fmt.Sprintf("A figure of the kind %s: %s.", kind, strings.TrimSuffix(doc, "."))}
	for i, p := range values {
		if i == textPanels {
			parts = append(parts, fmt.Sprintf("There are %d panels more.", len(values)-i))
			break
		}
		if len(p.Rows) > 0 {
			parts = append(parts, p.altText())
		}
	}
	return strings.Join(parts, " ")
}

func (p *PanelValues) altText() string {
	head := strings.TrimPrefix(p.Title+", ", ", ") + "by " + p.Axis
	rows := p.Rows
	last := rows[len(rows)-1]
	if p.High > p.Low {
		return sheets.Capital(fmt.Sprintf("%s, at %s: %s.", head, last.Name, sheets.List(len(p.Columns), sheets.ListItems, func(i int) string {
			return p.Columns[i].Label + " " + sheets.Number(last.Cells[i])
		})))
	}
	if len(rows) > 2 && last.X > rows[0].X {
		rows = []ValueRow{rows[0], last} // of steps or places: the first and the last
	}
	return sheets.Capital(fmt.Sprintf("%s: %s.", head, sheets.List(len(rows), sheets.ListItems, func(i int) string {
		r := rows[i]
		return r.Name + " (" + sheets.List(len(r.Cells), textCells, func(j int) string {
			return strings.TrimSpace(p.Columns[j].Label + " " + sheets.Number(r.Cells[j]))
		}) + ")"
	})))
}

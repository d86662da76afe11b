package plots

import (
	"fmt"
	"strings"

	"modebench/plots/sheets"
)

// The text for a reader who does not see a figure has at most this many panels, and numbers of a
// row. The table beside a figure has all numbers.
const (
	toldPanels = 4
	toldCells  = 4
)

// seen is what is to be seen in a figure: what it shows, and for each panel its axes, its lines
// with where they end, or its rows with their numbers.
func seen(kind string, values Values) string {
	what, _, _ := strings.Cut(kinds[kind].Doc, ", metrics =")
	parts := []string{fmt.Sprintf("A figure of the kind %s: %s.", kind, strings.TrimSuffix(what, "."))}
	for i, p := range values {
		if i == toldPanels {
			parts = append(parts, fmt.Sprintf("There are %d panels more.", len(values)-i))
			break
		}
		if len(p.Rows) > 0 {
			parts = append(parts, p.seen())
		}
	}
	return strings.Join(parts, " ")
}

// seen is what is to be seen in a panel.
func (p *PanelValues) seen() string {
	title := p.Title
	if title != "" {
		title += ", "
	}
	if p.High > p.Low {
		last := p.Rows[len(p.Rows)-1]
		return sheets.Capital(fmt.Sprintf("%sby %s, at %s: %s.", title, p.Axis, last.Name, sheets.List(len(p.Columns), sheets.ListItems, func(i int) string {
			return p.Columns[i].Label + " " + sheets.Number(last.Cells[i])
		})))
	}
	rows := p.Rows
	if len(rows) > 2 && rows[len(rows)-1].X > rows[0].X {
		rows = []ValueRow{rows[0], rows[len(rows)-1]} // of steps or places: where it begins, and where it ends
	}
	return sheets.Capital(fmt.Sprintf("%sby %s: %s.", title, p.Axis, sheets.List(len(rows), sheets.ListItems, func(i int) string {
		r := rows[i]
		return r.Name + " (" + sheets.List(len(r.Cells), toldCells, func(j int) string {
			return strings.TrimSpace(p.Columns[j].Label + " " + sheets.Number(r.Cells[j]))
		}) + ")"
	})))
}

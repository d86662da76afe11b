package plots

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"modebench/metrics/stats"
)

// What a reader who does not see a figure is told of it at most: panels, lines or rows of each,
// and numbers of a row. The table beside a figure has all numbers.
const (
	toldPanels = 4
	toldItems  = 10
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
		return capital(fmt.Sprintf("%sby %s, at %s: %s.", title, p.Axis, last.Name, told(len(p.Columns), toldItems, func(i int) string {
			return p.Columns[i].Label + " " + toldNumber(last.Cells[i])
		})))
	}
	rows := p.Rows
	if len(rows) > 2 && rows[len(rows)-1].X > rows[0].X {
		rows = []ValueRow{rows[0], rows[len(rows)-1]} // of steps or places: where it begins, and where it ends
	}
	return capital(fmt.Sprintf("%sby %s: %s.", title, p.Axis, told(len(rows), toldItems, func(i int) string {
		r := rows[i]
		return r.Name + " (" + told(len(r.Cells), toldCells, func(j int) string {
			return strings.TrimSpace(p.Columns[j].Label + " " + toldNumber(r.Cells[j]))
		}) + ")"
	})))
}

// told lists n things, at most so many of them, and how many there are more.
func told(n, most int, text func(i int) string) string {
	var parts []string
	for i := range min(n, most) {
		parts = append(parts, text(i))
	}
	if n > most {
		parts = append(parts, fmt.Sprintf("and %d more", n-most))
	}
	return strings.Join(parts, ", ")
}

// toldNumber is a mean in three digits.
func toldNumber(at stats.Interval) string {
	if at.N == 0 || math.IsNaN(at.Mean) {
		return "not measured"
	}
	return strconv.FormatFloat(at.Mean, 'g', 3, 64)
}

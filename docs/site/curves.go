package main

import (
	"fmt"
	"html"
	"math"
	"strings"

	"modebench/experiments/board"
)

// The size of a panel of curves, and of the room for labels beside it, in points.
const (
	panelWidth, panelHeight            = 150, 110
	panelLeft, panelAbove, panelBelow  = 24, 20, 22
	panelsInARow, panelRight, labelGap = 4, 10, 5
)

// curves draws the traces of a method beside GRPO's, a panel for each task with tables, as SVG with
// the page's colours; "": the method has no trace.
func (s *site) curves(name string) string {
	var b strings.Builder
	n := 0
	for _, r := range s.facts.boards["tabular"] {
		curve, usual := trace(r, name), trace(r, board.Reference)
		if curve == "" {
			continue
		}
		x := n%panelsInARow*(panelLeft+panelWidth+panelRight) + panelLeft
		y := n/panelsInARow*(panelAbove+panelHeight+panelBelow) + panelAbove
		n++
		fmt.Fprintf(&b, `<g transform="translate(%d %d)">`, x, y)
		for _, l := range panelLabels(r.Task) {
			turn := ""
			if l.up {
				turn = fmt.Sprintf(` transform="rotate(-90 %d %d)"`, l.x, l.y)
			}
			fmt.Fprintf(&b, `<text text-anchor="%s" x="%d" y="%d"%s>%s</text>`, l.anchor, l.x, l.y, turn, html.EscapeString(l.text))
		}
		fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="none" stroke="currentColor" opacity="0.3"/>`, panelWidth, panelHeight)
		fmt.Fprintf(&b, `<polyline fill="none" stroke="currentColor" stroke-width="1.2" opacity="0.6" points="%s"/>`, usual)
		fmt.Fprintf(&b, `<polyline fill="none" style="stroke: var(--md-typeset-a-color)" stroke-width="2.5" points="%s"/></g>`+"\n", curve)
	}
	if n == 0 {
		return ""
	}
	rows := (n + panelsInARow - 1) / panelsInARow
	return fmt.Sprintf("<div class=\"curves\" tabindex=\"0\" data-search-exclude><svg role=\"img\" aria-label=\"Accuracy and diversity of %s and of GRPO on %d tasks\" width=\"%d\" height=\"%d\" fill=\"currentColor\" font-size=\"12\">\n%s</svg></div>\n",
		html.EscapeString(name), n, panelsInARow*(panelLeft+panelWidth+panelRight), rows*(panelAbove+panelHeight+panelBelow), b.String())
}

// A label is a word beside a panel; up: it reads upwards.
type label struct {
	x, y         int
	anchor, text string // anchor is that of SVG: start, middle or end
	up           bool
}

// panelLabels name a panel and its axes, with the ends of their scales. They lie outside of the
// frame, since curves come anywhere inside.
func panelLabels(task string) []label {
	const below = panelHeight + labelGap + 10
	return []label{
		{0, -labelGap, "start", task, false},
		{0, below, "start", "0", false},
		{panelWidth / 2, below, "middle", "accuracy", false},
		{panelWidth, below, "end", "1", false},
		{-labelGap, panelHeight, "start", "0", true},
		{-labelGap, panelHeight / 2, "middle", "diversity", true},
		{-labelGap, 0, "end", "1", true},
	}
}

// trace is a method's trace on a task as points of a panel; "": it has none.
func trace(r *board.Result, method string) string {
	e := r.Tuned(method)
	if e == nil {
		return ""
	}
	var points []string
	for _, p := range e.Trace {
		x, y := float64(p[1]), float64(p[2])
		if math.IsNaN(x) || math.IsNaN(y) {
			continue
		}
		points = append(points, fmt.Sprintf("%.1f,%.1f", panelWidth*min(max(x, 0), 1), panelHeight*(1-min(max(y, 0), 1))))
	}
	return strings.Join(points, " ")
}

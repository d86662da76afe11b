package main

import (
	"fmt"
	"math"
	"strings"

	"modebench/experiments/board"
)

// The size of a panel of curves, and of the room for labels beside it, in points.
const (
	panelWidth, panelHeight              = 150, 110
	panelLeft, panelAbove, panelBelow    = 24, 20, 22
	panelsInARow, panelRight, labelApart = 4, 10, 5
)

// curves draws the traces of a method beside GRPO's, a panel for each task with tables.
func (s *site) curves(name string) string {
	var b strings.Builder
	n := 0
	for _, r := range s.facts.boards["tabular"] {
		own, usual := trace(r, name), trace(r, board.Reference)
		if own == "" {
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
			fmt.Fprintf(&b, `<text class="%s" x="%d" y="%d"%s>%s</text>`, l.anchor, l.x, l.y, turn, escape(l.text))
		}
		fmt.Fprintf(&b, `<rect width="%d" height="%d"/><polyline class="usual" points="%s"/><polyline class="own" points="%s"/></g>`+"\n", panelWidth, panelHeight, usual, own)
	}
	if n == 0 {
		return ""
	}
	rows := (n + panelsInARow - 1) / panelsInARow
	return fmt.Sprintf("<div class=\"scroll\" tabindex=\"0\"><svg class=\"curves\" role=\"img\" aria-label=\"Accuracy and diversity of %s and of GRPO on %d tasks\" width=\"%d\" height=\"%d\">\n%s</svg></div>\n",
		escape(name), n, panelsInARow*(panelLeft+panelWidth+panelRight), rows*(panelAbove+panelHeight+panelBelow), b.String())
}

// A label is a word beside a panel; up: it reads upwards.
type label struct {
	x, y         int
	anchor, text string // anchor is a class of the style: start, middle or end
	up           bool
}

// panelLabels name a panel and its axes, with the ends of their scales. They stand outside of the
// frame, since curves come anywhere inside.
func panelLabels(task string) []label {
	const below = panelHeight + labelApart + 10
	return []label{
		{0, -labelApart, "start", task, false},
		{0, below, "start", "0", false},
		{panelWidth / 2, below, "middle", "accuracy", false},
		{panelWidth, below, "end", "1", false},
		{-labelApart, panelHeight, "start", "0", true},
		{-labelApart, panelHeight / 2, "middle", "diversity", true},
		{-labelApart, 0, "end", "1", true},
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

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
	panelWidth, panelHeight           = 150, 110
	panelLeft, panelAbove, panelBelow = 24, 20, 22
	panelsInARow, panelRight          = 4, 10
)

// curves draws the traces of a method beside GRPO's, a panel for each task with tables, as SVG with
// the page's colours; "": the method has no trace.
func (s *site) curves(name string) string {
	var b strings.Builder
	n := 0
	for _, r := range s.facts.boards["tabular"].Results {
		curve, usual := trace(r, name), trace(r, board.Reference)
		if curve == "" {
			continue
		}
		x := n%panelsInARow*(panelLeft+panelWidth+panelRight) + panelLeft
		y := n/panelsInARow*(panelAbove+panelHeight+panelBelow) + panelAbove
		n++
		fmt.Fprintf(&b, `<g transform="translate(%d %d)">`, x, y)
		fmt.Fprintf(&b, `<text y="-5">%s</text>`, html.EscapeString(r.Task))
		axis(&b, "accuracy", panelWidth, fmt.Sprintf("translate(0 %d)", panelHeight+15))
		axis(&b, "diversity", panelHeight, fmt.Sprintf("translate(-5 %d) rotate(-90)", panelHeight))
		fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="none" stroke="currentColor" opacity="0.3"/>`, panelWidth, panelHeight)
		fmt.Fprintf(&b, `<polyline fill="none" stroke="currentColor" stroke-width="1.2" opacity="0.6" points="%s"/>`, usual)
		fmt.Fprintf(&b, `<polyline fill="none" style="stroke: var(--md-typeset-a-color)" stroke-width="2.5" points="%s"/></g>`+"\n", curve)
	}
	if n == 0 {
		return ""
	}
	rows := (n + panelsInARow - 1) / panelsInARow
	return fmt.Sprintf("<div class=\"curves\" tabindex=\"0\" data-search-exclude><svg role=\"img\" aria-label=\"Accuracy and diversity of %s and of GRPO on %d tasks\" width=\"%[3]d\" height=\"%[4]d\" viewBox=\"0 0 %[3]d %[4]d\" fill=\"currentColor\" font-size=\"12\">\n%s</svg></div>\n",
		html.EscapeString(name), n, panelsInARow*(panelLeft+panelWidth+panelRight), rows*(panelAbove+panelHeight+panelBelow), b.String())
}

// axis names an axis of a panel, with the ends of its scale. The words lie outside of the frame, since
// curves come anywhere inside.
func axis(b *strings.Builder, name string, length int, place string) {
	for _, word := range []struct {
		x            int
		anchor, text string
	}{{0, "start", "0"}, {length / 2, "middle", name}, {length, "end", "1"}} {
		fmt.Fprintf(b, `<text transform="%s" x="%d" text-anchor="%s">%s</text>`, place, word.x, word.anchor, word.text)
	}
}

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

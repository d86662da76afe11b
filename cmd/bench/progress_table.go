package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"modebench/experiments/sweep"
)

const (
	liveColumns = 2  // metrics that the table shows at most
	labelMost   = 40 // widths: of labels, at most, and cut short, at least
	labelLeast  = 12
	sparkMost   = 24
	barWidth    = 20
	basesMost   = 3 // base policies that are shown at the same time

	// silence is the time without a report after which a base policy counts as failed.
	silence = 30 * time.Second
)

// lines draws the table for a terminal of that size: nothing before there is a plan or
// where it holds no work. Lines stay one short of its width, since some terminals wrap
// at the last character, and of its height, for the cursor.
func (l *live) lines(width, height int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.plan == nil || l.plan.Finished == l.plan.Cells || height < 2 {
		return nil
	}
	width--
	foot := append(l.baseLines(), l.overall(width))
	room := height - 1 - len(foot) - 1 // below the heading
	var out []string
	if room > 0 {
		shown, all := l.shown(room)
		out = l.table(shown, width)
		if more := all - len(shown); more > 0 && len(out) <= room {
			out = append(out, fmt.Sprintf("... and %d more", more))
		}
	}
	out = append(out, foot[max(0, len(foot)-(height-1)):]...)
	for i := range out {
		out[i] = cut(out[i], width)
	}
	return out
}

// shown picks the rows that fit into so many lines, one of which says how many do not:
// those that run, then those that ended a cell last, then those to come; in the order
// of the spec. all is how many there are, without those that a part of it leaves out.
func (l *live) shown(room int) (out []*liveRow, all int) {
	var order []int
	for i, r := range l.rows {
		if r.cells > 0 {
			order = append(order, i)
		}
	}
	if all = len(order); all > room {
		order = l.urgent(order)[:max(1, room-1)]
		slices.Sort(order)
	}
	for _, i := range order {
		out = append(out, l.rows[i])
	}
	return out, all
}

// urgent sorts numbers of rows by what a user wants to see first.
func (l *live) urgent(order []int) []int {
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := l.rows[a], l.rows[b]
		if runs := len(x.running) > 0; runs != (len(y.running) > 0) {
			if runs {
				return -1
			}
			return 1
		}
		return y.touched - x.touched
	})
	return order
}

// table is the heading and the rows, aligned: labels to the left, numbers to the right.
func (l *live) table(rows []*liveRow, width int) []string {
	columns := l.visible()
	cells := [][]string{{"method", "cells", "step"}}
	for _, c := range columns {
		cells[0] = append(cells[0], l.columns[c])
	}
	for _, r := range rows {
		line := []string{r.label, r.cellText(), r.stepText()}
		for _, c := range columns {
			line = append(line, numberText(r.values[c].value()))
		}
		cells = append(cells, line)
	}
	widths := make([]int, len(cells[0]))
	for _, r := range l.rows { // of those that do not show, too: fewer jumps
		full := fmt.Sprintf("%d/%d", r.steps, r.steps)
		widths[2] = max(widths[2], len(full))
	}
	total := 0
	for j := range widths {
		for _, line := range cells {
			widths[j] = max(widths[j], utf8.RuneCountInString(line[j]))
		}
		if j > 0 {
			total += widths[j] + 2
		}
	}
	spark := 0
	if l.entropy != "" {
		spark = utf8.RuneCountInString(l.entropy) + 2
	}
	widths[0] = min(widths[0], max(labelLeast, min(labelMost, width-total-spark)))
	var out []string
	for i, line := range cells {
		var b strings.Builder
		fmt.Fprintf(&b, "%-*s", widths[0], cut(line[0], widths[0]))
		for j := 1; j < len(line); j++ {
			fmt.Fprintf(&b, "  %*s", widths[j], line[j])
		}
		switch {
		case l.entropy == "":
		case i == 0:
			b.WriteString("  " + l.entropy)
		default:
			b.WriteString("  " + sparkline(rows[i-1].entropies, min(sparkMost, width-widths[0]-total-2)))
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

// visible are the numbers of the columns shown: the first ones that some evaluation
// has, since some metrics are of a whole run alone.
func (l *live) visible() []int {
	var measured []int
	for c := range l.columns {
		if slices.ContainsFunc(l.rows, func(r *liveRow) bool { return r.values[c].n > 0 }) {
			measured = append(measured, c)
		}
	}
	return measured[:min(liveColumns, len(measured))]
}

func (r *liveRow) cellText() string {
	text := fmt.Sprintf("%d/%d", r.done, r.cells)
	if r.failed > 0 {
		text += fmt.Sprintf(", %d failed", r.failed)
	}
	return text
}

// stepText is the step of the cells that run, or the first and the last one's.
func (r *liveRow) stepText() string {
	if len(r.running) == 0 {
		if r.done == r.cells {
			return "done"
		}
		return ""
	}
	low, high := math.MaxInt, 0
	for _, run := range r.running {
		low, high = min(low, run.Step()), max(high, run.Step())
	}
	if r.steps == 0 {
		return "evaluating"
	}
	if low == high {
		return fmt.Sprintf("%d/%d", high, r.steps)
	}
	return fmt.Sprintf("%d-%d/%d", low, high, r.steps)
}

func numberText(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return fmt.Sprintf("%.3f", x)
}

// sparks are the heights of a sparkline, an eighth of a line apart.
var sparks = []rune("▁▂▃▄▅▆▇█")

// sparkline draws means as heights from 0 to the greatest, at most width of them: of
// more, evenly chosen ones, the first and the last among them.
func sparkline(means []entropyAt, width int) string {
	var xs []float64
	for i := range means {
		xs = append(xs, means[i].value())
	}
	if width <= 0 || len(xs) == 0 {
		return ""
	}
	top := slices.Max(xs)
	n := min(width, len(xs))
	out := make([]rune, n)
	for i := range out {
		x, height := xs[len(xs)-1], 0 // of the only one, the last
		if n > 1 {
			x = xs[i*(len(xs)-1)/(n-1)]
		}
		if top > 0 && x > 0 {
			height = min(len(sparks)-1, int(x/top*float64(len(sparks))))
		}
		out[i] = sparks[height]
	}
	return string(out)
}

// baseLines say how far base policies are.
func (l *live) baseLines() []string {
	var out []string
	for _, b := range l.bases {
		if len(out) == basesMost || l.now().Sub(b.reported) > silence {
			continue
		}
		done := b.at.Step - b.first
		out = append(out, fmt.Sprintf("%s (%s): %d/%d steps, loss %.3f%s", b.title, b.at.Name, b.at.Step, b.at.Steps, b.at.Loss,
			etaText(l.now().Sub(b.since), done, done+b.at.Steps-b.at.Step)))
	}
	return out
}

// overall is the line at the bottom: a bar, cells, steps, elapsed time, and how long it
// will take at the pace since the first evaluation, to which steps that earlier runs made
// say nothing. Cells that failed are not done, and not waited for.
func (l *live) overall(width int) string {
	cells := l.plan.Finished + l.done()
	done, total, made, failed := l.steps, l.plan.Steps, l.steps+l.lost-l.before, l.failed
	for run := range l.running {
		done += run.Step()
		made += run.Step() - run.Before()
	}
	if l.plan.Steps == 0 { // nothing but evaluations
		done, total, failed = l.done(), l.plan.Cells-l.plan.Finished, 0
		for _, r := range l.rows {
			failed += r.failed
		}
		made = done + failed
	}
	share := float64(done) / float64(max(1, total))
	text := fmt.Sprintf("%3d%%  %d/%d cells", int(100*share), cells, l.plan.Cells)
	if l.plan.Steps > 0 {
		text += fmt.Sprintf("  %d/%d steps", done, total)
	}
	text += "  " + clockText(l.now().Sub(l.begun)) + " elapsed"
	switch {
	case l.stopping:
		text += ", interrupted: stopping"
	case !l.training.IsZero():
		text += etaText(l.now().Sub(l.training), made, made+total-done-failed)
	}
	if full := int(share * barWidth); utf8.RuneCountInString(text)+2+barWidth <= width {
		text = strings.Repeat("█", full) + strings.Repeat("░", barWidth-full) + " " + text
	}
	return text
}

// done counts the cells that this run finished.
func (l *live) done() int {
	n := -l.plan.Finished
	for _, r := range l.rows {
		n += r.done
	}
	return max(0, n)
}

// paceAfter is how long something must be under way before its pace says anything.
const paceAfter = 2 * time.Second

// etaText is how long the rest takes at the pace so far; "" where that is not known.
func etaText(spent time.Duration, done, total int) string {
	if spent < paceAfter || done <= 0 || done >= total {
		return ""
	}
	return ", ETA " + clockText(time.Duration(float64(spent)*float64(total-done)/float64(done)))
}

// clockText writes a time as 0:07, 12:30 or 1:02:03.
func clockText(d time.Duration) string {
	s := int(d.Round(time.Second) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

var _ sweep.FoundWatcher = (*live)(nil)

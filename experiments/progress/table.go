package progress

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"modebench/experiments/record"
	"modebench/experiments/sweep"
	"modebench/internal/terminal"
	"modebench/internal/visible"
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

// table draws the state on a terminal. Only the calls of redraw and finish write, and not under the
// lock: a terminal that is stopped stops no training.
type table struct {
	*state
	screen   *terminal.Screen
	notes    []string // to be written above the table
	stopping bool     // the run was interrupted
}

// lines draws the table for a terminal of that size: nothing before there is a plan or
// if it holds no work. Lines stay one short of its width, since some terminals wrap
// at the last character, and of its height, for the cursor.
func (t *table) lines(width, height int) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.plan == nil || t.plan.Finished == t.plan.Cells || height < 2 {
		return nil
	}
	width--
	foot := append(t.baseLines(), t.overall(width))
	room := height - 1 - len(foot) - 1 // below the heading
	var out []string
	if room > 0 && len(t.rows) > 0 {
		shown, all := t.shown(room)
		out = t.methods(shown, width)
		if more := all - len(shown); more > 0 && len(out) <= room {
			out = append(out, fmt.Sprintf("... and %d more", more))
		}
	}
	out = append(out, foot[max(0, len(foot)-(height-1)):]...)
	for i := range out {
		out[i] = terminal.Cut(out[i], width)
	}
	return out
}

// shown picks the rows that fit into room lines, of which one counts the others: those that
// run, then those that ended a cell last, then those to come; in the order of the spec. all counts
// the rows that have cells.
func (t *table) shown(room int) (out []*row, all int) {
	out = slices.DeleteFunc(slices.Clone(t.rows), func(r *row) bool { return r.cells == 0 })
	if all = len(out); all <= room {
		return out, all
	}
	urgent := slices.SortedStableFunc(slices.Values(out), func(a, b *row) int {
		return cmp.Or(min(1, len(b.running))-min(1, len(a.running)), b.touched-a.touched)
	})[:max(1, room-1)]
	return slices.DeleteFunc(out, func(r *row) bool { return !slices.Contains(urgent, r) }), all
}

// methods are the heading and the rows, aligned: labels to the left, numbers to the right.
func (t *table) methods(rows []*row, width int) []string {
	columns := t.visible()
	cells := [][]string{{"method", "cells", "step"}}
	for _, c := range columns {
		cells[0] = append(cells[0], t.columns[c])
	}
	for _, r := range rows {
		line := []string{r.label, r.cellText(), r.stepText()}
		for _, c := range columns {
			line = append(line, terminal.Number(r.values[c].Value()))
		}
		cells = append(cells, line)
	}
	widths := make([]int, len(cells[0]))
	for _, r := range t.rows { // of those that do not show, too: fewer jumps
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
	if t.entropy != "" {
		spark = utf8.RuneCountInString(t.entropy) + 2
	}
	widths[0] = min(widths[0], max(labelLeast, min(labelMost, width-total-spark)))
	var out []string
	for i, line := range cells {
		var b strings.Builder
		fmt.Fprintf(&b, "%-*s", widths[0], terminal.Cut(line[0], widths[0]))
		for j := 1; j < len(line); j++ {
			fmt.Fprintf(&b, "  %*s", widths[j], line[j])
		}
		switch {
		case t.entropy == "":
		case i == 0:
			b.WriteString("  " + t.entropy)
		default:
			b.WriteString("  " + rows[i-1].entropies.Sparkline(min(sparkMost, width-widths[0]-total-2)))
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

// visible are the indices of the columns shown: the first columns that some evaluation
// has, since some metrics are of a whole run alone.
func (t *table) visible() []int {
	var measured []int
	for c := range t.columns {
		if slices.ContainsFunc(t.rows, func(r *row) bool { return r.values[c].N > 0 }) {
			measured = append(measured, c)
		}
	}
	return measured[:min(liveColumns, len(measured))]
}

func (r *row) cellText() string {
	text := fmt.Sprintf("%d/%d", r.done, r.cells)
	if r.failed > 0 {
		text += fmt.Sprintf(", %d failed", r.failed)
	}
	return text
}

// stepText is the step of the cells that run, or their least and greatest.
func (r *row) stepText() string {
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

// baseLines are the lines of base policies that are being made.
func (t *table) baseLines() []string {
	var out []string
	for _, b := range t.bases {
		if len(out) == basesMost || b.Step >= b.Steps || t.clock().Sub(b.reported) > silence {
			continue
		}
		out = append(out, fmt.Sprintf("%s: %d/%d steps, loss %.3f%s", b.title(), b.Step, b.Steps, b.Loss,
			etaText(t.clock().Sub(b.since), b.Step-b.first, b.Steps-b.first)))
	}
	return out
}

// overall is the line at the bottom: a bar, cells, steps, elapsed time, and the time left.
func (t *table) overall(width int) string {
	done, total := t.done(), t.plan.Steps
	if t.plan.Steps == 0 { // nothing but evaluations
		done, total = t.finished, t.plan.Cells-t.plan.Finished
	}
	share := float64(done) / float64(max(1, total))
	text := fmt.Sprintf("%3d%%  %d/%d cells", int(100*share), t.plan.Finished+t.finished, t.plan.Cells)
	if t.plan.Steps > 0 {
		text += fmt.Sprintf("  %d/%d steps", done, total)
	}
	text += "  " + clockText(t.clock().Sub(t.begun)) + " elapsed"
	switch {
	case t.stopping:
		text += ", interrupted: stopping"
	default:
		text += t.eta()
	}
	if full := int(share * barWidth); utf8.RuneCountInString(text)+2+barWidth <= width {
		text = strings.Repeat("█", full) + strings.Repeat("░", barWidth-full) + " " + text
	}
	return text
}

// redrawEvery is the time from one drawing of the table to the next.
const redrawEvery = 200 * time.Millisecond

// withFound counts the cells of earlier runs too, whose evaluations are read for it.
type withFound struct{ *state }

// Found implements sweep.FoundWatcher.
func (w withFound) Found(cell int, evals []record.Eval) { w.found(cell, evals) }

func newTable(s *state, screen *terminal.Screen) *table { return &table{state: s, screen: screen} }

func (t *table) show(ctx context.Context, opt *sweep.Options, restore func()) (finish func()) {
	t.watch(opt, t.note)
	if len(t.rows) > 0 {
		opt.Watch = withFound{t.state}
	}
	unwatch := context.AfterFunc(ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.stopping = true
	})
	stop := every(redrawEvery, func(time.Time) { t.redraw() })
	return func() {
		unwatch()
		stop()
		t.clear()
		restore()
	}
}

// clear clears the table away and leaves the notes.
func (t *table) clear() {
	if notes := t.takeNotes(); len(notes) > 0 || len(t.screen.Lines) > 0 {
		t.screen.Draw(notes, nil)
	}
}

// redraw draws what has changed.
func (t *table) redraw() {
	width, height := t.screen.Size()
	lines := t.lines(width, height)
	notes := t.takeNotes()
	if len(notes) > 0 || !slices.Equal(lines, t.screen.Lines) {
		t.screen.Draw(notes, lines)
	}
}

func (t *table) takeNotes() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	notes := t.notes
	t.notes = nil
	return notes
}

// note shows a line above the table.
func (t *table) note(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes = append(t.notes, visible.Text(line))
}

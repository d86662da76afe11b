package progress

import (
	"context"
	"slices"
	"time"

	"modebench/experiments/record"
	"modebench/experiments/sweep"
	"modebench/internal/terminal"
	"modebench/internal/visible"
)

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

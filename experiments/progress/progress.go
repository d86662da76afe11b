// Package progress shows how far runs of cells are: as a table that a terminal redraws, as lines of
// text elsewhere, and as lines of JSON for a program. All three draw the same state, which counts
// cells, steps and base policies.
package progress

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/internal/terminal"
	"modebench/internal/visible"
)

// Show displays a run under the options. loaded is its spec, with a row for each method if the output
// is a terminal that can redraw; nil: no rows. Call finish before anything else is printed.
func Show(ctx context.Context, out Output, loaded *spec.Spec, opt *sweep.Options) (finish func()) {
	s := newState(time.Now)
	if screen, restore := out.screen(); screen != nil {
		if loaded != nil {
			s.addRows(loaded, opt.Part)
		}
		return newTable(s, screen).show(ctx, opt, restore)
	}
	if out.JSON {
		return (&jsonLines{lines{s, out}}).show(opt)
	}
	return newTextLines(out, s).show(opt)
}

// RunAll is sweep.RunAll with a display of all specs together, without rows for methods. Notes are
// part of the display; opt.Notes writes them while it runs.
func RunAll(ctx context.Context, out Output, specs []*spec.Spec, opt *sweep.Options, made func(spec int, run *record.Run) error) error {
	cells := 0
	for _, s := range specs {
		cells += len(s.Variants) * s.Seeds
	}
	if len(specs) > 1 {
		fmt.Fprintf(out.W, "%d specs, %d cells\n", len(specs), cells) // whether finished or not
	} else {
		fmt.Fprintf(out.W, "%s: %d cells\n", specs[0].Name, cells)
	}
	defer Show(ctx, out, nil, opt)()
	planned := opt.Planned
	opt.Planned = func(plan sweep.Plan) {
		if opt.Part == nil && plan.Cells < cells {
			opt.Notes(fmt.Sprintf("%d of them are other specs' too, and are run once", cells-plan.Cells))
		}
		planned(plan)
	}
	return sweep.RunAll(ctx, specs, *opt, made)
}

// Output is where and how progress is written.
type Output struct {
	W    io.Writer
	JSON bool // W takes lines of JSON
}

// screen is nil unless the output is a terminal that can be redrawn.
func (o Output) screen() (screen *terminal.Screen, restore func()) {
	if o.JSON {
		return nil, nil
	}
	return terminal.Open(o.W)
}

// Note writes a line of text, in which control characters are visible, or of JSON.
func (o Output) Note(line string) {
	if line = visible.Text(line); o.JSON {
		o.encode(struct {
			Note string `json:"note"`
		}{line})
		return
	}
	fmt.Fprintln(o.W, line)
}

// Notes returns a function that writes notes and may be called from several goroutines.
func (o Output) Notes() func(line string) {
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		o.Note(line)
	}
}

// encode writes a line of JSON. A reader that went away does not stop the run.
func (o Output) encode(document any) {
	enc := json.NewEncoder(o.W)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(document)
}

// onTicks calls draw at every tick. stop waits for the last call.
func onTicks(ticks <-chan time.Time, draw func(time.Time)) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case tick := <-ticks:
				draw(tick)
			case <-quit:
				return
			}
		}
	}()
	return func() { close(quit); <-done }
}

// every calls draw in that interval. stop waits for the last call.
func every(interval time.Duration, draw func(time.Time)) (stop func()) {
	ticker := time.NewTicker(interval)
	wait := onTicks(ticker.C, draw)
	return func() { ticker.Stop(); wait() }
}

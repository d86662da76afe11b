// Package progress shows how far runs of cells are: as a table that a terminal redraws, as lines of
// text elsewhere, and as lines of JSON for a program. All three draw the same state, which counts
// cells, steps and base policies.
package progress

import (
	"context"
	"fmt"
	"time"

	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
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
	if out.Quiet {
		l := lines{s, out}
		l.watch(opt, l.note)
		return func() {}
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

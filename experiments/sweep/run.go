package sweep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/train"
)

// Run runs what is missing of the spec and writes its manifest to OUT/NAME. A cell that
// fails does not stop the others; the error joins all failures, and the context's if it was
// cancelled. The manifest is written only when every cell is finished, which may be so for a run
// that is cancelled at its end. A run of a part returns nil.
func Run(ctx context.Context, s *spec.Spec, opt Options) (*record.Run, error) {
	var made *record.Run
	err := RunAll(ctx, []*spec.Spec{s}, opt, func(_ int, run *record.Run) error {
		made = run
		return nil
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// RunAll runs what is missing of several specs as Run would of each, with the cells of all in one
// queue: a cell that several specs have is run once. Options.Planned and Options.Progress count the
// cells of all specs together. A Watcher gets the number of a cell in the first spec that has it;
// a FoundWatcher gets finished cells of a single spec only.
//
// An error of reading or writing before any cell is run ends the run. made is called as soon as all
// cells of a spec are finished, with the number of the spec and its run, nil in a run of a part, by
// several goroutines at once; nil: not wanted. An error of made counts as one of that spec. The
// error joins those of all specs, each after the name of its spec if there are several.
func RunAll(ctx context.Context, specs []*spec.Spec, opt Options, made func(spec int, run *record.Run) error) error {
	if opt.Notes == nil {
		opt.Notes = func(string) {}
	}
	if opt.Watch == nil {
		opt.Watch = unwatched{}
	}
	bases, err := train.OpenBases(specs, train.BaseOptions{
		Device: opt.Device, Dir: opt.Cache, Verify: opt.VerifyCache, Report: opt.Pretraining, Notes: opt.Notes,
	})
	if err != nil {
		return err
	}
	defer bases.Close()
	p := &pool{cells: filepath.Join(opt.Out, record.CellsDir), bases: bases, opt: &opt, made: made}
	if err := p.prepare(ctx, specs); err != nil {
		return err
	}
	if opt.VerifyCache {
		if err := bases.Verify(ctx, specs); err != nil {
			return err
		}
	}
	return p.run(ctx)
}

// prepare plans and weighs the cells, and makes the plan known to the caller and to others who
// work in the output folder.
func (p *pool) prepare(ctx context.Context, specs []*spec.Spec) error {
	out := p.opt.Out
	if err := record.CheckCells(out); err != nil {
		return err
	}
	err := os.MkdirAll(p.cells, 0o755)
	if err == nil {
		err = cells.Probe(p.cells)
	}
	if err != nil {
		return fmt.Errorf("cannot write results: %w", err)
	}
	if err := p.plan(ctx, specs); err != nil {
		return err
	}
	if err := p.weigh(ctx); err != nil {
		return err
	}
	if p.opt.Planned != nil {
		p.opt.Planned(p.total)
	}
	for _, j := range p.jobs {
		if j.damage != "" {
			p.opt.Notes(j.damage + "; the cell is made again")
		}
	}
	p.reportFound(ctx)
	for _, s := range p.shares {
		// So that others know the cells before there is a manifest. The plan that tasks of an
		// array go by stays.
		if s.left > 0 && (p.opt.Part == nil || !listed(out, s.spec.Name)) {
			if _, err := SavePlan(ctx, s.spec, out, 0); err != nil {
				return err
			}
		}
	}
	dropUnknown(ctx, out, specs)
	return nil
}

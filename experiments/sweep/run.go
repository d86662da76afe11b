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

// Run runs what is missing of the spec and writes its manifest to OUT/NAME. A
// cell that fails does not stop the others; the error joins all failures, and
// the context's where it was cancelled. The
// manifest is written only when every cell is there, which may be so for a run that is
// cancelled at its end; a run of a part returns none.
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

// RunAll runs what is missing of several specs as Run would of each, with the cells of
// all in one queue: no worker waits for the last cells of a spec, and a cell that several
// specs have is run once. Options.Planned and Options.Progress are told of all
// cells together; a Watcher hears of a cell under its number in the first spec that has it,
// and a FoundWatcher of none that is finished where there are several specs.
//
// What cannot be read or written before a cell is run ends the run. made is called with
// the number of a spec and its run, which is nil in a run of a part, as
// soon as all of its cells are there, and may be called from several goroutines at
// once; nil: not wanted. An error of made is one of that spec. The error joins those of all
// specs, each behind the name of its spec where there are several.
func RunAll(ctx context.Context, specs []*spec.Spec, opt Options, made func(spec int, run *record.Run) error) error {
	bases, err := train.OpenBases(specs, train.BaseOptions{
		Device: opt.Device, Dir: opt.Cache, Verify: opt.VerifyCache, Report: opt.Pretraining, Notes: opt.Notes,
	})
	if err != nil {
		return err
	}
	defer bases.Close()
	dir := filepath.Join(opt.Out, record.CellsDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot write results: %w", err)
	}
	if err := cells.Probe(dir); err != nil {
		return fmt.Errorf("cannot write results: %w", err)
	}
	p := &pool{cells: dir, bases: bases, opt: &opt, made: made}
	if err := p.plan(ctx, specs); err != nil {
		return err
	}
	if opt.Planned != nil {
		opt.Planned(p.total)
	}
	for _, j := range p.jobs {
		if j.damage != "" && opt.Notes != nil {
			opt.Notes(j.damage + "; the cell is made again")
		}
	}
	if len(p.shares) == 1 {
		tellFound(record.Run{Manifest: p.shares[0].manifest, Dir: filepath.Join(opt.Out, specs[0].Name)}, p.jobs, &opt)
	}
	for _, s := range p.shares {
		if opt.Part == nil && s.left > 0 { // so that others know the cells before there is a manifest
			if _, err := KeepPlan(s.spec, opt.Out); err != nil {
				return err
			}
		}
	}
	if opt.VerifyCache {
		if err := bases.Verify(ctx, specs); err != nil {
			return err
		}
	}
	return p.run(ctx)
}

package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/train"
	"modebench/internal/atomicfile"
)

// Options say how an experiment is run; none of them changes a record.
type Options struct {
	Out  string // folder the results go to
	Jobs int    // cells that run at the same time; those after the first as memory allows
	// Checkpoint is how often a cell that is being trained writes down where it stands, in
	// a file that the next run goes on from: what a kill can cost. 0: only when the
	// context ends.
	Checkpoint time.Duration
	// FailFast ends the run at the first cell that fails; those under way can be gone on with.
	FailFast bool
	// Part says which of the experiment's cells to run, by their number in its plan; nil:
	// all. A run of a part writes no manifest.
	Part func(cell int) bool
	// Progress is called with the number of training steps done of all that this
	// run makes; nil: not wanted. It is called from several goroutines.
	Progress func(done, total int)
	// Cache is the folder that base policies are kept in; "": the one that
	// CacheVariable names, else one of the user's.
	Cache string
	// Pretraining is called while base policies are made; nil: not wanted. It may be
	// called from several goroutines at once.
	Pretraining func(train.Pretraining)
	// Planned is called once before training; nil: not wanted.
	Planned func(Plan)
	// Device is what transformers compute on: cpu, which "" is too, cuda, cuda:1, or
	// auto (see policies.ParseDevice). Tables are always on the processor.
	Device string
	// Notes is called with every line that a plug-in writes to its standard error,
	// behind the name of its cell, and with what a run says without failing: that a file
	// it would have gone on from is damaged. nil: not wanted. It may be called from
	// several goroutines at once.
	Notes func(line string)
	// Watch is told what happens to the cells; nil: nobody is.
	Watch Watcher
}

// A Plan says what a run will do.
type Plan struct {
	Cells    int // of the experiment, or of the part of it
	Finished int // of these, found finished
	Steps    int // training steps to make
}

// A CellError is the failure of one cell, or of several by one and the same cause: a
// base policy that they share.
type CellError struct {
	Label  string
	Seed   int
	Cell   int   // its number in the plan, of RunAll in that of the first spec that has it
	Others int   // cells besides
	Rest   []int // their numbers
	Err    error
}

func (e *CellError) Error() string {
	others := ""
	switch e.Others {
	case 0:
	case 1:
		others = " and 1 other cell"
	default:
		others = fmt.Sprintf(" and %d other cells", e.Others)
	}
	return fmt.Sprintf("%s, seed %d%s: %v", e.Label, e.Seed, others, e.Err)
}

// Unwrap gives the error itself.
func (e *CellError) Unwrap() error { return e.Err }

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
	bases, err := train.OpenBases(specs, opt.Device, opt.Cache, opt.Pretraining)
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
			if err := keepPlan(s.spec, opt.Out); err != nil {
				return err
			}
		}
	}
	return p.run(ctx)
}

func writeManifest(s *spec.Spec, out string, manifest record.Manifest) (*record.Run, error) {
	dir := filepath.Join(out, s.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("cannot write results: %w", err)
	}
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := atomicfile.Write(filepath.Join(dir, record.ManifestFile), append(text, '\n')); err != nil {
		return nil, fmt.Errorf("cannot write results: %w", err)
	}
	// The plan has done its work, and may be one of another number of seeds.
	if err := os.Remove(filepath.Join(dir, record.PlanFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot write results: %w", err)
	}
	return &record.Run{Manifest: manifest, Dir: dir}, nil
}

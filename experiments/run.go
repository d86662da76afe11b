package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modebench/experiments/record"
	"modebench/internal/atomicfile"
	"modebench/policies/transformer"
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
	Pretraining func(Pretraining)
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
	Cell   int   // its number in the plan
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

// CellsDir is the folder below the output folder that holds all cells.
const CellsDir = "cells"

type job struct {
	variant *Variant
	seed    int
	cell    int // its number in the plan
	id      string
	steps   int
	damage  string // what is wrong with the one that is there; "": nothing, or there is none
}

// Run runs what is missing of the spec and writes its manifest to OUT/NAME. A
// cell that fails does not stop the others; the error joins all failures, and
// the context's where it was cancelled. The
// manifest is written only when every cell is there; a run of a part returns none.
func (s *Spec) Run(ctx context.Context, opt Options) (*record.Run, error) {
	device, err := s.openDevice(opt.Device)
	if err != nil {
		return nil, err
	}
	if device != nil {
		defer device.Close()
	}
	cells := filepath.Join(opt.Out, CellsDir)
	if err := os.MkdirAll(cells, 0o755); err != nil {
		return nil, fmt.Errorf("cannot write results: %w", err)
	}
	if err := probe(cells); err != nil {
		return nil, fmt.Errorf("cannot write results: %w", err)
	}
	manifest, jobs, plan, err := s.plan(cells, opt.Part)
	if err != nil {
		return nil, err
	}
	if opt.Planned != nil {
		opt.Planned(plan)
	}
	for _, j := range jobs {
		if j.damage != "" && opt.Notes != nil {
			opt.Notes(j.damage + "; the cell is made again")
		}
	}
	tellFound(record.Run{Manifest: manifest, Dir: filepath.Join(opt.Out, s.Name)}, jobs, &opt)
	if opt.Part == nil && len(jobs) > 0 { // so that others know the cells before there is a manifest
		if err := s.keepPlan(opt.Out); err != nil {
			return nil, err
		}
	}
	if err := runJobs(ctx, cells, jobs, device, opt); err != nil || opt.Part != nil {
		return nil, err
	}
	return s.writeManifest(opt.Out, manifest)
}

func (s *Spec) writeManifest(out string, manifest record.Manifest) (*record.Run, error) {
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
	if err := os.Remove(filepath.Join(dir, PlanFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot write results: %w", err)
	}
	return &record.Run{Manifest: manifest, Dir: dir}, nil
}

// probe says whether cells can be written, before any is trained.
func probe(cells string) error {
	dir, err := os.MkdirTemp(cells, ".probe-")
	if err != nil {
		return err
	}
	return os.Remove(dir)
}

// plan lists the experiment's cells, and those of the part that are to be run.
func (s *Spec) plan(cells string, part func(int) bool) (record.Manifest, []job, Plan, error) {
	var plan Plan
	m := record.Manifest{
		Version: record.Version, Spec: s.Name, Title: s.Title, Source: s.Source, Cells: "../" + CellsDir,
		Columns: s.Columns, Timings: s.Timings, Figures: s.Figures, Claims: s.Claims,
	}
	var jobs []job
	err := s.eachCell(func(c plannedCell) error {
		if c.Seed == 0 {
			m.Variants = append(m.Variants, c.variant.record())
		}
		entry := &m.Variants[len(m.Variants)-1]
		entry.Cells = append(entry.Cells, record.Ref{Seed: c.Seed, ID: c.ID})
		if part != nil && !part(c.Cell) {
			return nil
		}
		plan.Cells++
		whole, damage, err := finished(filepath.Join(cells, c.ID), c.ID)
		if err != nil {
			return fmt.Errorf("cannot read results: %w", err)
		}
		if whole {
			plan.Finished++
			forget(cells, c.ID)
			return nil
		}
		plan.Steps += c.steps
		jobs = append(jobs, job{c.variant, c.Seed, c.Cell, c.ID, c.steps, damage})
		return nil
	})
	if err != nil {
		return m, nil, plan, err
	}
	return m, jobs, plan, clearPartial(cells)
}

// runJobs runs the jobs on so many workers. Which worker runs what leaves no
// trace: a cell's records depend on the cell alone.
func runJobs(ctx context.Context, cells string, jobs []job, device *transformer.Device, opt Options) error {
	meter := newMeter(jobs, opt.Progress)
	bases := &bases{dir: opt.Cache, report: opt.Pretraining, device: device}
	outer := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	gate := newMemoryGate(opt.Notes)
	queue := make(chan int)
	failures := make([]*CellError, len(jobs))
	var workers sync.WaitGroup
	for range max(1, min(opt.Jobs, len(jobs))) {
		workers.Go(func() {
			for i := range queue {
				if !gate.enter(ctx) {
					continue
				}
				j := jobs[i]
				run := &CellRun{Cell: j.cell, Steps: j.steps, watch: opt.Watch, progress: func(done int) { meter.set(i, done) }}
				run.begun()
				err := runCell(ctx, cells, j.variant, j.seed, bases, &opt, run)
				run.ended(err)
				gate.leave()
				if err != nil {
					failures[i] = &CellError{Label: j.variant.Label, Seed: j.seed, Cell: j.cell, Err: err}
					if failed(failures[i], ctx.Err()) {
						explain(cells, j.id, failures[i], opt.Notes)
						if opt.FailFast {
							stop()
						}
					}
				} else {
					meter.set(i, j.steps)
				}
			}
		})
	}
feed:
	for i := range jobs {
		select {
		case queue <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(queue)
	workers.Wait()
	return errors.Join(outer.Err(), joinFailures(failures, ctx.Err()))
}

// failed says whether a cell has failed, and was not just cut short.
func failed(f *CellError, canceled error) bool {
	return f != nil && (canceled == nil || !errors.Is(f, canceled))
}

// joinFailures joins the failures of cells, nil where one has not failed. What a
// cancellation cut short has not, and a cause that several share is told once.
func joinFailures(failures []*CellError, canceled error) error {
	told := map[*baseError]*CellError{}
	var out []error
	for _, f := range failures {
		if !failed(f, canceled) {
			continue
		}
		var shared *baseError
		if errors.As(f, &shared) {
			if first := told[shared]; first != nil {
				first.Others++
				first.Rest = append(first.Rest, f.Cell)
				continue
			}
			told[shared] = f
		}
		out = append(out, f)
	}
	return errors.Join(out...)
}

// A meter adds up the progress of all jobs.
type meter struct {
	mu         sync.Mutex
	done       []int
	sum, total int
	report     func(done, total int)
}

func newMeter(jobs []job, report func(done, total int)) *meter {
	m := &meter{done: make([]int, len(jobs)), report: report}
	for _, j := range jobs {
		m.total += j.steps
	}
	return m
}

func (m *meter) set(job, done int) {
	if m.report == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum += done - m.done[job]
	m.done[job] = done
	m.report(m.sum, m.total)
}

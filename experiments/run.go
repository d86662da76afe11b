package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"modebench/experiments/record"
	"modebench/internal/atomicfile"
	"modebench/policies/transformer"
)

// Options say how an experiment is run; none of them changes a record.
type Options struct {
	Out  string // folder the results go to
	Jobs int    // cells that run at the same time
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
	// behind the name of its cell; nil: not wanted. It may be called from several
	// goroutines at once.
	Notes func(line string)
}

// A Plan says what a run will do.
type Plan struct {
	Cells    int // of the experiment
	Finished int // of these, found finished
	Steps    int // training steps to make
}

// A CellError is the failure of one cell, or of several by one and the same cause: a
// base policy that they share.
type CellError struct {
	Label  string
	Seed   int
	Others int // cells besides
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
	steps   int
}

// Run runs what is missing of the spec and writes its manifest to OUT/NAME. A
// cell that fails does not stop the others; the error joins all failures, and
// the context's where it was cancelled. The
// manifest is written only when every cell is there.
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
	manifest, jobs, err := s.plan(cells)
	if err != nil {
		return nil, err
	}
	if opt.Planned != nil {
		plan := Plan{Cells: len(s.Variants) * s.Seeds}
		plan.Finished = plan.Cells - len(jobs)
		for _, j := range jobs {
			plan.Steps += j.steps
		}
		opt.Planned(plan)
	}
	if err := runJobs(ctx, cells, jobs, device, opt); err != nil {
		return nil, err
	}
	dir := filepath.Join(opt.Out, s.Name)
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

// plan lists the experiment's cells, and those of them that are to be run.
func (s *Spec) plan(cells string) (record.Manifest, []job, error) {
	m := record.Manifest{
		Version: record.Version, Spec: s.Name, Title: s.Title, Source: s.Source, Cells: "../" + CellsDir,
		Columns: s.Columns, Timings: s.Timings, Figures: s.Figures, Claims: s.Claims,
	}
	var jobs []job
	for _, v := range s.Variants {
		entry := v.record()
		p, at := v.build()
		if at != nil {
			return m, nil, at.err
		}
		for seed := range s.Seeds {
			id, err := cellID(v.cell(p, seed))
			if err != nil {
				return m, nil, err
			}
			entry.Cells = append(entry.Cells, record.Ref{Seed: seed, ID: id})
			whole, err := finished(filepath.Join(cells, id))
			if err != nil {
				return m, nil, fmt.Errorf("cannot read results: %w", err)
			}
			if !whole {
				jobs = append(jobs, job{v, seed, p.steps()})
			}
		}
		m.Variants = append(m.Variants, entry)
	}
	return m, jobs, clearPartial(cells)
}

// runJobs runs the jobs on so many workers. Which worker runs what leaves no
// trace: a cell's records depend on the cell alone.
func runJobs(ctx context.Context, cells string, jobs []job, device *transformer.Device, opt Options) error {
	meter := newMeter(jobs, opt.Progress)
	bases := &bases{dir: opt.Cache, report: opt.Pretraining, device: device}
	queue := make(chan int)
	failures := make([]*CellError, len(jobs))
	var workers sync.WaitGroup
	for range max(1, min(opt.Jobs, len(jobs))) {
		workers.Go(func() {
			for i := range queue {
				j := jobs[i]
				if err := runCell(ctx, cells, j.variant, j.seed, bases, opt.Notes, func(done int) { meter.set(i, done) }); err != nil {
					failures[i] = &CellError{Label: j.variant.Label, Seed: j.seed, Err: err}
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
	return errors.Join(ctx.Err(), joinFailures(failures, ctx.Err()))
}

// joinFailures joins the failures of cells, nil where one has not failed. What a
// cancellation cut short has not, and a cause that several share is told once.
func joinFailures(failures []*CellError, canceled error) error {
	told := map[*baseError]*CellError{}
	var out []error
	for _, f := range failures {
		if f == nil || canceled != nil && errors.Is(f, canceled) {
			continue
		}
		var shared *baseError
		if errors.As(f, &shared) {
			if first := told[shared]; first != nil {
				first.Others++
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

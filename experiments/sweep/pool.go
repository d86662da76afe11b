package sweep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"

	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/train"
	"modebench/internal/scratch"
)

// A pool runs the cells that are missing of one spec or of several, each once.
type pool struct {
	cells    string         // the folder of all cells
	bases    *train.Bases   // of the policies that runs start from
	problems train.Problems // that they have in common
	opt      *Options
	made     func(spec int, run *record.Run) error // nil: not wanted

	shares   []*share
	total    Plan
	jobs     []job
	failures []*CellError // of the jobs; nil: none

	mu sync.Mutex // for what is left of the shares
}

// A share is what a pool has of one spec.
type share struct {
	spec     *spec.Spec
	opt      *Options // the pool's; where there are several specs, notes begin with the spec's name
	manifest record.Manifest
	jobs     []int // the numbers of its jobs in the pool
	left     int   // of these, not tried yet
	err      error // of writing the manifest, or of made
}

type job struct {
	variant *spec.Variant
	seed    int
	cell    int // its number in the plan of the first spec that has it
	id      string
	steps   int
	damage  string // what is wrong with the one that is there; "": nothing, or there is none
	shares  []int  // the specs that have it
	need    uint64 // bytes that it takes, as far as that is known
}

// plan lists the cells of all specs, and of them those that are to be run. What is there
// is read for it, unless the context ends.
func (p *pool) plan(ctx context.Context, specs []*spec.Spec) error {
	const whole = -1
	known := map[string]int{} // by ID: the number of the job, or whole
	for number, s := range specs {
		share := &share{spec: s, opt: p.opt, manifest: newManifest(s)}
		if notes := p.opt.Notes; notes != nil && len(specs) > 1 {
			named := *p.opt
			named.Notes = func(line string) { notes(s.Name + ": " + line) }
			share.opt = &named
		}
		p.shares = append(p.shares, share)
		err := eachCell(ctx, s, func(c plannedCell) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			m := &share.manifest
			if c.Seed == s.FirstSeed {
				m.Variants = append(m.Variants, c.variant.Record())
			}
			entry := &m.Variants[len(m.Variants)-1]
			entry.Cells = append(entry.Cells, record.Ref{Seed: c.Seed, ID: c.ID})
			if p.opt.Part != nil && !p.opt.Part(c.Cell) {
				return nil
			}
			at, seen := known[c.ID]
			if !seen {
				p.total.Cells++
				there, damage, err := record.Finished(filepath.Join(p.cells, c.ID), c.ID)
				if err != nil {
					return fmt.Errorf("cannot read results: %w", err)
				}
				if at = len(p.jobs); there {
					at = whole
					p.total.Finished++
					cells.Forget(p.cells, c.ID)
					p.heedBase(c.ID)
				} else {
					p.total.Steps += c.steps
					p.jobs = append(p.jobs, job{variant: c.variant, seed: c.Seed, cell: c.Cell, id: c.ID, steps: c.steps, damage: damage})
				}
				known[c.ID] = at
			}
			if at != whole {
				p.jobs[at].shares = append(p.jobs[at].shares, number)
				share.jobs = append(share.jobs, at)
				share.left++
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	p.failures = make([]*CellError, len(p.jobs))
	scratch.Clean(p.cells)
	return nil
}

// heedBase takes up which base policy a finished cell began from.
func (p *pool) heedBase(id string) {
	if p.bases == nil {
		return
	}
	dir := filepath.Join(p.cells, id)
	if base, ok := record.ReadBase(dir); ok {
		p.bases.Began(dir, base)
	}
}

// workers is how many cells run at the same time.
func (p *pool) workers() int {
	n := p.opt.Jobs
	switch {
	case n == 0 && p.bases.OnCard():
		n = cellsOnCard
	case n == 0:
		n = runtime.GOMAXPROCS(0)
	}
	return max(1, min(n, len(p.jobs)))
}

// run runs the jobs on opt.Jobs workers. Which worker runs what does not matter: a cell's
// records depend on the cell alone.
func (p *pool) run(ctx context.Context) error {
	meter := newMeter(p.jobs, p.opt.Progress)
	outer := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	gate := newMemoryGate(p.opt.Notes)
	queue := make(chan int)
	var workers sync.WaitGroup
	workers.Go(func() { // specs of which nothing is missing
		for number, s := range p.shares {
			if len(s.jobs) == 0 && ctx.Err() == nil {
				p.end(ctx, number)
			}
		}
	})
	for range p.workers() {
		workers.Go(func() {
			for i := range queue {
				j := p.jobs[i]
				if !gate.enter(ctx, j.need) {
					continue
				}
				opt := p.shares[j.shares[0]].opt
				run := &CellRun{Cell: j.cell, Steps: j.steps, watch: p.opt.Watch, progress: func(done int) { meter.set(i, done) }}
				run.begun()
				err := train.Run(ctx, p.cells, j.variant, j.seed, train.Options{Bases: p.bases, Problems: &p.problems, Checkpoint: opt.Checkpoint, Notes: opt.Notes, Observer: run})
				run.ended(err)
				gate.leave(j.need)
				if err == nil {
					meter.set(i, j.steps)
					p.tried(ctx, i)
					continue
				}
				p.failures[i] = &CellError{Label: j.variant.Label, Seed: j.seed, Cell: j.cell, Err: err}
				if failed(p.failures[i], ctx.Err()) {
					meter.set(i, 0)
					explain(p.cells, j.id, p.failures[i], opt.Notes)
					p.tried(ctx, i)
					if p.opt.FailFast {
						stop()
					}
				}
			}
		})
	}
feed:
	for i := range p.jobs {
		select {
		case queue <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(queue)
	workers.Wait()
	return errors.Join(outer.Err(), p.errors(ctx.Err()))
}

// tried ends the specs that this job was the last of.
func (p *pool) tried(ctx context.Context, job int) {
	var ended []int
	p.mu.Lock()
	for _, number := range p.jobs[job].shares {
		if p.shares[number].left--; p.shares[number].left == 0 {
			ended = append(ended, number)
		}
	}
	p.mu.Unlock()
	for _, number := range ended {
		p.end(ctx, number)
	}
}

// end writes the manifest of a spec all of whose cells have been tried, where all are there.
func (p *pool) end(ctx context.Context, number int) {
	s := p.shares[number]
	for _, job := range s.jobs {
		if p.failures[job] != nil {
			return
		}
	}
	var run *record.Run
	if p.opt.Part == nil {
		if run, s.err = writeManifest(ctx, s.spec, p.opt.Out, s.manifest); s.err != nil {
			return
		}
	}
	if p.made != nil {
		s.err = p.made(number, run)
	}
}

// errors joins what went wrong with each spec.
func (p *pool) errors(canceled error) error {
	var out []error
	for _, s := range p.shares {
		var failures []*CellError
		for _, job := range s.jobs {
			failures = append(failures, p.failures[job])
		}
		for _, err := range append(joinFailures(failures, canceled), s.err) {
			if err != nil && len(p.shares) > 1 {
				err = fmt.Errorf("%s: %w", s.spec.Name, err)
			}
			out = append(out, err)
		}
	}
	return errors.Join(out...)
}

// failed says whether a cell has failed, and was not only cut short.
func failed(f *CellError, canceled error) bool {
	return f != nil && (canceled == nil || !errors.Is(f, canceled))
}

// joinFailures lists the failures; an entry of failures is nil where the cell has not failed.
// A cell that a cancellation cut short has not failed. A cause that several cells share is
// listed once.
func joinFailures(failures []*CellError, canceled error) []error {
	reported := map[*train.BaseError]*CellError{}
	var out []error
	for _, f := range failures {
		if !failed(f, canceled) {
			continue
		}
		var shared *train.BaseError
		if errors.As(f, &shared) {
			if first := reported[shared]; first != nil {
				first.Others++
				first.Rest = append(first.Rest, f.Cell)
				continue
			}
			first := *f // another spec may report it too
			f = &first
			reported[shared] = f
		}
		out = append(out, f)
	}
	return out
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

// reportFound calls the watcher with the cells of this run that are finished already.
// Evaluations that cannot be read are left out: whoever reads them later gets the error.
func reportFound(ctx context.Context, run record.Run, jobs []job, opt *Options) {
	watch, ok := opt.Watch.(FoundWatcher)
	if !ok || len(jobs) == 0 {
		return
	}
	cell := 0
	for _, v := range run.Variants {
		for _, ref := range v.Cells {
			switch {
			case ctx.Err() != nil:
				return
			case opt.Part != nil && !opt.Part(cell):
			case len(jobs) > 0 && jobs[0].cell == cell:
				jobs = jobs[1:] // they stand in the order of the plan
			default:
				evals, _ := run.Evals(ref)
				watch.Found(cell, evals)
			}
			cell++
		}
	}
}

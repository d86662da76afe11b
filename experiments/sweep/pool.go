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
	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/internal/memory"
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

	mu sync.Mutex // for the remaining cells of the shares

	// The following are made by run.
	meter meter
	gate  *memoryGate
	stop  func() // ends the context of all workers
}

// A share holds a pool's cells of one spec.
type share struct {
	spec     *spec.Spec
	opt      *Options // the pool's; with several specs, notes begin with the spec's name
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
	damage  string // the fault of the existing folder; "": no fault, or no folder
	shares  []int  // the specs that have it
	need    uint64 // bytes that it takes, as far as that is known
}

// finished takes the place of a job's number if a cell needs no job.
const finished = -1

// plan lists the cells of all specs, and of them those to run.
func (p *pool) plan(ctx context.Context, specs []*spec.Spec) error {
	numbers := map[string]int{} // of the jobs of cells, by ID; or finished
	for number, s := range specs {
		share := &share{spec: s, opt: p.opt, manifest: newManifest(s)}
		if len(specs) > 1 {
			named := *p.opt
			named.Notes = func(line string) { p.opt.Notes(s.Name + ": " + line) }
			share.opt = &named
		}
		p.shares = append(p.shares, share)
		err := eachCell(ctx, s, func(c plannedCell) error {
			share.list(c)
			if p.opt.Part != nil && !p.opt.Part(c.Cell) {
				return nil
			}
			job, planned := numbers[c.ID]
			if !planned {
				var err error
				if job, err = p.add(c); err != nil {
					return err
				}
				numbers[c.ID] = job
			}
			if job != finished {
				p.jobs[job].shares = append(p.jobs[job].shares, number)
				share.jobs = append(share.jobs, job)
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

func (s *share) list(c plannedCell) {
	m := &s.manifest
	if c.Seed == s.spec.FirstSeed {
		m.Variants = append(m.Variants, c.variant.Record())
	}
	entry := &m.Variants[len(m.Variants)-1]
	entry.Cells = append(entry.Cells, record.Ref{Seed: c.Seed, ID: c.ID})
}

// add counts a cell that no spec before has, and gives it a job unless it is finished. It
// returns the number of the job, or finished.
func (p *pool) add(c plannedCell) (number int, err error) {
	p.total.Cells++
	dir := filepath.Join(p.cells, c.ID)
	whole, damage, err := record.Finished(dir, c.ID)
	if err != nil {
		return 0, fmt.Errorf("cannot read results: %w", err)
	}
	if whole {
		p.total.Finished++
		cells.Forget(p.cells, c.ID)
		if base, ok := record.ReadBase(dir); ok && p.bases != nil {
			p.bases.Began(dir, base)
		}
		return finished, nil
	}
	p.total.Steps += c.steps
	p.jobs = append(p.jobs, job{variant: c.variant, seed: c.Seed, cell: c.Cell, id: c.ID, steps: c.steps, damage: damage})
	return len(p.jobs) - 1, nil
}

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

// run runs the jobs, on any worker: a cell's records depend on the cell alone.
func (p *pool) run(ctx context.Context) error {
	outer := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	p.meter = meter{done: make([]int, len(p.jobs)), total: p.total.Steps, report: p.opt.Progress}
	p.gate, p.stop = newMemoryGate(p.opt.Notes), stop
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
				p.work(ctx, i)
			}
		})
	}
	feed(ctx, queue, len(p.jobs))
	workers.Wait()
	return errors.Join(outer.Err(), p.errors(ctx.Err()))
}

// feed sends the numbers below n, until the context ends, and closes the queue.
func feed(ctx context.Context, queue chan<- int, n int) {
	defer close(queue)
	for i := range n {
		select {
		case queue <- i:
		case <-ctx.Done():
			return
		}
	}
}

// work runs a job, as soon as there is memory for it.
func (p *pool) work(ctx context.Context, i int) {
	j := p.jobs[i]
	if !p.gate.enter(ctx, j.need) {
		return
	}
	opt := p.shares[j.shares[0]].opt
	run := &CellRun{Cell: j.cell, Steps: j.steps, watch: opt.Watch, progress: func(done int) { p.meter.set(i, done) }}
	opt.Watch.Begun(run)
	err := train.Run(ctx, p.cells, j.variant, j.seed, train.Options{Bases: p.bases, Problems: &p.problems, Checkpoint: opt.Checkpoint, Notes: opt.Notes, Observer: run})
	opt.Watch.Ended(run, err)
	p.gate.leave(j.need)
	if err == nil {
		p.meter.set(i, j.steps)
		p.tried(ctx, i)
		return
	}
	f := &CellError{Label: j.variant.Label, Seed: j.seed, Cell: j.cell, Err: err}
	p.failures[i] = f
	if !failed(f, ctx.Err()) {
		return
	}
	p.meter.set(i, 0)
	explain(p.cells, j.id, f, opt.Notes)
	p.tried(ctx, i)
	if opt.FailFast {
		p.stop()
	}
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

func (p *pool) errors(canceled error) error {
	var out []error
	for _, s := range p.shares {
		failures := each.Map(s.jobs, func(job int) *CellError { return p.failures[job] })
		for _, err := range append(joinFailures(failures, canceled), s.err) {
			if err != nil && len(p.shares) > 1 {
				err = fmt.Errorf("%s: %w", s.spec.Name, err)
			}
			out = append(out, err)
		}
	}
	return errors.Join(out...)
}

// reportFound calls the watcher with the finished cells of this run, if it is of one spec.
// Evaluations that cannot be read are left out: whoever reads them later gets the error.
func (p *pool) reportFound(ctx context.Context) {
	watch, ok := p.opt.Watch.(FoundWatcher)
	jobs := p.jobs
	if !ok || len(jobs) == 0 || len(p.shares) > 1 {
		return
	}
	s := p.shares[0]
	run := record.Run{Manifest: s.manifest, Dir: filepath.Join(p.opt.Out, s.spec.Name)}
	cell := 0
	for _, v := range run.Variants {
		for _, ref := range v.Cells {
			switch {
			case ctx.Err() != nil:
				return
			case p.opt.Part != nil && !p.opt.Part(cell):
			case len(jobs) > 0 && jobs[0].cell == cell:
				jobs = jobs[1:] // they are in the order of the plan
			default:
				evals, _ := run.Evals(ref)
				watch.Found(cell, evals)
			}
			cell++
		}
	}
}

type meter struct {
	mu         sync.Mutex
	done       []int
	sum, total int
	report     func(done, total int) // nil: not wanted
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

// weigh finds out what the jobs take. That there is no room for one is the error of the run.
func (p *pool) weigh(ctx context.Context) error {
	total, known := totalMemory()
	needs := map[*spec.Variant]train.Need{}
	var refused *CellError
	for i := range p.jobs {
		j := &p.jobs[i]
		need, weighed := needs[j.variant]
		if !weighed {
			if err := ctx.Err(); err != nil {
				return err
			}
			need = p.bases.Need(ctx, j.variant)
			needs[j.variant] = need
		}
		j.need = need.Bytes
		switch {
		case !known || need.Bytes <= total:
		case refused == nil:
			refused = &CellError{Label: j.variant.Label, Seed: j.seed, Err: fmt.Errorf("%v %s of memory, and there are %s for it", need, memory.Text(need.Bytes), memory.Text(total))}
		default:
			refused.Others++
		}
	}
	if refused != nil {
		return input.Errorf("%s", refused.Error()) // no cell failed, so no cell needs another run
	}
	return ctx.Err()
}

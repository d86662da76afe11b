package sweep

import (
	"sync/atomic"
	"time"

	"modebench/experiments/record"
	"modebench/experiments/train"
)

// Options set how an experiment is run. They change no record.
type Options struct {
	Out string // folder the results go to
	// Jobs is how many cells run at the same time; those after the first as memory allows. 0:
	// one for each processor, or cellsOnCard where transformers are on a card, which computes
	// for several in one launch.
	Jobs int
	// Checkpoint is how often a cell that is being trained saves its state, in a file that
	// the next run goes on from. A kill can cost as much. 0: only when the context ends.
	Checkpoint time.Duration
	// FailFast ends the run at the first cell that fails; cells under way save their state.
	FailFast bool
	// Part reports which of the experiment's cells to run, by their number in its plan; nil:
	// all. A run of a part writes no manifest.
	Part func(cell int) bool
	// Progress is called with the number of training steps done of all that this run makes, without
	// those of cells that have failed; nil: not wanted. It is called from several goroutines.
	Progress func(done, total int)
	// Cache is the folder that base policies are cached in; "": the folder named by
	// train.CacheVariable, else the user's cache.
	Cache string
	// VerifyCache pre-trains the base policies once more before any cell is run, and ends the run
	// if a cached one differs.
	VerifyCache bool
	// Pretraining is called while base policies are made; nil: not wanted. It may be
	// called from several goroutines at once.
	Pretraining func(train.Pretraining)
	// Planned is called once before training; nil: not wanted.
	Planned func(Plan)
	// Device is the device of transformers: cpu, which is also the meaning of "", cuda, cuda:1, or
	// auto (see policies.ParseDevice). Tables are always on the processor.
	Device string
	// Notes is called with every line that a plug-in writes to its standard error, after the name
	// of its cell, and with warnings that end no run, such as a damaged file that the run would
	// have gone on from. nil: not wanted. It may be called from several goroutines at once.
	Notes func(line string)
	// Watch receives the events of the cells; nil: not wanted.
	Watch Watcher
}

// cellsOnCard is how many cells share a card: as many as take about the time of a few.
const cellsOnCard = 64

// A Plan counts the cells of a run by their state before it.
type Plan struct {
	Cells    int // of the experiment, or of the part of it
	Finished int // of these, found finished
	Steps    int // training steps to make
}

// A Watcher receives the events of the cells of a run. No record depends on it. Cells go by their
// numbers in the plan. Its methods are called from several goroutines at once, and the training of
// the cell waits until they return.
type Watcher interface {
	// Begun is called when a cell is begun, before the base policy that it starts from, if
	// any, is made.
	Begun(cell *CellRun)
	// Evaluated is called with each evaluation that is made, which must not be changed. A
	// cell that goes on where an earlier run left it makes no earlier ones.
	Evaluated(cell *CellRun, eval record.Eval)
	// Ended is called when a cell is finished, or with the error that ended it: that of
	// the context where the run was cancelled.
	Ended(cell *CellRun, err error)
}

// A FoundWatcher is a Watcher that gets the cells of earlier runs too. All of their
// evaluations are read for it.
type FoundWatcher interface {
	Watcher
	// Found is called after Options.Planned, and before any cell is begun, for every
	// cell that an earlier run finished, with its evaluations.
	Found(cell int, evals []record.Eval)
}

// unwatched takes the place of a missing Watcher.
type unwatched struct{}

func (unwatched) Begun(*CellRun)                  {}
func (unwatched) Evaluated(*CellRun, record.Eval) {}
func (unwatched) Ended(*CellRun, error)           {}

// A CellRun is a cell that is being run.
type CellRun struct {
	Cell  int // its number in the plan
	Steps int // training steps that it makes in all

	step     atomic.Int64
	before   atomic.Int64 // steps that earlier runs made
	watch    Watcher
	progress func(done int)
}

// Step is how many training steps are done, up to a few: it is brought up to date at
// evaluations and about once in two thousand answers. It may be called at any time.
func (c *CellRun) Step() int { return int(c.step.Load()) }

// Reached records the number of steps done. Training waits for it, so it takes no lock and
// calls nothing.
func (c *CellRun) Reached(step int) { c.step.Store(int64(step)) }

// Before is how many of these steps earlier runs made: the cell goes on from there. It may
// be called at any time, and is 0 until the cell knows.
func (c *CellRun) Before() int { return int(c.before.Load()) }

// GoesOn reports the number of steps that earlier runs made.
func (c *CellRun) GoesOn(step int) {
	c.before.Store(int64(step))
	c.Reached(step)
}

// Evaluated reports an evaluation.
func (c *CellRun) Evaluated(eval record.Eval) {
	c.Reached(eval.Step)
	c.watch.Evaluated(c, eval)
	c.progress(eval.Step)
}

package sweep

import (
	"sync/atomic"

	"modebench/experiments/record"
)

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

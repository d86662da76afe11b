package train

import (
	"time"

	"modebench/experiments/record"
)

// Options say how a run is made; none of them changes a record.
type Options struct {
	Bases *Bases // of the policies that runs start from
	// Checkpoint is how often the run writes down where it stands, in a file that the next
	// one goes on from. 0: only when the context ends.
	Checkpoint time.Duration
	// Notes is called with every line that a plug-in writes to its standard error, behind
	// the name of its run, and with what a run says without failing. nil: not wanted.
	Notes func(line string)
	// Observer hears how far the run is.
	Observer Observer
}

// An Observer hears how far a run is. No record depends on it.
type Observer interface {
	// GoesOn says, before the first step, how many steps earlier runs made.
	GoesOn(steps int)
	// Reached says that so many steps are done. It is on the path of training steps, and
	// is called about once in two thousand answers.
	Reached(steps int)
	// Evaluated is called with each evaluation, which must not be changed.
	Evaluated(eval record.Eval)
}

// A sink takes the records of a cell as they are made.
type sink interface {
	train(record.Train) error
	eval(record.Eval) error
	pool(record.Pool) error
}

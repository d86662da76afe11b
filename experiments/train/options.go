package train

import (
	"time"

	"modebench/experiments/record"
)

// Options say how a run is made; none of them changes a record.
type Options struct {
	Bases *Bases // of the policies that runs start from
	// Problems are those that runs of one environment share; nil: the run makes its own.
	Problems *Problems
	// Checkpoint is how often the run writes down where it stands, in a file that the next
	// one goes on from. 0: only when the context ends.
	Checkpoint time.Duration
	// Notes is called with every line that a plug-in writes to its standard error, after
	// the name of its run, and with warnings that end no run. nil: not wanted.
	Notes func(line string)
	// Observer is called as the run advances.
	Observer Observer
}

// An Observer is called as a run advances. No record depends on it.
type Observer interface {
	// GoesOn says, before the first step, how many steps earlier runs made.
	GoesOn(steps int)
	// Reached says that so many steps are done. Training waits for it. It is called about
	// once in two thousand answers.
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

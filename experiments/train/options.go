package train

import (
	"time"

	"modebench/experiments/record"
)

// Options set how a run is made. They change no record.
type Options struct {
	Bases *Bases // of the policies that runs start from
	// Problems are those that runs of one environment share; nil: the run makes its own.
	Problems *Problems
	// Checkpoint is the time between saves of the run's state, in a file that the next run
	// continues from. 0: only when the context ends.
	Checkpoint time.Duration
	// Notes is called with every line that a plug-in writes to its standard error, after
	// the name of its run, and with warnings that end no run. nil: not wanted.
	Notes func(line string)
	// Observer is called as the run advances.
	Observer Observer
}

// An Observer is called as a run advances. No record depends on it.
type Observer interface {
	// GoesOn gets, before the first step, the number of steps that earlier runs made.
	GoesOn(steps int)
	// Reached gets the number of steps done. Training waits for it. It is called about once in two
	// thousand answers.
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

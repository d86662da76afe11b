package sweep

import (
	"time"

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

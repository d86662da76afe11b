package main

import (
	"bufio"
	"context"

	"github.com/spf13/pflag"

	"modebench/envs/reference"
)

// datasetFlags ask bench env for a data set.
type datasetFlags struct {
	jsonl   bool
	count   int
	shots   int
	unique  bool
	noTruth bool

	flags *pflag.FlagSet
}

func (d *datasetFlags) AddFlags(flags *pflag.FlagSet) {
	d.flags = flags
	flags.BoolVar(&d.jsonl, "jsonl", false, "print a data set, a line of JSON for each problem")
	flags.IntVar(&d.count, "count", 1, "of --jsonl: how many problems")
	flags.IntVar(&d.shots, "shots", 0, "of --jsonl: solved examples before each prompt")
	flags.BoolVar(&d.unique, "unique", false, "of --jsonl: leave out problems that an earlier line has, so that there may be fewer than --count")
	flags.BoolVar(&d.noTruth, "no-truth", false, "of --jsonl: leave out the truth, which may take longer than all the rest")
}

// check says what is wrong with the flags, beside others for which there is no place in a
// data set.
func (d *datasetFlags) check(others bool) error {
	for _, name := range []string{"count", "shots", "unique", "no-truth"} {
		if !d.jsonl && d.flags.Changed(name) {
			return usagef("--%s is about --jsonl, which is missing; see bench help env", name)
		}
	}
	switch {
	case d.jsonl && others:
		return usagef("--jsonl prints a data set: want none of --json, --answer, --png, --svg, --pdf and --pgf beside it")
	case d.count < 0:
		return usagef("--count is %d, want 0 or more", d.count)
	case d.shots < 0:
		return usagef("--shots is %d, want 0 or more", d.shots)
	}
	return nil
}

// print prints the data set.
func (d *datasetFlags) print(ctx context.Context, s streams, f *problemFlags, args []string) error {
	first, err := f.reference("env", args)
	if err != nil {
		return err
	}
	env, err := build(first)
	if err != nil {
		return err
	}
	// The first problem tells whether the flags that pose it fit.
	p, err := env.Problem(first.Split, first.Index)
	if err != nil {
		return &usageError{err}
	}
	if _, err := pose(env.Info(), p, first.Pose); err != nil {
		return err
	}
	out := bufio.NewWriterSize(s.out, 1<<16)
	set := reference.Dataset{First: first, Count: d.count, Shots: d.shots, Truth: !d.noTruth, Unique: d.unique}
	err = set.Lines(ctx, func(line []byte) error {
		_, err := out.Write(line)
		return err
	})
	if flushed := out.Flush(); flushed != nil {
		return flushed
	}
	return asUsage(err)
}

// asUsage marks an error as one of the command line.
func asUsage(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

package main

import (
	"bufio"
	"context"

	"github.com/spf13/pflag"

	"modebench/envs/reference"
	"modebench/internal/cli"
	"modebench/internal/input"
)

// datasetFlags ask bench env for a data set.
type datasetFlags struct {
	jsonl     bool
	count     int
	shots     int
	reasoning bool
	unique    bool
	noTruth   bool

	flags *pflag.FlagSet
}

func (d *datasetFlags) AddFlags(flags *pflag.FlagSet) {
	d.flags = flags
	flags.BoolVar(&d.jsonl, "jsonl", false, "print a data set, a line of JSON for each problem")
	d.count = 1
	cli.Int(flags, &d.count, "count", "of --jsonl: how many problems", 0)
	cli.Int(flags, &d.shots, "shots", "of --jsonl: solved examples before each prompt", 0)
	flags.BoolVar(&d.reasoning, "reasoning", false, "of --shots: the calculation of each example as a thought before its answer (countdown, coins)")
	flags.BoolVar(&d.unique, "unique", false, "of --jsonl: leave out problems that an earlier line has, so that there may be fewer than --count")
	flags.BoolVar(&d.noTruth, "no-truth", false, "of --jsonl: leave out the truth, which may take longer than all the rest")
}

// check refuses flags of data sets without --jsonl, and --jsonl unless it is alone.
func (d *datasetFlags) check(alone bool) error {
	switch {
	case !d.jsonl:
		return cli.Refuse(d.flags, "--%s is about --jsonl, which is missing; see bench help env", "count", "shots", "reasoning", "unique", "no-truth")
	case !alone:
		return usagef("--jsonl prints a data set: leave out --format, --answer and --draw")
	case d.reasoning && d.shots == 0:
		return usagef("--reasoning is about the examples of --shots, which is missing")
	}
	return nil
}

// print prints the data set.
func (d *datasetFlags) print(ctx context.Context, s streams, f *problemFlags, args []string) error {
	first, _, err := f.problem("env", args) // which checks the flags that pose all problems
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(s.out, 1<<16)
	set := reference.Dataset{First: first, Count: d.count, Shots: d.shots, Reasoning: d.reasoning, Truth: !d.noTruth, Unique: d.unique}
	err = set.Lines(ctx, func(line []byte) error {
		_, err := out.Write(line)
		return err
	})
	if flushed := out.Flush(); flushed != nil {
		return flushed
	}
	if err != nil {
		return &input.Usage{Err: err}
	}
	return nil
}

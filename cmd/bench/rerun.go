package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"modebench/experiments/sweep"
	"modebench/internal/cli"
	"modebench/internal/plural"
)

// rerun is a command line that runs a spec again: words, the flags that were given but for those of
// status, plans and shares of the cells, and more words, which may give --seeds anew.
func rerun(flags *pflag.FlagSet, words []string, more ...string) string {
	without := []string{"cells", "shard", "shards", "array", "verify", "plan", "task-time"}
	if slices.Contains(more, oneSeed) {
		without = append(without, "seeds")
	}
	given := cli.Given(flags, without...)
	return cli.ShellLine(slices.Concat(words, given, more))
}

// oneSeed is the word that asks for one seed.
const oneSeed = "--seeds=1"

// called is the name that the program was called by, for command lines that it prints.
func called() string { return cli.ProgramName(os.Args[0]) }

// runOnly is the command that runs some of the spec's cells, nil: all.
func runOnly(flags *pflag.FlagSet, spec string, cells sweep.Numbers) string {
	words := []string{called(), "run", spec}
	if cells == nil {
		return rerun(flags, words)
	}
	return rerun(flags, words, "--cells="+cells.String())
}

// arrayLine is the command that runs some of n tasks as a Slurm array. planned is the number of tasks
// of the plan, 0 without one.
func arrayLine(flags *pflag.FlagSet, spec string, tasks sweep.Numbers, n, planned int) string {
	words := []string{"sbatch", "--array=" + tasks.String(), "array.sbatch", spec}
	if n == planned {
		return rerun(flags, words)
	}
	return rerun(flags, words, fmt.Sprintf("--shard=auto/%d", n))
}

// again adds to the failures of a run the command that runs only those cells.
func again(err error, flags *pflag.FlagSet, spec string) error {
	cells := failedCells(err)
	if len(cells) == 0 {
		return err
	}
	slices.Sort(cells)
	return errors.Join(err, fmt.Errorf("%s failed, the others are kept; to run what failed again: %s", plural.Count(len(cells), "cell"), runOnly(flags, spec, cells)))
}

// failedCells lists the numbers of the cells that an error is about.
func failedCells(err error) (all sweep.Numbers) {
	switch e := err.(type) {
	case *sweep.CellError:
		return append(sweep.Numbers{e.Cell}, e.Rest...)
	case interface{ Unwrap() []error }:
		for _, joined := range e.Unwrap() {
			all = append(all, failedCells(joined)...)
		}
	}
	return all
}

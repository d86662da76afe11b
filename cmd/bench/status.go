package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"modebench/experiments"
)

var statusCommand = command{
	name: "status", args: "SPEC|DIR [flags]",
	summary: "what of an experiment is finished, running, failed or missing",
	detail: `
SPEC is what bench run takes, with the flags that change which cells it has. DIR is the
folder of an experiment, OUT/SPEC, with its run.json or the plan.json of bench run --plan.

Tells how many cells are finished, running (a process has been at them in the last 90
seconds), failed and why, resumable (cut short, with where they stood) or missing, and
what runs the rest: a command, and the numbers to give to sbatch --array, of an array
whose tasks run with --shard auto/N. N is --shards, by default a task for every cell.

A cell counts as finished if its last file was written; --verify checks the hashes of
all of them, as bench run does. A task with a running cell is not to be submitted again,
and is left out of the array. The exit code is 1 while cells are not finished, but for
--array.`,
	setup: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
		out := flags.StringP("out", "o", "results", "folder that the run of SPEC writes to")
		shards := flags.Int("shards", 0, "number of tasks of the array; default: the number of cells")
		array := flags.Bool("array", false, "print only the numbers for sbatch --array")
		verify := flags.Bool("verify", false, "check the hashes of finished cells")
		spec := newSpecFlags(flags)
		return func(ctx context.Context, s streams, args []string) error {
			if len(args) != 1 {
				return usagef("bench status takes one spec or folder; see bench help status")
			}
			if flags.Changed("shards") && (*shards < 1 || *shards > maxShards) {
				return usagef("--shards is %d, want 1 to %d", *shards, maxShards)
			}
			if err := spec.check(); err != nil {
				return err
			}
			ctx, stop := untilSignal(ctx)
			defer stop()
			of, err := findCells(ctx, spec, args[0], *out)
			if err != nil {
				return err
			}
			stop() // what follows reads alone: a signal ends it
			status, err := experiments.StatusOf(of.cells, of.each, *verify)
			if err != nil {
				return err
			}
			if *shards == 0 {
				*shards = status.All()
			}
			rest := status.ToRun(*shards)
			if *array {
				_, err = fmt.Fprintln(s.out, rest)
				return err
			}
			fmt.Fprintf(s.out, "%s in %s: %s\n", of.name, of.cells, countsText(status))
			listStates(s, status)
			if len(rest) > 0 && of.spec {
				fmt.Fprintf(s.out, "to run the rest: %s\n", runOnly(flags, args[0], status.ToRun(status.All())))
			}
			if len(rest) > 0 {
				fmt.Fprintf(s.out, "as an array of --shard auto/%d: sbatch --array=%s\n", *shards, rest)
			}
			if left := len(status.Cells); left > 0 {
				return &verdictError{exitFailed, fmt.Errorf("%d of %d cells are not finished", left, status.All())}
			}
			return nil
		}
	},
}

// maxShards bounds the tasks of an array; Slurm's own bound is far below.
const maxShards = 1_000_000

// An experimentCells is where the cells of an experiment are, and which.
type experimentCells struct {
	name, cells string
	each        func(func(experiments.PlannedCell) error) error
	spec        bool // they are of a spec, which can be run
}

// findCells reads a spec, or the folder of an experiment.
func findCells(ctx context.Context, flags *specFlags, arg, out string) (experimentCells, error) {
	builtins, err := experiments.Builtins()
	if err != nil {
		return experimentCells{}, err
	}
	if strings.HasSuffix(arg, ".toml") || slices.ContainsFunc(builtins, func(b experiments.Builtin) bool { return b.Name == arg }) {
		spec, err := flags.load(ctx, arg)
		if err != nil {
			return experimentCells{}, err
		}
		return experimentCells{spec.Name, filepath.Join(out, experiments.CellsDir), spec.EachCell, true}, nil
	}
	list, err := experiments.ReadCells(arg)
	if err != nil {
		return experimentCells{}, err
	}
	return experimentCells{list.Spec, filepath.Join(arg, "..", experiments.CellsDir), list.Each, false}, nil
}

// countsText is how many cells there are in each state.
func countsText(status *experiments.Status) string {
	parts := []string{fmt.Sprintf("%d of %d cells are finished", status.Counts[experiments.CellFinished], status.All())}
	for state, n := range status.Counts {
		if n > 0 && experiments.CellState(state) != experiments.CellFinished {
			parts = append(parts, fmt.Sprintf("%d %s", n, experiments.CellState(state)))
		}
	}
	return strings.Join(parts, ", ")
}

// listedMost is how many cells of a state are named.
const listedMost = 20

// listStates names the cells that are not finished, by state.
func listStates(s streams, status *experiments.Status) {
	for state, n := range status.Counts {
		listed := 0
		for _, c := range status.Cells {
			if c.State != experiments.CellState(state) || listed == listedMost {
				continue
			}
			listed++
			why := ""
			if c.Why != "" {
				why = ": " + c.Why
			}
			fmt.Fprintf(s.out, "%6d  %-9s  %s, seed %d%s\n", c.Cell, c.State, c.Label, c.Seed, why)
		}
		if listed > 0 && n > listed {
			fmt.Fprintf(s.out, "        ... and %d more %s\n", n-listed, experiments.CellState(state))
		}
	}
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/internal/cli"
	"modebench/internal/input"
)

func newStatusCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "status SPEC|DIR [flags]", Short: "what of an experiment is finished, running, failed or missing",
		Args:              cli.Takes(1, 1, "one spec or folder"),
		ValidArgsFunction: cli.First(spec.BuiltinNames),
		Long: `
SPEC is that of bench run, with the flags that change its cells. DIR is the
folder of an experiment, OUT/SPEC, with its run.json or the plan.json of bench run --plan.

Tells how many cells are finished, running (a process of this machine holds their lock,
suspended or not; one of another machine, or on a file system without locks, has touched
them in the last 90 seconds, by clocks that agree to within a minute), failed and why,
resumable (cut short, with their state) or missing, and prints how to run the rest: a
command, and where Slurm is installed, or with --shards, that of an array whose tasks run
with --shard auto/N. N is --shards, by default that of the plan (bench run --plan), and
without it a task for every cell.

A cell counts as finished if its last file was written; --verify checks the hashes of
all of them, as bench run does. A task with a running cell is not to be submitted again,
and is left out of the array. The exit code is 1 while cells are not finished, but for
--array, which prints the numbers for sbatch --array alone, and needs a plan or --shards.`,
	}, &statusOptions{})
}

type statusOptions struct {
	out           string
	shards        int
	array, verify bool
	source        specFlags
}

func (o *statusOptions) AddFlags(flags *pflag.FlagSet) {
	flags.StringVarP(&o.out, "out", "o", "results", "folder that the run of SPEC writes to")
	addShards(flags, &o.shards, "number of tasks of the array; default: that of the plan")
	flags.BoolVar(&o.array, "array", false, "print only the numbers for sbatch --array")
	flags.BoolVar(&o.verify, "verify", false, "check the hashes of finished cells")
	o.source.AddFlags(flags)
}

func (o *statusOptions) run(ctx context.Context, s streams, args []string) error {
	flags := o.source.flags
	ctx, stop := untilSignal(ctx)
	defer stop()
	list, err := findCells(ctx, &o.source, args[0], o.out)
	if err != nil {
		return err
	}
	status, err := sweep.StatusOf(list.cells, list.each, o.verify)
	if err != nil {
		return err
	}
	n := cmp.Or(o.shards, list.shards, status.All())
	rest := status.ToRun(n)
	if o.array {
		if len(rest) > 0 && o.shards == 0 && list.shards == 0 {
			return input.Errorf("no plan of %s has the number of tasks of the array: bench run SPEC --plan --out OUT writes one, or give --shards N", list.name)
		}
		_, err = fmt.Fprintln(s.out, rest)
		return err
	}
	fmt.Fprintf(s.out, "%s in %s: %s\n", list.name, list.cells, status.Text())
	if isImported(args[0]) {
		fmt.Fprintf(s.out, "imported from completions: %s import FILE... makes the cells again\n", called())
	}
	fmt.Fprint(s.out, status.List())
	if len(rest) > 0 {
		_, err := exec.LookPath("sbatch")
		sayRest(s, flags, args[0], list, status, n, err == nil || flags.Changed("shards"))
	}
	if left := len(status.Cells); left > 0 {
		return &verdictError{exitFailed, fmt.Errorf("%d of %d cells are not finished", left, status.All())}
	}
	return nil
}

// sayRest prints the commands that run what is left, here and as an array of n tasks.
func sayRest(s streams, flags *pflag.FlagSet, arg string, list experimentCells, status *sweep.Status, n int, array bool) {
	rest := status.ToRun(n)
	if list.spec {
		var chosen sweep.Numbers // nil: all cells that are left, then table and figures
		if status.Counts[cells.Running] > 0 {
			chosen = status.Left(rest, n)
		}
		fmt.Fprintf(s.out, "to run the rest: %s\n", runOnly(flags, arg, chosen))
	}
	switch {
	case array && list.spec:
		fmt.Fprintf(s.out, "as an array: %s\n", arrayLine(flags, arg, rest, n, list.shards))
	case array:
		fmt.Fprintf(s.out, "as an array of --shard auto/%d: sbatch --array=%s\n", n, rest)
	}
}

// An experimentCells is where the cells of an experiment are, and which.
type experimentCells struct {
	name, cells string
	each        func(func(sweep.PlannedCell) error) error
	spec        bool // they are of a spec, which can be run
	shards      int  // of their plan; 0: without one, or it has no number
}

// ofFolders are the flags that mean something where a folder is given.
var ofFolders = []string{"shards", "array", "verify"}

// findCells reads a spec, or the folder of an experiment.
func findCells(ctx context.Context, flags *specFlags, arg, out string) (experimentCells, error) {
	_, unknown := spec.BuiltinText(arg)
	if strings.HasSuffix(arg, ".toml") || unknown == nil {
		spec, err := flags.load(ctx, arg)
		if err != nil {
			return experimentCells{}, err
		}
		shards, err := sweep.PlannedShards(filepath.Join(out, spec.Name))
		return experimentCells{spec.Name, filepath.Join(out, record.CellsDir), sweep.CellsOf(ctx, spec), true, shards}, err
	}
	var idle []string
	flags.flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains(ofFolders, f.Name) {
			idle = append(idle, "--"+f.Name)
		}
	})
	if idle != nil {
		return experimentCells{}, usagef("%s: %s is not a spec but a folder, whose list has its cells", strings.Join(idle, ", "), arg)
	}
	list, err := sweep.ReadCells(arg)
	if err != nil {
		return experimentCells{}, err
	}
	each := func(do func(sweep.PlannedCell) error) error {
		return list.Each(func(c sweep.PlannedCell) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return do(c)
		})
	}
	return experimentCells{list.Spec, filepath.Join(arg, "..", record.CellsDir), each, false, list.Shards}, nil
}

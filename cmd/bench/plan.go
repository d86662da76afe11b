package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/experiments/train"
	"modebench/internal/cli"
)

// planFlags divide the cells of an experiment among the tasks of an array.
type planFlags struct {
	flags  *pflag.FlagSet
	plan   bool
	shards int
	task   time.Duration
}

func (p *planFlags) AddFlags(flags *pflag.FlagSet) {
	p.flags = flags
	flags.BoolVar(&p.plan, "plan", false, "list the cells and run none; with --out, divide them among the tasks of an array and keep the list in OUT/SPEC/plan.json")
	addShards(flags, &p.shards, "with --plan: number of tasks; default: enough that each takes --task-time")
	p.task = 10 * time.Minute
	cli.Duration(flags, &p.task, "task-time", "with --plan: how long a task is to take, by the times of finished cells", 1)
}

// addShards declares --shards.
func addShards(flags *pflag.FlagSet, shards *int, doc string) {
	cli.Int(flags, shards, "shards", doc, 1, sweep.MaxShards)
}

// check refuses flags of plans that are not made or not kept.
func (p *planFlags) check() error {
	switch {
	case !p.plan:
		return cli.Refuse(p.flags, "--%s is for --plan (a share of the cells is run with --shard I/N)", "shards", "task-time")
	case !p.flags.Changed("out"):
		return cli.Refuse(p.flags, "--%s goes into the plan that --out keeps: give --out too", "shards", "task-time")
	}
	return nil
}

// print lists the cells of a run. With --out it keeps the list and prints how to run it as an array. arg
// is the user's name of the spec.
func (p *planFlags) print(ctx context.Context, s streams, spec *spec.Spec, arg, out, cache string, part func(int) bool) error {
	dir := filepath.Join(out, record.CellsDir)
	status, err := sweep.StatusOf(dir, sweep.CellsOf(ctx, spec), false)
	if err != nil {
		return err
	}
	states := map[int]cells.State{}
	for _, c := range status.Cells {
		states[c.Cell] = c.State
	}
	var text bytes.Buffer
	err = sweep.CellsOf(ctx, spec)(func(c sweep.PlannedCell) error {
		if part == nil || part(c.Cell) {
			fmt.Fprintf(&text, "%6d  %-9s  %s  %s, seed %d\n", c.Cell, states[c.Cell], c.ID, c.Label, c.Seed)
		}
		return nil
	})
	if err == nil && p.flags.Changed("out") {
		err = p.divide(ctx, &text, spec, arg, out, cache, status)
	}
	if err != nil {
		return err
	}
	_, err = s.out.Write(text.Bytes())
	return err
}

// divide keeps the plan, and writes how it is run as an array.
func (p *planFlags) divide(ctx context.Context, text *bytes.Buffer, spec *spec.Spec, arg, out, cache string, status *sweep.Status) error {
	work, err := sweep.WorkOf(ctx, spec, status, sweep.Estimate{Dir: filepath.Join(out, record.CellsDir), Cache: cache, Task: p.task})
	if err != nil {
		return err
	}
	shards := cmp.Or(p.shards, work.Shards(p.task))
	path, err := sweep.SavePlan(ctx, spec, out, shards)
	if err != nil {
		return err
	}
	fmt.Fprintf(text, "plan: %s\n", path)
	rest := status.ToRun(shards)
	if len(rest) == 0 {
		return nil
	}
	fmt.Fprintf(text, "tasks: %d, of which the longest takes about %s\n", len(rest), roughly(work.Longest(shards)))
	if work.Guessed > 0 {
		fmt.Fprintf(text, "this is a guess for %d of %d variants, of which no cell is finished: %v a cell, or a task a cell with a transformer\n", work.Guessed, len(spec.Variants), sweep.GuessedCell)
		if spec.Seeds > 1 {
			fmt.Fprintf(text, "to measure them first, and plan again: %s\n", rerun(p.flags, []string{called(), "run", arg}, oneSeed))
		}
	}
	if work.Missing > 0 {
		fmt.Fprintf(text, "base policies that are not in the cache: %d, and each task that needs one makes it first, unless another has put it there (--cache or %s)\n", work.Missing, train.CacheVariable)
	}
	fmt.Fprintf(text, "to run them as an array: %s\n", arrayLine(p.flags, arg, rest, shards, shards))
	return nil
}

// roughly is a duration with the precision of a guess.
func roughly(d time.Duration) string {
	if d > time.Minute {
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return max(time.Second, d.Round(time.Second)).String()
}

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"modebench/experiments/board"
	"modebench/experiments/board/contest"
	"modebench/experiments/progress"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
)

// builtin are the options of specs with built-in methods: no plug-in is started.
func builtin(ctx context.Context) spec.LoadOptions { return spec.LoadOptions{Context: ctx} }

// contest makes cells under the flags, and writes how long each stage took.
func (b *boardRun) contest(load func(context.Context) spec.LoadOptions) *contest.Contest {
	return &contest.Contest{Load: load, RunAll: func(ctx context.Context, stage string, specs []*spec.Spec, made func(int, *record.Run) error) error {
		began := time.Now()
		fmt.Fprintf(b.err, "%s: ", stage)
		opt := sweep.Options{Out: b.out, Jobs: b.jobs, Cache: b.cache}
		err := progress.RunAll(ctx, b.progress(), specs, &opt, made)
		if err == nil {
			fmt.Fprintf(b.err, "%s took %v\n", stage, time.Since(began).Round(time.Second))
		}
		return err
	}}
}

// run tunes and evaluates.
func (b *boardRun) runAnew(ctx context.Context, tasks []board.Task, part func(int) bool) ([]*board.Result, error) {
	wanted := b.methods
	if len(wanted) > 0 && b.keep == "" {
		wanted = append(slices.Clone(wanted), board.Reference) // what scores are measured by
	}
	list, err := contest.Enter(ctx, tasks, wanted, part)
	if err != nil {
		return nil, err
	}
	if err := b.contest(builtin).Stages(ctx, list); err != nil {
		return nil, err
	}
	if b.flags.Changed("shard") {
		fmt.Fprintf(b.streams.out, "records: %s, of a part of the methods; without --shard the table is printed\n", filepath.Join(b.out, record.CellsDir))
		return nil, nil
	}
	var out []*board.Result
	for _, p := range list {
		if p.Result == nil {
			continue
		}
		if b.keep != "" {
			if p.Result, err = contest.Keep(b.keep, p.Name, p.Result, board.ReadResult); err != nil {
				return nil, err
			}
		}
		out = append(out, p.Result)
	}
	return out, nil
}

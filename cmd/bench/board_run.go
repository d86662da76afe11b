package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"modebench/experiments/board"
	"modebench/experiments/board/contest"
	"modebench/experiments/progress"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/internal/atomicfile"
	"modebench/internal/cli"
	"modebench/internal/input"
	"modebench/results"
)

// A boardRun is one call of bench board or bench profile.
type boardRun struct {
	streams
	flags                                *pflag.FlagSet
	out, policy, keep, from, cache, form string
	methods, tasks                       []string
	shard                                sweep.Shard
	jobs                                 int
	plugins                              pluginFlags
}

// addRunFlags declares the flags of making cells.
func (b *boardRun) addRunFlags(flags *pflag.FlagSet) {
	b.flags = flags
	flags.StringVarP(&b.out, "out", "o", "results", "folder to write cells to")
	addJobs(flags, &b.jobs, "cells to run at the same time")
}

// checkForm checks --format of a command.
func (b *boardRun) checkForm(command string, forms []string) error {
	if !slices.Contains(forms, b.form) {
		return usagef("--format %s: %swant one of %s", b.form, command, strings.Join(forms, ", "))
	}
	return nil
}

// published is the value of --from for the results that come with the program.
const published = "published"

// readKept reads results of tasks in the folder of --from. Missing and unfinished ones are noted, unless tasks are
// asked for by name: then they are an error. kind is a task in words.
func readKept[D any](b *boardRun, tasks []board.Task, kind string, parse func(t board.Task, path string, data []byte) (D, error)) ([]D, error) {
	var files fs.FS = record.Folder(b.from)
	if b.from == published {
		var err error
		if files, err = fs.Sub(results.Board, "board/"+b.policy); err != nil {
			return nil, err
		}
	}
	kept, missing, err := board.ReadKept(files, b.from, tasks, parse)
	if err == nil && missing != nil && (b.tasks != nil || kept == nil) {
		file := missing[0] + ".json"
		if _, lost := fs.ReadFile(files, file); lost == nil {
			err = input.Errorf("%s: %w; bench board --keep %s continues", filepath.Join(b.from, file), board.ErrUnfinished, b.from)
		} else if b.tasks != nil {
			err = lost
		}
	}
	if len(kept) > 0 { // of nothing at all the caller has an error
		for _, name := range missing {
			b.note(fmt.Sprintf("%s holds no finished result of %s %s", b.from, kind, name))
		}
	}
	return kept, err
}

// builtin are the options of specs with built-in methods: no plug-in is started.
func builtin(ctx context.Context) spec.LoadOptions { return spec.LoadOptions{Context: ctx} }

// contest makes cells under the flags, and writes how long each stage took and how much time is left.
func (b *boardRun) contest(load func(context.Context) spec.LoadOptions) *contest.Contest {
	c := &contest.Contest{Load: load}
	var spent time.Duration
	c.RunAll = func(ctx context.Context, stage string, specs []*spec.Spec, made func(int, *record.Run) error) error {
		began := time.Now()
		fmt.Fprintf(b.err, "%s: ", stage)
		opt := sweep.Options{Out: b.out, Jobs: b.jobs, Cache: b.cache}
		err := progress.RunAll(ctx, b.progress(), specs, &opt, made)
		if err == nil {
			took := time.Since(began)
			spent += took
			run := spent.Seconds() / c.Done // of the whole budget
			fmt.Fprintf(b.err, "%s took %v; at this pace %s to %s are left\n", stage, took.Round(time.Second), minutes((c.Minimum-c.Done)*run), minutes((c.Maximum-c.Done)*run))
		}
		return err
	}
	return c
}

// minutes writes seconds for an estimate.
func minutes(seconds float64) string {
	return (time.Duration(max(0, seconds)) * time.Second).Round(time.Second).String()
}

// kept is the result of a task in the folder --keep; nil: there is no such file.
func (b *boardRun) kept(t board.Task) (*board.Result, error) {
	if b.keep == "" {
		return nil, nil
	}
	kept, _, err := board.ReadKept(record.Folder(b.keep), b.keep, []board.Task{t}, board.ParseTask)
	if len(kept) == 0 {
		return nil, err
	}
	return kept[0], err
}

// keepResult writes the result of a task to the folder --keep, if it is given.
func (b *boardRun) keepResult(p *contest.Placement) error {
	if b.keep == "" {
		return nil
	}
	return atomicfile.Put(filepath.Join(b.keep, p.Name+".json"), p.Result.Text())
}

// refuse refuses flags that a form of the command does not take.
func (b *boardRun) refuse(format string, names ...string) error {
	return cli.Refuse(b.flags, format, names...)
}

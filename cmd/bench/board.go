package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"modebench/experiments/board"
	"modebench/experiments/board/foretell"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/results"
)

var boardCommand = command{
	name: "board", args: "[add FILE | add -- COMMAND... | foretell [SHORT LONG]] [flags]",
	summary: "every method in one table: ranks with intervals after tuning",
	detail: `
Runs all methods by one protocol and ranks them (docs/board.md; "modebench board 1"). On
every task each method is tried at nine settings on two tuning seeds. The one with the
largest area under the frontier of accuracy and diversity is run anew on ten evaluation
seeds, and with it the one that is most accurate and the one that is not tuned. All draw the
same number of tokens. Cells that are in OUT already are skipped, so a run that was stopped
goes on. With --policy transformer there are four settings and five seeds, and problems are
held out. Base policies are made first, and kept in the folder --cache (bench help run).

--keep DIR writes DIR/TASK.json, a result for each task, with the hashes of its cells. Methods
that are there already and are not among --methods stay as they are. --from DIR prints the
table of such results and runs nothing; --from published that of the results that come with the
program. With --methods it prints the rows of these methods as they are in that table: their ranks
are those among all methods.

  bench board --from published --methods grpo,vpo,poly-epo

--shard I/N runs a part of the methods, on any number of machines. Put the folders together
with bench merge, and run without --shard: nothing is left to train, and the table is printed.

bench board add puts a method of yours through the same protocol and places it among results that
are there (--from, by default the published ones), without running those again. FILE is a
.toml file with one [[method]] table as a spec has it, and if it has a knob, [tune] with knob =
"FIELD" and values = [A, B, C]; without it nine rates are tried. A .py file, or COMMAND, is a
plug-in (docs/plug-ins.md), which is started: its command line is printed first. The page that it
prints has the method's rank, score, cost and audit, the methods that behave most like it, and
what diversity it keeps at matched accuracy. --keep keeps its results alone. Cells go to
OUT/board-add unless --out is given.

bench board foretell holds two boards against each other: how alike they order methods, column
by column and task by task, how alike each orders them on other seeds, what bench audit
foretells of either, and by which methods the first misleads (docs/board.md). SHORT and LONG are
folders of results, or tabular and transformer for the published boards, which are compared where
none is given. Each board counts with the tasks that it has. --audit FILE takes the audit.json
of a bench audit of yours with groups of 16.

--figures DIR draws the table and the results too, as SVG and PNG or in --figure-format. --html FILE
writes one page that can be sent: the table, which sorts, filters and downloads as CSV, and figures
in which methods are turned on and off. It loads nothing. --show names the methods that stand out in
both, and all others are grey.`,
	without:  boardWithout,
	complete: first(fixed("add", "foretell")),
	setup: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
		b := boardRun{flags: flags}
		flags.StringVarP(&b.out, "out", "o", "results", "folder to write cells to")
		flags.IntVarP(&b.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "cells to run at the same time")
		flags.StringVar(&b.policy, "policy", "tabular", "board of this kind of policy: tabular or transformer")
		flags.StringVar(&b.cache, "cache", "", "folder to keep base policies in")
		flags.StringSliceVarP(&b.methods, "methods", "m", nil, "run these methods alone; with --from: print their rows alone")
		flags.StringSliceVar(&b.tasks, "tasks", nil, "run these tasks alone")
		flags.StringVar(&b.shard, "shard", "", "run a part of the methods: I/N, 0 <= I < N")
		flags.StringVar(&b.keep, "keep", "", "folder to keep results in")
		flags.StringVar(&b.from, "from", "", "print the table of the results in this folder, and run nothing; \"published\" are those that come with the program; with add: place the method among them")
		audit := flags.String("audit", "", "of foretell: the audit.json of bench audit to hold against the boards (default: the published one)")
		b.plugins.AddFlags(flags)
		figures := newBoardFigures(flags)
		form := flags.String("format", "text", "of the table: "+strings.Join(board.Formats(), ", ")+"; of add: "+strings.Join(board.PlaceFormats(), ", ")+"; of foretell: "+strings.Join(foretell.Formats(), ", "))
		return func(ctx context.Context, s streams, args []string) error {
			if len(args) > 0 && args[0] == boardAdd {
				if flags.Changed("figures") || flags.Changed("figure-format") || flags.Changed("show") || flags.Changed("html") {
					return usagef("bench board add draws no figures: leave out --figures, --figure-format, --html and --show")
				}
				if flags.Changed("audit") {
					return usagef("bench board add makes its own audit: leave out --audit")
				}
				ctx, stop := untilSignal(ctx)
				defer stop()
				b.streams = s
				return b.add(ctx, args[1:], flags.ArgsLenAtDash() == 1, *form)
			}
			if len(args) > 0 && args[0] == boardForetell {
				b.streams = s
				return b.foretell(args[1:], *form, *audit, figures)
			}
			if len(args) > 0 {
				return usagef("bench board takes no argument but add and foretell, got %q", args[0])
			}
			if *audit != "" {
				return usagef("--audit is of bench board foretell")
			}
			if !slices.Contains(board.Formats(), *form) {
				return usagef("--format %s: want one of %s", *form, strings.Join(board.Formats(), ", "))
			}
			if err := figures.check(flags, b.shard); err != nil {
				return err
			}
			if err := figures.checkNumber(); err != nil {
				return err
			}
			switch {
			case b.from == "":
				if err := figures.checkShown(b.methods); err != nil {
					return err
				}
			case len(b.methods) > 0 && figures.wanted():
				return usagef("--from with --methods prints some rows, and figures show all: leave out --methods; --show names those that stand out")
			}
			ctx, stop := untilSignal(ctx)
			defer stop()
			b.streams = s
			results, err := b.results(ctx)
			if err != nil || results == nil {
				return err
			}
			table, err := board.NewTable(results)
			if err != nil {
				return err
			}
			drawn, err := figures.ready(results, table)
			if err != nil {
				return err
			}
			if b.from != "" && len(b.methods) > 0 {
				if err := table.Keep(b.methods); err != nil {
					return err
				}
			}
			text, err := table.Write(*form)
			if err != nil {
				return err
			}
			if _, err := s.out.Write(text); err != nil {
				return err
			}
			return figures.save(s, drawn)
		}
	},
}

// boardWithout has the flags that are not of bench board add and of bench board foretell.
var boardWithout = map[string][]string{
	boardAdd:      {"methods", "shard", "audit", "figures", "figure-format", "html", "show"},
	boardForetell: {"policy", "methods", "shard", "keep", "from", "out", "jobs", "cache", "html", "no-plugins", "plugin-timeout"},
}

// A boardRun is one call of bench board.
type boardRun struct {
	streams
	flags                                 *pflag.FlagSet
	out, policy, shard, keep, from, cache string
	methods, tasks                        []string
	jobs                                  int
	plugins                               pluginFlags
}

// A loader gives the options by which the specs of a run are read.
type loader func(context.Context) spec.LoadOptions

// builtin is the loader of built-in methods: no plug-in is started.
func builtin(ctx context.Context) spec.LoadOptions { return spec.LoadOptions{Context: ctx} }

// results are those of the tasks, run or read; nil in a run of a part.
func (b *boardRun) results(ctx context.Context) ([]*board.Result, error) {
	if b.jobs < 1 {
		return nil, usagef("--jobs is %d, want 1 or more", b.jobs)
	}
	for _, name := range []string{"shard", "keep"} {
		if b.from != "" && b.flags.Changed(name) {
			return nil, usagef("--from prints what is kept and runs nothing: leave out --%s", name)
		}
	}
	if b.keep != "" && b.flags.Changed("shard") {
		return nil, usagef("--shard makes no results to keep: leave out --keep until the folders are merged")
	}
	all, err := board.Tasks(b.policy)
	if err != nil {
		return nil, err
	}
	tasks, err := board.Keep(all, "task", "tasks", b.tasks)
	if err != nil {
		return nil, err
	}
	if b.from != "" {
		return b.read(tasks)
	}
	part := func(int) bool { return true }
	if b.flags.Changed("shard") {
		shard, err := sweep.ParseShard(b.shard, os.Getenv)
		if err != nil {
			return nil, usagef("--shard %s: %w", b.shard, err)
		}
		part = shard.Has
	}
	return b.run(ctx, tasks, part)
}

// published is what --from calls the results that come with the program.
const published = "published"

// source is the folder that --from names.
func (b *boardRun) source() (fs.FS, error) {
	if b.from == published {
		return fs.Sub(results.Board, "board/"+b.policy)
	}
	return keptFiles(b.from), nil
}

// read reads the results of tasks that are kept.
func (b *boardRun) read(tasks []board.Task) (out []*board.Result, err error) {
	source, err := b.source()
	if err != nil {
		return nil, err
	}
	err = b.files(source, tasks, "task", func(t board.Task, path string, data []byte) error {
		r, err := board.ParseResult(path, data)
		if err != nil {
			return err
		}
		if r.Task != t.Name {
			return inputError(fmt.Errorf("%s holds the result of task %s", path, r.Task))
		}
		if r.Policy != t.Policy {
			return inputError(fmt.Errorf("%s is of policy %s, want %s: see --policy", path, r.Policy, t.Policy))
		}
		out = append(out, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if out == nil {
		return nil, inputError(fmt.Errorf("%s holds no results of the board: want TASK.json, as bench board --keep writes them", b.from))
	}
	return out, nil
}

// keptFiles is a folder of results, whose files record.OpenBelow opens: it refuses a pipe
// among them and does not wait.
type keptFiles string

func (f keptFiles) Open(name string) (fs.File, error) {
	file, err := record.OpenBelow(string(f), filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	return file, nil
}

// files hands over what is kept of each task. One that is missing is noted, unless tasks are asked
// for by name. kind is what a task is called.
func (b *boardRun) files(source fs.FS, tasks []board.Task, kind string, each func(t board.Task, path string, data []byte) error) error {
	var missing []string
	for _, t := range tasks {
		file := t.Name + ".json"
		data, err := fs.ReadFile(source, file)
		if errors.Is(err, fs.ErrNotExist) && b.tasks == nil {
			missing = append(missing, t.Name)
			continue
		}
		if err != nil {
			return err
		}
		if err := each(t, filepath.Join(b.from, file), data); err != nil {
			return err
		}
	}
	if len(missing) < len(tasks) { // of nothing at all the caller says so
		for _, name := range missing {
			b.note(fmt.Sprintf("%s holds no result of %s %s", b.from, kind, name))
		}
	}
	return nil
}

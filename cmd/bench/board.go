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
	"sync"
	"time"

	"github.com/spf13/pflag"

	"modebench/experiments/board"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/internal/atomicfile"
	"modebench/results"
)

var boardCommand = command{
	name: "board", args: "[add FILE | add -- COMMAND... | foretell [SHORT LONG]] [flags]",
	summary: "every method in one table: ranks with intervals after equal tuning",
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
program.

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

--figures DIR draws the table and the results too, as SVG and PNG. --show names the methods that
stand out there, and all others are grey.`,
	setup: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
		b := boardRun{flags: flags}
		flags.StringVarP(&b.out, "out", "o", "results", "folder to write cells to")
		flags.IntVarP(&b.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "cells to run at the same time")
		flags.StringVar(&b.policy, "policy", "tabular", "board of this kind of policy: tabular or transformer")
		flags.StringVar(&b.cache, "cache", "", "folder to keep base policies in")
		flags.StringSliceVarP(&b.methods, "methods", "m", nil, "run these methods alone")
		flags.StringSliceVar(&b.tasks, "tasks", nil, "run these tasks alone")
		flags.StringVar(&b.shard, "shard", "", "run a part of the methods: I/N, 0 <= I < N")
		flags.StringVar(&b.keep, "keep", "", "folder to keep results in")
		flags.StringVar(&b.from, "from", "", "print the table of the results in this folder, and run nothing; \"published\" are those that come with the program; with add: place the method among them")
		audit := flags.String("audit", "", "of foretell: the audit.json of bench audit to hold against the boards (default: the published one)")
		b.plugins = newPluginFlags(flags)
		figures := newBoardFigures(flags)
		form := flags.String("format", "text", "of the table: "+strings.Join(board.Formats(), ", ")+"; of add: "+strings.Join(board.PlaceFormats(), ", ")+"; of foretell: "+strings.Join(board.ForetellFormats(), ", "))
		return func(ctx context.Context, s streams, args []string) error {
			if len(args) > 0 && args[0] == boardAdd {
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
			if err := figures.check(b.shard); err != nil {
				return err
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
			text, err := table.Write(*form)
			if err != nil {
				return err
			}
			if _, err := s.out.Write(text); err != nil {
				return err
			}
			return figures.draw(s, results, table)
		}
	},
}

// A boardRun is one call of bench board.
type boardRun struct {
	streams
	flags                                 *pflag.FlagSet
	out, policy, shard, keep, from, cache string
	methods, tasks                        []string
	jobs                                  int
	plugins                               pluginFlags
	options                               func(context.Context) spec.LoadOptions // of specs; nil: no plug-in is started
}

// results are those of the tasks, run or read; nil in a run of a part.
func (b *boardRun) results(ctx context.Context) ([]*board.Result, error) {
	if b.jobs < 1 {
		return nil, usagef("--jobs is %d, want 1 or more", b.jobs)
	}
	for _, name := range []string{"methods", "shard", "keep"} {
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
	return os.DirFS(b.from), nil
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

// files hands over what is kept of each task. One that is missing is noted, unless tasks are asked
// for by name. kind is what a task is called.
func (b *boardRun) files(source fs.FS, tasks []board.Task, kind string, each func(t board.Task, path string, data []byte) error) error {
	for _, t := range tasks {
		file := t.Name + ".json"
		data, err := fs.ReadFile(source, file)
		if errors.Is(err, fs.ErrNotExist) && b.tasks == nil {
			fmt.Fprintf(b.err, "%s holds no result of %s %s\n", b.from, kind, t.Name)
			continue
		}
		if err != nil {
			return err
		}
		if err := each(t, filepath.Join(b.from, file), data); err != nil {
			return err
		}
	}
	return nil
}

// A placement is the methods of a task under way.
type placement struct {
	board.Task
	entrants []board.Entrant
	unfit    []board.Unfit
	chosen   []board.Chosen
	tried    map[string][]board.Tried
	result   *board.Result
	measured *board.Measured // of a capability, in place of the result
	tuning   []*record.Run   // its runs on tuning seeds
}

// run tunes and evaluates.
func (b *boardRun) run(ctx context.Context, tasks []board.Task, part func(int) bool) ([]*board.Result, error) {
	wanted := b.methods
	if len(wanted) > 0 && b.keep == "" {
		wanted = append(slices.Clone(wanted), board.Reference) // what scores are measured by
	}
	list, err := b.enter(ctx, tasks, wanted, part)
	if err != nil {
		return nil, err
	}
	if err := b.stages(ctx, list); err != nil {
		return nil, err
	}
	if b.flags.Changed("shard") {
		fmt.Fprintf(b.streams.out, "records: %s, of a part of the methods; without --shard the table is printed\n", filepath.Join(b.out, record.CellsDir))
		return nil, nil
	}
	var out []*board.Result
	for _, p := range list {
		if p.result == nil {
			continue
		}
		if b.keep != "" {
			if p.result, err = keepIn(b.keep, p.Name, p.result, board.ReadResult); err != nil {
				return nil, err
			}
		}
		out = append(out, p.result)
	}
	return out, nil
}

// enter makes ready the wanted methods on the tasks, of which part says which are run here.
func (b *boardRun) enter(ctx context.Context, tasks []board.Task, wanted []string, part func(int) bool) (list []*placement, err error) {
	grid, err := board.Published()
	if err != nil {
		return nil, err
	}
	methods, err := grid.Names(wanted)
	if err != nil {
		return nil, err
	}
	number := 0
	for _, t := range tasks {
		p := &placement{Task: t}
		if p.entrants, p.unfit, err = t.Entrants(grid, methods, spec.LoadOptions{Context: ctx}); err != nil {
			return nil, err
		}
		p.entrants = slices.DeleteFunc(p.entrants, func(board.Entrant) bool { number++; return !part(number - 1) })
		list = append(list, p)
	}
	return list, nil
}

// stages tunes and evaluates the entrants.
func (b *boardRun) stages(ctx context.Context, list []*placement) error {
	err := b.stage(ctx, board.Task.Tuning, list, (*placement).settings, func(p *placement, runs []*record.Run) (err error) {
		p.tuning = runs
		if p.tried, err = p.Tried(runs, p.settings()); err != nil {
			return err
		}
		for _, n := range p.entrants {
			p.chosen = append(p.chosen, n.Choose(p.tried[n.Method])...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.stage(ctx, board.Task.Evaluation, list, (*placement).evaluated, func(p *placement, runs []*record.Run) (err error) {
		if p.Capability != nil {
			p.measured, err = p.Measured(runs, p.chosen, p.tried, p.unfit)
		} else {
			p.result, err = p.Result(runs, p.chosen, p.tried, p.unfit)
		}
		return err
	})
}

func (p *placement) settings() (out []board.Entry) {
	for _, n := range p.entrants {
		out = append(out, n.Settings...)
	}
	return out
}

func (p *placement) evaluated() (out []board.Entry) {
	for _, c := range p.chosen {
		out = append(out, c.Entry)
	}
	return out
}

// stage runs the specs of a stage, those of all tasks together, and hands each task its runs.
func (b *boardRun) stage(ctx context.Context, stage func(board.Task) board.Stage, list []*placement, entries func(*placement) []board.Entry, done func(*placement, []*record.Run) error) error {
	opt := spec.LoadOptions{Context: ctx}
	if b.options != nil {
		opt = b.options(ctx)
	}
	var specs []*spec.Spec
	var of []*placement
	for _, p := range list {
		own, err := p.Specs(stage(p.Task), entries(p), opt)
		if err != nil {
			return err
		}
		for _, s := range own {
			specs, of = append(specs, s), append(of, p)
		}
	}
	if specs == nil {
		return nil
	}
	name, began := stage(list[0].Task).Name, time.Now()
	fmt.Fprintf(b.err, "%s: ", name)
	options := sweep.Options{Out: b.out, Jobs: b.jobs, Cache: b.cache}
	finish := showAllInLines(b.streams, specs, &options)
	var mu sync.Mutex
	runs := make([]*record.Run, len(specs))
	err := sweep.RunAll(ctx, specs, options, func(i int, run *record.Run) error {
		mu.Lock()
		defer mu.Unlock()
		runs[i] = run
		return nil
	})
	finish()
	if err != nil {
		return err
	}
	fmt.Fprintf(b.err, "%s took %v\n", name, time.Since(began).Round(time.Second))
	for _, p := range list {
		var own []*record.Run
		for i := range runs {
			if of[i] == p {
				own = append(own, runs[i])
			}
		}
		if own != nil {
			if err := done(p, own); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepIn adds results of a task to what the folder has of it, and returns all of it.
func keepIn[D interface {
	Add(D) error
	Text() []byte
}](folder, task string, results D, read func(path string) (D, error)) (D, error) {
	path := filepath.Join(folder, task+".json")
	all, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		all = results
	case err != nil:
		return all, err
	default:
		if err := all.Add(results); err != nil {
			return all, inputError(fmt.Errorf("%s: %w", path, err))
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return all, err
	}
	return all, atomicfile.Write(path, all.Text())
}

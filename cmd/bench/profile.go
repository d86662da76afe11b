package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/board"
	"modebench/experiments/board/contest"
	"modebench/experiments/board/profile"
	"modebench/plots/boardplot"
)

func newProfileCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "profile [METHOD... | add FILE | add -- COMMAND...] [flags]", Short: "what methods are capable of: eight short tasks, from 0 to 1 with intervals",
		ValidArgsFunction: completed(func([]string) []string { return append([]string{"add"}, methodNames()...) }),
		Long: `
Prints the profiles of the named methods, or of all: how far they get, from 0 to 1, in reaching
the reward, keeping modes, finding rare ones, best@k at large k, vector rewards, without labels,
under a noisy judge and in small groups. Each is a short task of its own, whose file says why it
measures that (docs/board.md). The numbers are those that come with the program, or with --from DIR
those of a folder.

--run runs them anew: on every task a method is tried at four settings on two tuning seeds, and
the best one is run on ten evaluation seeds. Cells that are in OUT already are skipped. --keep DIR
writes DIR/CAPABILITY.json, in which other methods stay as they are.

bench profile add runs a method of yours and prints its profile beside that of grpo. FILE and
COMMAND are as of bench board add (bench help board). Cells go to OUT/profile-add unless --out is
given.

--figures DIR draws the profiles of the named methods, at most eight, as SVG and PNG or in
--figure-format; where none is named, those of the first eight rows.`,
	}, &profileOptions{boardRun: boardRun{policy: board.Profile}})
}

type profileOptions struct {
	boardRun
	anew          bool
	figures, form string
	formats       []string // of figures
}

// AddFlags declares the flags.
func (p *profileOptions) AddFlags(flags *pflag.FlagSet) {
	p.flags = flags
	flags.StringVarP(&p.out, "out", "o", "results", "folder to write cells to")
	flags.IntVarP(&p.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "cells to run at the same time")
	flags.StringSliceVar(&p.tasks, "capabilities", nil, "these capabilities alone")
	flags.StringVar(&p.keep, "keep", "", "folder to keep results in")
	flags.StringVar(&p.from, "from", published, "folder with results; \"published\" are those that come with the program")
	flags.BoolVar(&p.anew, "run", false, "run the methods, and do not read results")
	p.plugins.AddFlags(flags)
	flags.StringVar(&p.figures, "figures", "", "folder to draw figures into")
	addFigureFormat(flags, &p.formats)
	flags.StringVar(&p.form, "format", "text", strings.Join(profile.Formats(), ", "))
}

func (p *profileOptions) run(ctx context.Context, s streams, args []string) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	p.streams = s
	if len(args) > 0 && args[0] == boardAdd {
		return p.add(ctx, args[1:], p.flags.ArgsLenAtDash() == 1, p.form)
	}
	return p.show(ctx, args, p.form)
}

// capabilities are those that are asked for.
func (p *profileOptions) capabilities() ([]board.Task, error) {
	all, err := profile.Capabilities()
	if err != nil {
		return nil, err
	}
	return board.Keep(all, "capability", "capabilities", p.tasks)
}

// show prints the profiles of methods, run or read.
func (p *profileOptions) show(ctx context.Context, methods []string, form string) error {
	if !slices.Contains(profile.Formats(), form) {
		return usagef("--format %s: want one of %s", form, strings.Join(profile.Formats(), ", "))
	}
	if p.jobs < 1 {
		return usagef("--jobs is %d, want 1 or more", p.jobs)
	}
	for _, name := range []string{"out", "jobs", "keep"} {
		if !p.anew && p.flags.Changed(name) {
			return usagef("--%s is of a run, and without --run nothing is run", name)
		}
	}
	if p.anew && p.flags.Changed("from") {
		return usagef("--from prints what is kept, and --run runs anew: want one of the two")
	}
	if err := checkFigureFormat(p.flags, p.formats, p.figures != ""); err != nil {
		return err
	}
	if p.figures != "" && len(methods) > boardplot.MostRadars {
		return usagef("--figures draws at most %d methods, got %d", boardplot.MostRadars, len(methods))
	}
	tasks, err := p.capabilities()
	if err != nil {
		return err
	}
	var documents []*profile.Measured
	if p.anew {
		documents, err = p.runAnew(ctx, tasks, methods)
	} else {
		documents, err = p.read(tasks)
	}
	if err != nil {
		return err
	}
	profiles, err := profile.New(documents, methods)
	if err != nil {
		return err
	}
	return p.print(profiles, methods, form)
}

// print writes the profiles, and draws those of the methods that are shown where --figures asks
// for it.
func (p *profileOptions) print(profiles *profile.Profiles, shown []string, form string) error {
	text, err := profiles.Write(form)
	if err != nil {
		return err
	}
	if p.figures == "" {
		_, err := p.streams.out.Write(text)
		return err
	}
	figure, err := boardplot.Radars(profiles, shown)
	if err != nil {
		return err
	}
	if _, err := p.streams.out.Write(text); err != nil {
		return err
	}
	return saveFigures(p.streams, p.figures, p.formats, []boardplot.Figure{{Name: "radar", Figure: figure}})
}

// read reads what is kept of capabilities.
func (p *profileOptions) read(tasks []board.Task) (out []*profile.Measured, err error) {
	source, err := p.source()
	if err != nil {
		return nil, err
	}
	err = p.files(source, tasks, "capability", func(t board.Task, path string, data []byte) error {
		m, err := profile.Parse(path, data)
		if err != nil {
			return err
		}
		if m.Capability != t.Name {
			return inputError(fmt.Errorf("%s holds the results of capability %s", path, m.Capability))
		}
		out = append(out, m)
		return nil
	})
	if err == nil && out == nil {
		err = inputError(fmt.Errorf("%s holds no profiles: want CAPABILITY.json, as bench profile --run --keep writes them", p.from))
	}
	return out, err
}

// run tunes and evaluates the methods, and keeps what they came to.
func (p *profileOptions) runAnew(ctx context.Context, tasks []board.Task, methods []string) ([]*profile.Measured, error) {
	list, err := contest.Enter(ctx, tasks, methods, nil)
	if err != nil {
		return nil, err
	}
	if err := p.contest(builtin).Stages(ctx, list); err != nil {
		return nil, err
	}
	return p.measured(list)
}

// measured are the documents of capabilities, with what was kept of them before.
func (p *profileOptions) measured(list []*contest.Placement) (out []*profile.Measured, err error) {
	for _, placed := range list {
		m := placed.Measured
		if m == nil { // no method fits
			if m, err = profile.Measure(placed.Task, nil, nil, nil, placed.Unfit); err != nil {
				return nil, err
			}
		}
		if p.keep != "" {
			if m, err = contest.Keep(p.keep, placed.Name, m, profile.Read); err != nil {
				return nil, err
			}
		}
		out = append(out, m)
	}
	return out, nil
}

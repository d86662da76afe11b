package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/board"
	"modebench/experiments/board/contest"
	"modebench/experiments/board/profile"
	"modebench/experiments/catalog"
	"modebench/internal/cli"
	"modebench/internal/input"
	"modebench/plots/boardplot"
	"modebench/plots/draw"
)

func newProfileCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "profile [METHOD... | add FILE | add -- COMMAND...] [flags]", Short: "what methods are capable of: eight short tasks, from 0 to 1 with intervals",
		ValidArgsFunction: cli.Completed(func([]string) []string { return append([]string{"add"}, catalog.Methods()...) }),
		Long: `
Prints the profiles of the named methods, or of all: how far they get, from 0 to 1, in reaching
the reward, keeping modes, finding rare ones, best@k at large k, vector rewards, without labels,
under a noisy judge and in small groups. Each is a short task of its own, whose file has
the reason why it measures that (docs/board.md). The numbers are those that come with the
program, or with --from DIR those of a folder.

--run runs them anew: on every task a method is tried at four settings on two tuning seeds, and
the best one is run on ten evaluation seeds. Cells that are in OUT already are skipped. --keep DIR
writes DIR/CAPABILITY.json, in which other methods stay as they are.

bench profile add runs a method of yours and prints its profile beside that of grpo. FILE and
COMMAND are as of bench board add (bench help board). Cells go to OUT/profile-add unless --out is
given.

--draw DIR draws the profiles of the named methods, at most eight, as SVG and PNG or in
--figure-format; by default those of the first eight rows.`,
	}, &profileOptions{})
}

type profileOptions struct {
	boardRun
	anew    bool
	figures string
	formats []string // of figures
}

func (p *profileOptions) AddFlags(flags *pflag.FlagSet) {
	p.policy = board.Profile
	p.addRunFlags(flags)
	flags.StringSliceVar(&p.tasks, "capabilities", nil, "these capabilities alone")
	flags.StringVar(&p.keep, "keep", "", "folder to keep results in")
	flags.StringVar(&p.from, "from", published, "folder with results; \"published\" are those that come with the program")
	flags.BoolVar(&p.anew, "run", false, "run the methods, and do not read results")
	p.plugins.AddFlags(flags)
	flags.StringVar(&p.figures, "draw", "", "folder to draw figures into")
	addFigureFormats(flags, &p.formats)
	flags.StringVar(&p.form, "format", "text", strings.Join(profile.Formats(), ", "))
}

func (p *profileOptions) run(ctx context.Context, s streams, args []string) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	p.streams = s
	if len(args) > 0 && args[0] == boardAdd {
		return p.add(ctx, args[1:])
	}
	if err := p.check(args); err != nil {
		return err
	}
	tasks, err := p.capabilities()
	if err != nil {
		return err
	}
	documents, err := p.documents(ctx, tasks, args)
	if err != nil {
		return err
	}
	return p.print(documents, args)
}

// check checks the flags, but for those of add.
func (p *profileOptions) check(methods []string) error {
	err := cmp.Or(p.checkForm("", profile.Formats()), checkFigureFormat(p.flags, p.figures, p.formats))
	switch {
	case err != nil:
		return err
	case p.figures != "" && len(methods) > boardplot.MostRadars:
		return usagef("--draw draws at most %d methods, got %d", boardplot.MostRadars, len(methods))
	case p.anew:
		return p.refuse("--%s prints what is kept, and --run runs anew: want one of the two", "from")
	}
	return p.refuse("--%s is of a run, and without --run nothing is run", "out", "jobs", "keep")
}

// capabilities are those that --capabilities names, or all.
func (p *profileOptions) capabilities() ([]board.Task, error) {
	all, err := profile.Capabilities()
	if err != nil {
		return nil, err
	}
	return board.Keep(all, "capability", "capabilities", p.tasks)
}

// documents are the results of methods, run or read.
func (p *profileOptions) documents(ctx context.Context, tasks []board.Task, methods []string) ([]*profile.Measured, error) {
	if !p.anew {
		return p.read(tasks)
	}
	list, err := contest.Enter(ctx, tasks, methods, nil, nil)
	if err != nil {
		return nil, err
	}
	if err := p.contest(builtin).Tune(ctx, list); err != nil {
		return nil, err
	}
	return p.measured(list)
}

// print writes the profiles, and draws those of the methods that are shown if --draw asks for it.
func (p *profileOptions) print(documents []*profile.Measured, shown []string) error {
	profiles, err := profile.New(documents, shown)
	if err != nil {
		return err
	}
	text, err := profiles.Write(p.form)
	if err != nil {
		return err
	}
	var figure *draw.Figure
	if p.figures != "" {
		if figure, err = boardplot.Radars(profiles, shown); err != nil {
			return err
		}
	}
	_, _ = p.streams.out.Write(text)
	return saveFigures(p.streams, p.figures, p.formats, boardplot.Figure{Name: "radar", Figure: figure})
}

// read reads what is kept of capabilities.
func (p *profileOptions) read(tasks []board.Task) ([]*profile.Measured, error) {
	list, err := readKept(&p.boardRun, tasks, "capability", func(t board.Task, path string, data []byte) (*profile.Measured, error) {
		m, err := profile.Parse(path, data)
		if err == nil && m.Capability != t.Name {
			err = input.Errorf("%s holds the results of capability %s", path, m.Capability)
		}
		return m, err
	})
	if err == nil && list == nil {
		err = input.Errorf("%s holds no profiles: want CAPABILITY.json, as bench profile --run --keep writes them", p.from)
	}
	return list, err
}

// measured are the documents of capabilities, with the results that were kept before.
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

// add runs the method of the arguments, and prints its profile beside that of the reference.
func (p *profileOptions) add(ctx context.Context, args []string) error {
	o, err := p.newOwn("profile", args, profile.Formats(), []string{"run"})
	if err != nil {
		return err
	}
	tasks, err := p.capabilities()
	if err != nil {
		return err
	}
	documents, err := p.read(tasks)
	if err != nil {
		return err
	}
	if err := profile.Among(o.method, documents); err != nil {
		return err
	}
	grid, err := board.Published()
	if err != nil {
		return err
	}
	list, err := o.compete(ctx, grid, slices.DeleteFunc(slices.Clone(tasks), func(t board.Task) bool {
		return !slices.ContainsFunc(documents, func(m *profile.Measured) bool { return m.Capability == t.Name })
	}), func(board.Task) *board.Result { return nil }, fresh)
	if err != nil {
		return err
	}
	mine, err := p.measured(list)
	if err != nil {
		return err
	}
	for _, m := range documents {
		i := slices.IndexFunc(mine, func(found *profile.Measured) bool { return found.Capability == m.Capability })
		if i < 0 {
			m.Unfit = append(m.Unfit, board.Unfit{Method: o.method.Name, Why: o.unfit[m.Capability]})
		} else if err := m.Add(mine[i]); err != nil {
			return err
		}
	}
	return p.print(documents, []string{o.method.Name, board.Reference})
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/audit"
	"modebench/experiments/board"
	"modebench/experiments/board/contest"
	"modebench/experiments/board/foretell"
	"modebench/experiments/record"
	"modebench/internal/cli"
	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/results"
)

func newBoardCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "board [add FILE | add -- COMMAND... | verify DIR | foretell [SHORT LONG]] [flags]", Short: "every method in one table: ranks with intervals after tuning",
		Annotations:       map[string]string{boardAdd: strings.Join(addWithout, " "), boardVerify: strings.Join(verifyWithout, " "), boardForetell: strings.Join(foretellWithout, " ")},
		ValidArgsFunction: cli.First(fixed("add", "verify", "foretell")),
		Long: `
Runs all methods by one protocol and ranks them (docs/board.md; "modebench board 2"). On
every task each method is tried at twelve settings for half of the budget on one seed, and the
best four on two more seeds. The one with the largest area under the frontier of accuracy and
diversity is run anew on twelve evaluation seeds, and on up to forty as long as it is undecided
beside grpo. All draw the same number of tokens. Cells that are in OUT already are skipped, and so
are methods whose results are in --keep: a run that was stopped continues. With --policy
transformer problems are held out. Base policies are made first, and kept in the folder --cache
(bench help run).

--keep DIR writes DIR/TASK.json, a result for each task, with the hashes of its cells. Methods
that are there already and are not among --methods stay as they are. --from DIR prints the
table of such results and runs nothing; --from published that of the results that come with the
program. With --methods it prints the rows of these methods as they are in that table: their ranks
are those among all methods.

  bench board --from published --methods grpo,vpo,poly-epo

--shard I/N runs GRPO and a part of the others, on any number of machines, on the first twelve seeds. Put
the folders together with bench merge, and run without --shard: methods get the seeds that they
need, and the table is printed.

bench board add puts a method of yours through the same protocol and places it among results that
are there (--from, by default the published ones), without running those again. FILE is a
.toml file with one [[method]] table as a spec has it, and if it has a knob, [tune] with knob =
"FIELD" and values = [A, B, C]; without it twelve rates are tried. A .py file, or COMMAND, is a
plug-in (docs/plug-ins.md), which is started: its command line is printed first. The page that it
prints has the method's rank, score, cost and audit, the methods from which it surely differs and
those that behave most like it. --keep keeps its results alone. Cells go to
OUT/board-add unless --out is given.

bench board verify runs a submitted row again, tuning included, and compares its results to the
bit. DIR has the method's file as method.toml, and TASK.json as add --keep writes them. --tasks
verifies a part of it. Cells go to a folder that is removed, unless --out is given. The program of
a plug-in is its author's: it starts only with --no-plugins=false. The exit code is 5 if a result
differs. --from community prints the table of the submitted rows that come with the program, and
--from DIR that of a folder like results/community.

bench board foretell compares two boards: how alike they order methods, column by column and task
by task, and which methods are better than grpo on one and worse on the other. Both are compared
with results that papers published. SHORT and LONG are folders of results, or tabular and transformer for the published boards,
which are compared by default. Each board counts with the tasks that it has.

--draw DIR draws the table and the results too, as SVG and PNG or in --figure-format. --html FILE
writes one page that can be sent: the table, which sorts, filters and downloads as CSV, and figures
in which methods are turned on and off. It loads nothing. --show names the methods to highlight in
both; all others are grey.`,
	}, &boardOptions{})
}

// The flags that bench board add, verify and foretell do not take.
var (
	addWithout      = []string{"methods", "shard", "draw", "figure-format", "html", "show"}
	verifyWithout   = append([]string{"keep"}, addWithout...)
	foretellWithout = []string{"policy", "methods", "shard", "keep", "from", "out", "jobs", "cache", "html", "no-plugins", "plugin-timeout"}
)

type boardOptions struct {
	boardRun
	figures boardFigures
}

func (o *boardOptions) AddFlags(flags *pflag.FlagSet) {
	o.addRunFlags(flags)
	flags.StringVar(&o.policy, "policy", "tabular", "board of this kind of policy: tabular or transformer")
	flags.StringVar(&o.cache, "cache", "", "folder to keep base policies in")
	flags.StringSliceVarP(&o.methods, "methods", "m", nil, "run these methods alone; with --from: print their rows alone")
	flags.StringSliceVar(&o.tasks, "tasks", nil, "run these tasks alone")
	addShard(flags, &o.shard, "run a part of the methods: I/N, 0 <= I < N")
	flags.StringVar(&o.keep, "keep", "", "folder to keep results in")
	flags.StringVar(&o.from, "from", "", "print the table of the results in this folder, and run nothing; \"published\" are those that come with the program, and \"community\" the submitted ones; with add: place the method among them")
	o.plugins.AddFlags(flags)
	o.figures.AddFlags(flags)
	flags.StringVar(&o.form, "format", "text", "of the table: "+strings.Join(board.Formats(), ", ")+"; of add: "+strings.Join(board.PlaceFormats(), ", ")+"; of foretell: "+strings.Join(foretell.Formats(), ", "))
}

func (o *boardOptions) run(ctx context.Context, s streams, args []string) error {
	o.streams = s
	switch {
	case len(args) > 0 && args[0] == boardForetell:
		return o.foretell(args[1:])
	case len(args) > 0 && args[0] != boardAdd && args[0] != boardVerify:
		return usagef("bench board takes no argument but add, verify and foretell, got %q", args[0])
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	switch {
	case len(args) == 0:
		return o.table(ctx)
	case args[0] == boardVerify:
		return o.verify(ctx, args[1:])
	}
	return o.add(ctx, args[1:])
}

// table prints the table, and draws its figures.
func (o *boardOptions) table(ctx context.Context) error {
	if err := o.check(); err != nil {
		return err
	}
	claims, err := o.claims()
	if err != nil {
		return err
	}
	results, err := o.results(ctx)
	if err != nil || results == nil {
		return err
	}
	var table *board.Table
	if claims == nil {
		table, err = board.NewTable(results)
	} else {
		table, err = board.NewCommunityTable(results, claims)
	}
	if err != nil {
		return err
	}
	save, err := o.figures.draw(results, table)
	if err != nil {
		return err
	}
	if o.from != "" && len(o.methods) > 0 {
		if err := table.Keep(o.methods); err != nil {
			return err
		}
	}
	text, err := table.Write(o.form)
	if err != nil {
		return err
	}
	_, _ = o.streams.out.Write(text)
	return save(o.streams)
}

// community is the value of --from for the submitted rows that come with the program.
const community = "community"

// claims are the submitted rows in the folder of --from, to be ranked among the published results; nil: it is no such
// folder.
func (o *boardOptions) claims() ([]*board.Claim, error) {
	files, folder := os.DirFS(o.from), o.from
	if folder == community {
		files, _ = fs.Sub(results.Community, community) // which is there
	} else if _, err := fs.Stat(files, board.ReproducedFile); folder == "" || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if o.figures.wanted() {
		return nil, usagef("--from %s prints submitted rows, and figures show published ones: leave out --draw and --html", folder)
	}
	tasks, err := o.boardTasks()
	if err != nil {
		return nil, err
	}
	o.from = published
	return board.ReadCommunity(files, folder, tasks)
}

// check checks the flags of the table.
func (o *boardOptions) check() error {
	if err := cmp.Or(o.checkForm("", board.Formats()), o.figures.check(o.flags), o.figures.checkNumber()); err != nil {
		return err
	}
	switch {
	case o.from == "":
		return o.figures.checkShown(o.methods)
	case len(o.methods) > 0 && o.figures.wanted():
		return usagef("--from with --methods prints some rows, and figures show all: leave out --methods; --show highlights some")
	}
	return o.refuse("--from prints what is kept and runs nothing: leave out --%s", "shard", "keep")
}

// results are those of the tasks, run or read; nil in a run of a part.
func (o *boardOptions) results(ctx context.Context) ([]*board.Result, error) {
	tasks, err := o.boardTasks()
	if err != nil {
		return nil, err
	}
	if o.from != "" {
		return o.read(tasks)
	}
	var part func(int) bool
	if o.flags.Changed("shard") {
		part = o.shard.Has
	}
	list, err := contest.Enter(ctx, tasks, o.methods, part, o.kept)
	if err != nil {
		return nil, err
	}
	c := o.contest(builtin)
	c.Keep = o.keepResult
	if err := c.Tune(ctx, list); err != nil {
		return nil, err
	}
	if part != nil {
		fmt.Fprintf(o.streams.out, "records: %s, of a part of the methods; without --shard more seeds are run and the table is printed\n", filepath.Join(o.out, record.CellsDir))
		return nil, nil
	}
	results := each.Map(list, func(p *contest.Placement) *board.Result { return p.Result })
	if err := c.Extend(ctx, list, func(look int) ([]string, error) { return board.Undecided(results, look) }); err != nil {
		return nil, err
	}
	return results, o.carry(ctx, c, list, len(tasks))
}

// carry evaluates methods with one setting for all tasks, if they were run on all.
func (b *boardRun) carry(ctx context.Context, c *contest.Contest, list []*contest.Placement, tasks int) error {
	all, err := board.Tasks(b.policy)
	if err != nil || len(all) != tasks {
		return err
	}
	return c.Carry(ctx, list)
}

// add places the method of the arguments among published results.
func (o *boardOptions) add(ctx context.Context, args []string) error {
	submitted, err := o.newOwn("board", args, board.PlaceFormats(), addWithout)
	if err != nil {
		return err
	}
	tasks, err := o.boardTasks()
	if err != nil {
		return err
	}
	results, err := o.read(tasks)
	if err != nil {
		return err
	}
	if err := submitted.method.Among(results); err != nil {
		return err
	}
	place, err := submitted.place(ctx, tasks, results)
	if err != nil {
		return err
	}
	if place.Audit, err = submitted.audit(ctx); err != nil {
		return err
	}
	text, err := place.Write(o.form)
	if err != nil {
		return err
	}
	if o.form == "text" && place.Audit != nil {
		text = append(text, "\n"+audit.Text(place.Audit, false)...)
	}
	_, err = o.streams.out.Write(text)
	return err
}

// boardTasks are the tasks of the policy's board that --tasks names, or all.
func (o *boardOptions) boardTasks() ([]board.Task, error) {
	all, err := board.Tasks(o.policy)
	if err != nil {
		return nil, err
	}
	return board.Keep(all, "task", "tasks", o.tasks)
}

// read reads the results of tasks in the folder of --from.
func (o *boardOptions) read(tasks []board.Task) ([]*board.Result, error) {
	list, err := readKept(&o.boardRun, tasks, "task", func(t board.Task, path string, data []byte) (*board.Result, error) {
		r, err := board.ParseFinished(t, path, data)
		if err == nil && r.Policy != t.Policy {
			err = input.Errorf("%s is of policy %s, want %s: see --policy", path, r.Policy, t.Policy)
		}
		return r, err
	})
	if err == nil && list == nil {
		err = noResults(o.from)
	}
	return list, err
}

func noResults(folder string) error {
	return input.Errorf("%s holds no results of the board: want TASK.json, as bench board --keep writes them", folder)
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"modebench/experiments/audit"
	"modebench/experiments/board"
	"modebench/experiments/board/contest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/each"
)

// boardAdd is the word behind bench board and bench profile that runs a method of the user's.
const boardAdd = "add"

// An ownRun is one call of bench board add or bench profile add.
type ownRun struct {
	*boardRun
	method *board.Submission
	start  func(line string) error // of all its specs, so that a plug-in is named once
	unfit  map[string]string       // tasks that the method does not fit, and why
	runs   *contest.Contest
}

// newOwn reads the method of the arguments behind add, a file or the command of a plug-in, and checks
// the flags, of which without are not taken.
func (b *boardRun) newOwn(command string, args, forms, without []string) (*ownRun, error) {
	err := cmp.Or(b.refuse("bench "+command+" add takes no --%s", without...), b.checkForm("of bench "+command+" add ", forms))
	if err != nil {
		return nil, err
	}
	if !b.flags.Changed("out") { // the manifests of bench board stay as they are
		b.out = filepath.Join(b.out, command+"-add")
	}
	b.from = cmp.Or(b.from, published)
	o := &ownRun{boardRun: b, start: b.plugins.start(b.streams)}
	switch {
	case b.flags.ArgsLenAtDash() == 1:
		o.method, err = board.CommandSubmission(args)
	case len(args) != 1 || args[0] == "-":
		return nil, usagef("bench %[1]s add takes one file, or a command behind --; see bench help %[1]s", command)
	case filepath.Ext(args[0]) == ".py":
		o.method, err = board.CommandSubmission([]string{"python3", "-m", "modebench", args[0]})
	default:
		data, file, failed := readInput(b.streams, args, "method")
		if failed != nil {
			return nil, failed
		}
		o.method, err = board.ReadSubmission(file, data)
	}
	if err == nil && b.keep != "" && b.from != published && sameFolder(b.keep, b.from) {
		err = usagef("--keep %s: it holds the results to place the method among, which stay as they are: want another folder", b.keep)
	}
	return o, err
}

// sameFolder reports whether two paths lead to one folder.
func sameFolder(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// load are the options of specs with the method.
func (o *ownRun) load(ctx context.Context) spec.LoadOptions {
	opt := o.plugins.options(ctx, o.streams)
	opt.StartPlugin = o.start
	return opt
}

// compete tunes and evaluates the method on those of the tasks that it fits. It continues from the results that begin
// gives, and leaves out a task for which that is nil.
func (o *ownRun) compete(ctx context.Context, grid *board.Grid, tasks []board.Task, among, begin func(board.Task) *board.Result) (list []*contest.Placement, err error) {
	fit, entrants, unfit, err := o.method.Entrants(tasks, grid, o.load(ctx))
	if err != nil {
		return nil, err
	}
	o.unfit = unfit
	for i, t := range fit {
		if r := begin(t); r != nil {
			list = append(list, &contest.Placement{Task: t, Entrants: entrants[i : i+1], Result: r, Among: among(t)})
		}
	}
	o.runs = o.contest(o.load)
	return list, o.runs.Tune(ctx, list)
}

// beside runs the method on the tasks of published results (compete).
func (o *ownRun) beside(ctx context.Context, grid *board.Grid, tasks []board.Task, results []*board.Result, begin func(board.Task) *board.Result) ([]*contest.Placement, error) {
	among := func(t board.Task) *board.Result { return board.OfTask(results, t.Name) }
	known := slices.DeleteFunc(slices.Clone(tasks), func(t board.Task) bool { return among(t) == nil })
	for i, t := range known {
		known[i].Range = among(t).Range
	}
	return o.compete(ctx, grid, known, among, begin)
}

// fresh is the result of a task from which nothing is continued.
func fresh(t board.Task) *board.Result { return t.NewResult(nil) }

// place runs the method on the tasks of published results, and times it beside the reference.
func (o *ownRun) place(ctx context.Context, tasks []board.Task, results []*board.Result) (*board.Place, error) {
	grid, err := board.Published()
	if err != nil {
		return nil, err
	}
	list, err := o.beside(ctx, grid, tasks, results, fresh)
	if err != nil {
		return nil, err
	}
	mine := each.Map(list, func(p *contest.Placement) *board.Result { return p.Result })
	if err := o.more(ctx, list, results, mine); err != nil {
		return nil, err
	}
	cost, err := o.runs.Cost(ctx, list, grid, o.method.Name)
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		if err := o.keepResult(p); err != nil {
			return nil, err
		}
	}
	place, err := board.NewPlace(results, mine, o.method.Name, o.unfit)
	if err == nil {
		place.Cost = cost
	}
	return place, err
}

// more evaluates the method on more seeds as long as it is undecided beside the reference, and then with
// one setting for all tasks, if it was run on all.
func (o *ownRun) more(ctx context.Context, list []*contest.Placement, results, mine []*board.Result) error {
	c := o.runs
	err := c.Extend(ctx, list, func(look int) ([]string, error) {
		joined, err := board.Joined(results, mine, o.method.Name, o.unfit)
		if err != nil {
			return nil, err
		}
		return board.Undecided(joined, look)
	})
	if err != nil {
		return err
	}
	return o.carry(ctx, c, list, len(list)+len(o.unfit))
}

// auditGroup is the size of groups that the method's steps are audited at, the board's.
const auditGroup = 16

// audit is that of the method and the reference. It is nil, and a line has the reason, if the method
// cannot be audited.
func (o *ownRun) audit(ctx context.Context) (*record.Audit, error) {
	bandit, err := o.method.Bandit(o.load(ctx))
	if err != nil {
		fmt.Fprintf(o.err, "no audit: %v\n", err)
		return nil, ctx.Err()
	}
	opt := audit.Default()
	opt.Groups, opt.Jobs = []int{auditGroup}, o.jobs
	methods, config, err := audit.FromSpec(ctx, bandit, o.progress().Notes())
	if err != nil {
		return nil, err
	}
	reference, err := audit.Methods([]string{board.Reference})
	if err != nil {
		return nil, err
	}
	opt.Bandit = config // the audit's own, since the spec sets nothing of it
	made, err := audit.Run(ctx, append(methods, reference...), opt)
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(o.err, "no audit: %v\n", err)
		return nil, nil
	}
	return made, err
}

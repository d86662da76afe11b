package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modebench/experiments/audit"
	"modebench/experiments/board"
	"modebench/experiments/board/contest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
)

// boardAdd is the word after bench board that places a method of the user's.
const boardAdd = "add"

// An ownRun is one call of bench board add.
type ownRun struct {
	*boardRun
	own       *board.Submission
	published []*board.Result
	tasks     []board.Task            // those of the published results
	unfit     map[string]string       // tasks that the method does not fit, and why
	start     func(line string) error // of all its specs, so that a plug-in is named once
}

// add places the method of the arguments behind "add" among published results. command says that
// they are a command.
func (b *boardRun) add(ctx context.Context, args []string, command bool, form string) error {
	if err := b.checkAdd("board", form, board.PlaceFormats(), addWithout...); err != nil {
		return err
	}
	own, err := b.ownMethod("board", args, command)
	if err != nil {
		return err
	}
	o := &ownRun{boardRun: b, own: own, start: b.plugins.start(b.streams)}
	if err := o.publish(); err != nil {
		return err
	}
	results, cost, err := o.runOwn(ctx)
	if err != nil {
		return err
	}
	place, err := board.NewPlace(o.published, results, own.Name, o.unfit)
	if err != nil {
		return err
	}
	place.Cost = cost
	if place.Audit, err = o.audit(ctx); err != nil {
		return err
	}
	text, err := place.Write(form)
	if err != nil {
		return err
	}
	if form == "text" && place.Audit != nil {
		text = append(text, "\n"+audit.Text(place.Audit, false)...)
	}
	_, err = b.streams.out.Write(text)
	return err
}

// checkAdd checks the flags, of which without are not taken.
func (b *boardRun) checkAdd(command, form string, forms []string, without ...string) error {
	for _, name := range without {
		if b.flags.Changed(name) {
			return usagef("bench %s add takes no --%s", command, name)
		}
	}
	if !slices.Contains(forms, form) {
		return usagef("--format %s: of bench %s add want one of %s", form, command, strings.Join(forms, ", "))
	}
	if b.jobs < 1 {
		return usagef("--jobs is %d, want 1 or more", b.jobs)
	}
	if !b.flags.Changed("out") { // the manifests of bench board stay as they are
		b.out = filepath.Join(b.out, command+"-add")
	}
	return b.plugins.check()
}

// ownMethod reads the method: a file, or the command of a plug-in.
func (b *boardRun) ownMethod(name string, args []string, command bool) (*board.Submission, error) {
	switch {
	case command:
		return board.CommandSubmission(args)
	case len(args) != 1 || args[0] == "-":
		return nil, usagef("bench %[1]s add takes one file, or a command behind --; see bench help %[1]s", name)
	case filepath.Ext(args[0]) == ".py":
		return board.CommandSubmission([]string{"python3", "-m", "modebench", args[0]})
	}
	data, file, err := readInput(b.streams, args, "method")
	if err != nil {
		return nil, err
	}
	return board.ReadSubmission(file, data)
}

// publish reads what the method is placed among.
func (o *ownRun) publish() error {
	all, err := board.Tasks(o.policy)
	if err != nil {
		return err
	}
	if o.tasks, err = board.Keep(all, "task", "tasks", o.boardRun.tasks); err != nil {
		return err
	}
	o.from = cmp.Or(o.from, published)
	if err := o.checkKeep(); err != nil {
		return err
	}
	if o.published, err = o.read(o.tasks); err != nil {
		return err
	}
	o.tasks = slices.DeleteFunc(o.tasks, func(t board.Task) bool {
		return !slices.ContainsFunc(o.published, func(r *board.Result) bool { return r.Task == t.Name })
	})
	return o.own.Among(o.published)
}

// checkKeep refuses to keep the method's results among those that it is held against.
func (o *ownRun) checkKeep() error {
	if o.keep != "" && o.from != published && sameFolder(o.keep, o.from) {
		return usagef("--keep %s: it holds the results to place the method among, which stay as they are: want another folder", o.keep)
	}
	return nil
}

// sameFolder says whether two paths lead to one folder.
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

// run tunes and evaluates the method, and times the reference.
func (o *ownRun) runOwn(ctx context.Context) ([]*board.Result, *board.Cost, error) {
	grid, err := board.Published()
	if err != nil {
		return nil, nil, err
	}
	fit, entrants, unfit, err := o.own.Entrants(o.tasks, grid, o.load(ctx))
	if err != nil {
		return nil, nil, err
	}
	o.unfit = unfit
	list, err := o.runOn(ctx, fit, entrants)
	if err != nil {
		return nil, nil, err
	}
	cost, err := o.contest(o.load).Cost(ctx, list, grid, o.own.Name)
	if err != nil {
		return nil, nil, err
	}
	var out []*board.Result
	for _, p := range list {
		if o.keep != "" {
			if _, err := contest.Keep(o.keep, p.Name, p.Result, board.ReadResult); err != nil {
				return nil, nil, err
			}
		}
		out = append(out, p.Result)
	}
	return out, cost, nil
}

// runOn tunes and evaluates the method on tasks that it fits.
func (o *ownRun) runOn(ctx context.Context, fit []board.Task, entrants []board.Entrant) (list []*contest.Placement, err error) {
	for i, t := range fit {
		list = append(list, &contest.Placement{Task: t, Entrants: entrants[i : i+1]})
	}
	return list, o.contest(o.load).Stages(ctx, list)
}

// auditGroup is the size of groups that the method's steps are audited at, the board's.
const auditGroup = 16

// audit is that of the method and the reference; nil, and a line that says why, where a bandit
// is none of the method's.
func (o *ownRun) audit(ctx context.Context) (*record.Audit, error) {
	bandit, err := o.own.Bandit(o.load(ctx))
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
	methods = append(methods, reference...)
	made, err := audit.Run(ctx, methods, opt)
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(o.err, "no audit: %v\n", err)
		return nil, nil
	}
	return made, err
}

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

	"modebench/experiments/board"
	"modebench/internal/input"
	"modebench/internal/plural"
	"modebench/internal/scratch"
	"modebench/internal/table"
	"modebench/internal/visible"
)

// boardVerify is the word behind bench board that runs a submitted row again.
const boardVerify = "verify"

// verify runs the row in the folder of the arguments again, from its method alone, and compares its results.
func (o *boardOptions) verify(ctx context.Context, args []string) error {
	err := cmp.Or(o.refuse("bench board verify takes no --%s", verifyWithout...), o.checkForm("of bench board verify ", []string{"text"}))
	if err != nil {
		return err
	}
	if len(args) != 1 {
		return usagef("bench board verify takes one folder, of a submitted row; got %d", len(args))
	}
	all, err := board.Tasks(o.policy)
	if err != nil {
		return err
	}
	row, err := board.ReadClaim(os.DirFS(args[0]), args[0], all)
	if err != nil {
		return err
	}
	for _, name := range o.tasks {
		if board.On(row.Results, name) == nil {
			return input.Errorf("%s holds no result of task %q", args[0], name)
		}
	}
	names := o.tasks
	o.from, o.tasks = cmp.Or(o.from, published), nil
	results, err := o.read(all)
	if err != nil {
		return err
	}
	if err := row.Among(results); err != nil {
		return err
	}
	if !o.flags.Changed("out") { // cells that are there already could be the author's
		place, err := scratch.Dir(os.TempDir(), scratch.Named("verify"))
		if err != nil {
			return err
		}
		defer place.Remove()
		o.out, o.cache = place.Path, cmp.Or(o.cache, filepath.Join(place.Path, "bases"))
	}
	own := &ownRun{boardRun: &o.boardRun, method: row.Submission, start: o.plugins.start(o.streams)}
	if !o.flags.Changed("no-plugins") {
		own.start = func(line string) error {
			return fmt.Errorf("to verify the row is to start a program of its author, %s: read it first, and then give --no-plugins=false", line)
		}
	}
	made, err := own.again(ctx, all, results, row, names)
	if errors.Is(err, context.Canceled) {
		return stoppedError("interrupted before a verdict; bench board verify starts anew")
	}
	if err != nil {
		return err
	}
	return own.compared(row, made)
}

// again makes the results of a row on the tasks of these names; no name: on all that it has. On its other tasks
// it continues from the row's own.
func (o *ownRun) again(ctx context.Context, all []board.Task, results []*board.Result, row *board.Claim, names []string) (made []*board.Result, err error) {
	grid, err := board.Published()
	if err != nil {
		return nil, err
	}
	checked := func(t board.Task) bool { return len(names) == 0 || slices.Contains(names, t.Name) }
	list, err := o.beside(ctx, grid, all, results, func(t board.Task) *board.Result {
		had := board.On(row.Results, t.Name)
		if had != nil && checked(t) {
			return fresh(t)
		}
		return had
	})
	if err == nil {
		err = o.carry(ctx, list)
	}
	for i, p := range list {
		if err != nil || !checked(p.Task) {
			continue
		}
		made = append(made, p.Result)
		err = o.runs.Extend(ctx, list[i:i+1], func(look int) (more []string, err error) {
			if len(board.On(row.Results, p.Name).Tuned(row.Name).Cells) > look {
				more = []string{row.Name}
			}
			return more, nil
		})
	}
	return made, err
}

// compared prints an answer for each task of a row, and is an error if it differs from what was made anew.
func (o *ownRun) compared(row *board.Claim, made []*board.Result) error {
	rows := table.Grid{{"task", "answer", ""}}
	var differ []string
	for _, r := range row.Results {
		now := board.On(made, r.Task)
		switch why, unfit := o.unfit[r.Task]; {
		case unfit:
			differ = append(differ, r.Task)
			rows = append(rows, []string{r.Task, "differs", "the method does not fit: " + visible.Text(why)})
		case now == nil:
			rows = append(rows, []string{r.Task, "not checked", ""})
		default:
			seeds, first := r.Differences(now)
			if first == "" {
				rows = append(rows, []string{r.Task, "reproduced", plural.Count(r.Tuned(row.Name).N(), "seed")})
				continue
			}
			if len(seeds) > 0 {
				first += "; seeds " + strings.Trim(fmt.Sprint(seeds), "[]")
			}
			differ = append(differ, r.Task)
			rows = append(rows, []string{r.Task, "differs", visible.Text(first)})
		}
	}
	fmt.Fprint(o.streams.out, rows.Text())
	if len(differ) > 0 {
		return &verdictError{exitMoved, fmt.Errorf("%s is not reproduced: %d of %s differ: %s", row.Name, len(differ), plural.Count(len(row.Results), "task"), strings.Join(differ, ", "))}
	}
	if len(made) == len(row.Results) {
		fmt.Fprintf(o.streams.out, "\nreproduced to the bit; its line in %s:\n%s  %s\n", board.ReproducedFile, row.Hash, row.Name)
	}
	return nil
}

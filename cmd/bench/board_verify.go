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
	"modebench/experiments/board/contest"
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
		if board.OfTask(row.Results, name) == nil {
			return input.Errorf("%s holds no result of task %q", args[0], name)
		}
	}
	names := o.tasks
	o.from, o.tasks = cmp.Or(o.from, published), nil
	results, err := o.read(all)
	if err != nil {
		return err
	}
	*o.notes = nil // of tasks that have no results to compare with
	for _, r := range row.Results {
		if board.OfTask(results, r.Task) == nil {
			return input.Errorf("%s holds no result of task %s, and the row does: gains are measured from it", o.from, r.Task)
		}
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
	v := &ownRun{boardRun: &o.boardRun, method: row.Submission, start: o.plugins.start(o.streams)}
	if !o.flags.Changed("no-plugins") {
		v.start = func(line string) error {
			return fmt.Errorf("to verify the row is to start a program of its author, %s: read it first, and then give --no-plugins=false", line)
		}
	}
	made, err := v.again(ctx, all, results, row, names)
	if errors.Is(err, context.Canceled) {
		return stoppedError("interrupted before a verdict; bench board verify starts anew")
	}
	if err != nil {
		return err
	}
	return v.answer(row, made)
}

// again makes the results of a row on the tasks of these names, or on all that it has. On its other tasks it
// continues from the row's own.
func (o *ownRun) again(ctx context.Context, all []board.Task, results []*board.Result, row *board.Claim, names []string) (made []*board.Result, err error) {
	grid, err := board.Published()
	if err != nil {
		return nil, err
	}
	checked := func(t board.Task) bool { return len(names) == 0 || slices.Contains(names, t.Name) }
	list, err := o.beside(ctx, grid, all, results, func(t board.Task) *board.Result {
		r := board.OfTask(row.Results, t.Name)
		if r != nil && checked(t) {
			r = fresh(t)
		}
		return r
	})
	if err == nil {
		err = o.carry(ctx, o.runs, list, len(list)+len(o.unfit))
	}
	list = slices.DeleteFunc(list, func(p *contest.Placement) bool { return !checked(p.Task) })
	for i, p := range list {
		if err == nil {
			err = o.runs.Extend(ctx, list[i:i+1], func(look int) ([]string, error) {
				if len(board.OfTask(row.Results, p.Name).Tuned(row.Name).Cells) > look {
					return []string{row.Name}, nil
				}
				return nil, nil
			})
		}
		made = append(made, p.Result)
	}
	return made, err
}

// answer prints an answer for each task of a row. A difference from the results made anew is an error.
func (o *ownRun) answer(row *board.Claim, made []*board.Result) error {
	rows := table.Grid{{"task", "answer", ""}}
	var differ []string
	for _, r := range row.Results {
		answer, note := "not checked", ""
		if why, unfit := o.unfit[r.Task]; unfit {
			answer, note = "differs", "the method does not fit: "+why
		} else if again := board.OfTask(made, r.Task); again != nil {
			answer, note = "differs", r.Difference(again)
		}
		switch {
		case answer == "differs" && note == "":
			answer, note = board.Reproduced, plural.Count(r.Tuned(row.Name).N(), "seed")
		case answer == "differs":
			differ = append(differ, r.Task)
		}
		rows = append(rows, []string{r.Task, answer, visible.Text(note)})
	}
	fmt.Fprint(o.streams.out, rows.Text())
	switch {
	case differ != nil:
		return &verdictError{exitMoved, fmt.Errorf("%s is not reproduced: %d of %s differ: %s", row.Name, len(differ), plural.Count(len(row.Results), "task"), strings.Join(differ, ", "))}
	case len(made) == len(row.Results) && o.from == published && !o.flags.Changed("out"):
		fmt.Fprintf(o.streams.out, "\nreproduced to the bit; its line in %s:\n%s  %s\n", board.ReproducedFile, row.Hash, row.Name)
	}
	return nil
}

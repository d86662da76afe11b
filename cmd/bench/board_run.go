package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"modebench/experiments/board"
	"modebench/experiments/board/profile"
	"modebench/experiments/progress"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/internal/atomicfile"
)

// A placement is the methods of a task under way.
type placement struct {
	board.Task
	entrants []board.Entrant
	unfit    []board.Unfit
	chosen   []board.Chosen
	tried    map[string][]board.Tried
	result   *board.Result
	measured *profile.Measured // of a capability, in place of the result
	tuning   []*record.Run     // its runs on tuning seeds
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
	if err := b.stages(ctx, list, builtin); err != nil {
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
func (b *boardRun) stages(ctx context.Context, list []*placement, load loader) error {
	err := b.stage(ctx, board.Task.Tuning, list, load, (*placement).settings, func(p *placement, runs []*record.Run) (err error) {
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
	return b.stage(ctx, board.Task.Evaluation, list, load, (*placement).evaluated, func(p *placement, runs []*record.Run) (err error) {
		if p.Score != nil {
			p.measured, err = profile.Measure(p.Task, runs, p.chosen, p.tried, p.unfit)
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
func (b *boardRun) stage(ctx context.Context, stage func(board.Task) board.Stage, list []*placement, load loader, entries func(*placement) []board.Entry, done func(*placement, []*record.Run) error) error {
	opt := load(ctx)
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
	var mu sync.Mutex
	runs := make([]*record.Run, len(specs))
	err := progress.RunAll(ctx, b.progress(), specs, &options, func(i int, run *record.Run) error {
		mu.Lock()
		defer mu.Unlock()
		runs[i] = run
		return nil
	})
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

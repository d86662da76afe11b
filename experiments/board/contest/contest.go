// Package contest runs methods through the protocol of a board: it tunes them, evaluates the
// settings that were chosen, and keeps the results.
package contest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"modebench/experiments/board"
	"modebench/experiments/board/profile"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/atomicfile"
	"modebench/internal/input"
)

// A Placement is the methods of a task under way.
type Placement struct {
	board.Task
	Entrants []board.Entrant
	Unfit    []board.Unfit
	Result   *board.Result     // nil before the evaluation, and of a capability
	Measured *profile.Measured // of a capability, in place of the result

	chosen []board.Chosen
	tried  map[string][]board.Tried
	tuning []*record.Run
}

// A Contest makes the cells of methods.
type Contest struct {
	// Load gives the options by which the specs of a stage are read.
	Load func(context.Context) spec.LoadOptions
	// RunAll makes the missing cells of the specs of a stage, as sweep.RunAll does.
	RunAll func(ctx context.Context, stage string, specs []*spec.Spec, made func(spec int, run *record.Run) error) error
}

// Enter makes ready the wanted methods on the tasks; no names: all. part admits methods by their
// number over all tasks; nil: all.
func Enter(ctx context.Context, tasks []board.Task, wanted []string, part func(int) bool) (list []*Placement, err error) {
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
		p := &Placement{Task: t}
		if p.Entrants, p.Unfit, err = t.Entrants(grid, methods, spec.LoadOptions{Context: ctx}); err != nil {
			return nil, err
		}
		p.Entrants = slices.DeleteFunc(p.Entrants, func(board.Entrant) bool { number++; return part != nil && !part(number-1) })
		list = append(list, p)
	}
	return list, nil
}

// Stages tunes and evaluates the entrants.
func (c *Contest) Stages(ctx context.Context, list []*Placement) error {
	err := c.stage(ctx, board.Task.Tuning, list, (*Placement).settings, func(p *Placement, runs []*record.Run) (err error) {
		p.tuning = runs
		if p.tried, err = p.Tried(runs, p.settings()); err != nil {
			return err
		}
		for _, n := range p.Entrants {
			p.chosen = append(p.chosen, n.Choose(p.tried[n.Method])...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.stage(ctx, board.Task.Evaluation, list, (*Placement).evaluated, func(p *Placement, runs []*record.Run) (err error) {
		if p.Score != nil {
			p.Measured, err = profile.Measure(p.Task, runs, p.chosen, p.tried, p.Unfit)
		} else {
			p.Result, err = p.Task.Result(runs, p.chosen, p.tried, p.Unfit)
		}
		return err
	})
}

// Cost times steps of the reference and holds those of the method's tuning against them.
func (c *Contest) Cost(ctx context.Context, list []*Placement, grid *board.Grid, method string) (*board.Cost, error) {
	timing := func(t board.Task) board.Stage {
		stage := t.Tuning()
		stage.Name = "timing"
		return stage
	}
	runs := map[string][]*record.Run{}
	timed := func(p *Placement) []board.Entry { return []board.Entry{p.Timed(grid)} }
	err := c.stage(ctx, timing, list, timed, func(p *Placement, reference []*record.Run) error {
		runs[p.Name] = slices.Concat(p.tuning, reference)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return board.CostOf(runs, method)
}

func (p *Placement) settings() (out []board.Entry) {
	for _, n := range p.Entrants {
		out = append(out, n.Settings...)
	}
	return out
}

func (p *Placement) evaluated() []board.Entry { return board.Entries(p.chosen) }

// stage runs the specs of a stage, those of all tasks together, and hands each task its runs.
func (c *Contest) stage(ctx context.Context, stage func(board.Task) board.Stage, list []*Placement, entries func(*Placement) []board.Entry, done func(*Placement, []*record.Run) error) error {
	load := c.Load(ctx)
	var specs []*spec.Spec
	var counts []int // of specs, by placement
	for _, p := range list {
		made, err := p.Specs(stage(p.Task), entries(p), load)
		if err != nil {
			return err
		}
		specs, counts = append(specs, made...), append(counts, len(made))
	}
	if specs == nil {
		return nil
	}
	var mu sync.Mutex
	runs := make([]*record.Run, len(specs))
	err := c.RunAll(ctx, stage(list[0].Task).Name, specs, func(i int, run *record.Run) error {
		mu.Lock()
		defer mu.Unlock()
		runs[i] = run
		return nil
	})
	if err != nil {
		return err
	}
	for i, p := range list {
		if counts[i] > 0 {
			if err := done(p, runs[:counts[i]]); err != nil {
				return err
			}
		}
		runs = runs[counts[i]:]
	}
	return nil
}

// Keep adds results of a task to those in the folder, and returns all of them.
func Keep[D interface {
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
			return all, &input.Error{Err: fmt.Errorf("%s: %w", path, err)}
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return all, err
	}
	return all, atomicfile.Write(path, all.Text())
}

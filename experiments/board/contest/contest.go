// Package contest runs methods through the protocol of a board: it chooses their settings, evaluates
// these, and keeps the results. Runs whose numbers the results hold already are not made again.
package contest

import (
	"cmp"
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
	// Result has all results of the task so far. Runs add to it.
	Result *board.Result
	// Among has the reference's results, which gains are measured from; nil: Result has them.
	Among *board.Result

	Measured *profile.Measured // of a capability, in place of the evaluation in Result

	rounds []*board.Rounds // by entrant
	tuning []*record.Run
	// enter makes the entrants again in a wider range of rates; nil: the range is fixed.
	enter func(*Placement) error
	grid  *board.Grid
}

// A Contest makes the cells of methods.
type Contest struct {
	// Load gives the options by which the specs of a stage are read.
	Load func(context.Context) spec.LoadOptions
	// RunAll makes the missing cells of the specs of a stage, as sweep.RunAll does.
	RunAll func(ctx context.Context, stage string, specs []*spec.Spec, made func(spec int, run *record.Run) error) error
	// Keep writes the result of a task as it grows; nil: it is not written.
	Keep func(*Placement) error
	// Done is how many runs of a whole budget were made. Minimum and Maximum are how many the contest
	// takes beside those that results had before (board.Protocol.Runs).
	Done, Minimum, Maximum float64
}

// Enter prepares the wanted methods on the tasks; no names: all. part admits methods by their number
// over all tasks; nil: all. kept has the result of a task from an earlier run; nil: there are no such results.
// The reference enters every task of the board in which it is not kept, whatever is wanted: gains are measured
// from its own path.
func Enter(ctx context.Context, tasks []board.Task, wanted []string, part func(int) bool, kept func(board.Task) (*board.Result, error)) (list []*Placement, err error) {
	grid, err := board.Published()
	if err != nil {
		return nil, err
	}
	methods, err := grid.Names(wanted)
	if err != nil {
		return nil, err
	}
	if len(wanted) == 0 && len(tasks) > 0 && tasks[0].Score != nil { // controls are of the board
		methods = slices.DeleteFunc(methods, func(name string) bool { r, err := grid.Row(name); return err == nil && r.Method != "" })
	}
	number := 0
	for _, t := range tasks {
		var before *board.Result
		if kept != nil {
			if before, err = kept(t); err != nil {
				return nil, err
			}
		}
		if before != nil {
			t.Range = before.Range
		}
		first, names := number, methods
		referred := t.Score == nil && (before == nil || before.Tuned(board.Reference) == nil)
		if referred && !slices.Contains(methods, board.Reference) {
			names = append(slices.Clone(methods), board.Reference)
		}
		p := &Placement{Task: t, grid: grid, enter: func(p *Placement) (err error) {
			p.Entrants, p.Unfit, err = p.Task.Entrants(grid, names, spec.LoadOptions{Context: ctx})
			number = first
			p.Entrants = slices.DeleteFunc(p.Entrants, func(n board.Entrant) bool {
				if slices.Contains(methods, n.Method) {
					number++
				}
				return part != nil && !part(number-1) && !(referred && n.Method == board.Reference)
			})
			return err
		}}
		if err := p.enter(p); err != nil {
			return nil, err
		}
		p.Result = t.NewResult(p.Unfit)
		if before != nil {
			if err := before.Add(p.Result); err != nil {
				return nil, err
			}
			p.Result = before
		}
		list = append(list, p)
	}
	return list, nil
}

// Tune chooses settings and evaluates them on the seeds of the first look, task by task.
func (c *Contest) Tune(ctx context.Context, list []*Placement) error {
	for _, p := range list {
		for _, n := range p.Entrants {
			minimum, maximum := p.Protocol().Runs(len(n.Settings))
			had := p.Result.Runs(p.Protocol(), n.Method)
			c.Minimum, c.Maximum = c.Minimum+max(0, minimum-had), c.Maximum+max(0, maximum-had)
		}
	}
	for _, p := range list {
		if err := c.tune(ctx, p); err != nil {
			return err
		}
		if p.Score != nil {
			if err := c.measure(ctx, p); err != nil {
				return err
			}
			continue
		}
		for _, first := range []bool{true, false} { // the reference first: gains are measured from it
			var entries []board.Entry
			for i, n := range p.Entrants {
				if e := p.rounds[i].Chosen(); (n.Method == board.Reference) == first && p.Result.Lacks(e) {
					entries = append(entries, e)
				}
			}
			if err := c.evaluate(ctx, p, entries, board.Tuned, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// tune runs the rest of the rounds of a task, and again in a wider range of rates if the methods need a
// wider one. A range is final once a method was evaluated in it.
func (c *Contest) tune(ctx context.Context, p *Placement) error {
	for {
		if err := c.try(ctx, p); err != nil {
			return err
		}
		if p.enter == nil || slices.ContainsFunc(p.Result.Standings, func(s board.Standing) bool { return len(s.Rows) > 0 }) {
			return nil
		}
		wider := p.Wider(p.grid, p.rounds)
		if wider == p.Range {
			return nil
		}
		p.Range, p.Result.Range = wider, wider
		if err := p.enter(p); err != nil {
			return err
		}
	}
}

// try runs the rest of the rounds of a task in its range.
func (c *Contest) try(ctx context.Context, p *Placement) error {
	p.begin()
	for round := range p.Protocol().Rounds {
		if err := c.round(ctx, p, round); err != nil {
			return err
		}
		if round > 0 {
			continue
		}
		p.begin() // without the knobs that made no difference
		if err := c.round(ctx, p, round); err != nil {
			return err
		}
	}
	return nil
}

// begin continues the rounds of all entrants from the scores in the result.
func (p *Placement) begin() {
	p.rounds = nil
	for _, n := range p.Entrants {
		p.rounds = append(p.rounds, n.NewRounds(p.Result.Tried(n.Method), len(p.Protocol().Rounds)))
	}
}

// round runs the missing entries of a round.
func (c *Contest) round(ctx context.Context, p *Placement, round int) error {
	var entries []board.Entry
	for _, r := range p.rounds {
		entries = append(entries, r.Missing(round)...)
	}
	if len(entries) == 0 {
		return nil
	}
	runs, err := c.run(ctx, p.Task, p.Protocol().Rounds[round], entries)
	if err != nil {
		return err
	}
	p.tuning = append(p.tuning, runs...)
	scored, err := p.Scored(runs, entries, nil)
	if err != nil {
		return err
	}
	for i, e := range entries {
		for _, r := range p.rounds {
			if r.Method == e.Method {
				r.Set(round, e.Setting, p.Task.Mean(scored[i]))
			}
		}
	}
	for _, r := range p.rounds {
		p.Result.Try(r)
	}
	return c.keep(p)
}

// measure evaluates the chosen settings at a capability.
func (c *Contest) measure(ctx context.Context, p *Placement) error {
	var entries []board.Entry
	tried := map[string][]board.Tried{}
	for _, r := range p.rounds {
		entries, tried[r.Method] = append(entries, r.Chosen()), r.Tried
	}
	if len(entries) == 0 {
		return nil
	}
	runs, err := c.run(ctx, p.Task, p.Evaluation(), entries)
	if err == nil {
		p.Measured, err = profile.Measure(p.Task, runs, entries, tried, p.Unfit)
	}
	return err
}

// evaluate runs entries in a role on the seeds of a look.
func (c *Contest) evaluate(ctx context.Context, p *Placement, entries []board.Entry, role string, look int) error {
	if len(entries) == 0 {
		return nil
	}
	runs, err := c.run(ctx, p.Task, p.Look(look), entries)
	if err != nil {
		return err
	}
	if err := p.Result.Evaluate(p.Task, runs, entries, role, p.Among); err != nil {
		return err
	}
	return c.keep(p)
}

// Carry evaluates the one setting of every method for all tasks. It needs all tasks of the board.
func (c *Contest) Carry(ctx context.Context, list []*Placement) error {
	carried := map[string]map[string]board.Entry{} // by task and method
	methods := map[string][]*board.Rounds{}
	tasks := map[string][]string{}
	var names []string
	for _, p := range list {
		carried[p.Name] = map[string]board.Entry{}
		for _, r := range p.rounds {
			if methods[r.Method] == nil {
				names = append(names, r.Method)
			}
			methods[r.Method], tasks[r.Method] = append(methods[r.Method], r), append(tasks[r.Method], p.Name)
		}
	}
	for _, name := range names {
		for i, e := range board.CarriedOver(methods[name]) {
			carried[tasks[name][i]][name] = e
		}
	}
	for _, p := range list {
		for _, first := range []bool{true, false} {
			var entries []board.Entry
			for _, n := range p.Entrants {
				e, ok := carried[p.Name][n.Method]
				if ok && (n.Method == board.Reference) == first && p.Result.Carry(e) {
					entries = append(entries, e)
				}
			}
			if err := c.evaluate(ctx, p, entries, board.Carried, 0); err != nil {
				return err
			}
		}
		if err := c.keep(p); err != nil {
			return err
		}
	}
	return nil
}

// Extend adds the seeds of later looks to undecided methods and to the reference. undecided lists the
// methods that need the seeds of a look, by the results so far.
func (c *Contest) Extend(ctx context.Context, list []*Placement, undecided func(look int) ([]string, error)) error {
	for look := 1; len(list) > 0 && look < len(list[0].Protocol().Looks); look++ {
		methods, err := undecided(look)
		if err != nil {
			return err
		}
		from := list[0].Protocol().Looks[look-1].Seeds
		for _, p := range list {
			for _, first := range []bool{true, false} {
				var entries []board.Entry
				for i, n := range p.Entrants {
					row := p.Result.Tuned(n.Method)
					if (n.Method == board.Reference) == first && row != nil && row.N() == from && (first || slices.Contains(methods, n.Method)) {
						e := p.rounds[i].Chosen()
						entries = append(entries, e)
					}
				}
				if err := c.evaluate(ctx, p, entries, board.Tuned, look); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (c *Contest) keep(p *Placement) error {
	if c.Keep == nil {
		return nil
	}
	return c.Keep(p)
}

// Cost times steps of the reference, and compares those of the method's tuning with them.
func (c *Contest) Cost(ctx context.Context, list []*Placement, grid *board.Grid, method string) (*board.Cost, error) {
	runs := map[string][]*record.Run{}
	for _, p := range list {
		stage := p.Protocol().Rounds[0]
		stage.Name = "timing"
		reference, err := c.run(ctx, p.Task, stage, []board.Entry{p.Timed(grid)})
		if err != nil {
			return nil, err
		}
		runs[p.Name] = slices.Concat(p.tuning, reference)
	}
	return board.CostOf(runs, method)
}

// run makes the cells of entries on the seeds of a stage.
func (c *Contest) run(ctx context.Context, t board.Task, stage board.Stage, entries []board.Entry) ([]*record.Run, error) {
	specs, err := t.Specs(stage, entries, c.Load(ctx))
	if err != nil {
		return nil, err
	}
	c.Done += float64(float64(len(entries)*stage.Seeds) * cmp.Or(stage.Part, 1))
	var mu sync.Mutex
	runs := make([]*record.Run, len(specs))
	err = c.RunAll(ctx, t.Name+" "+stage.Name, specs, func(i int, run *record.Run) error {
		mu.Lock()
		defer mu.Unlock()
		runs[i] = run
		return nil
	})
	return runs, err
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

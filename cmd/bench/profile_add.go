package main

import (
	"context"
	"slices"

	"modebench/experiments/board"
	"modebench/experiments/board/profile"
)

// add runs the method of the arguments behind "add", and prints its profile beside that of the
// reference. command says that they are a command.
func (p *profileOptions) add(ctx context.Context, args []string, command bool, form string) error {
	if err := p.checkAdd("profile", form, profile.Formats(), "run"); err != nil {
		return err
	}
	own, err := p.ownMethod("profile", args, command)
	if err != nil {
		return err
	}
	o := &ownRun{boardRun: &p.boardRun, own: own, start: p.plugins.start(p.streams)}
	if err := o.checkKeep(); err != nil {
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
	if err := profile.Among(own, documents); err != nil {
		return err
	}
	tasks = slices.DeleteFunc(slices.Clone(tasks), func(t board.Task) bool {
		return !slices.ContainsFunc(documents, func(m *profile.Measured) bool { return m.Capability == t.Name })
	})
	grid, err := board.Published()
	if err != nil {
		return err
	}
	fit, entrants, unfit, err := own.Entrants(tasks, grid, o.load(ctx))
	if err != nil {
		return err
	}
	list, err := o.runOn(ctx, fit, entrants)
	if err != nil {
		return err
	}
	mine, err := p.measured(list)
	if err != nil {
		return err
	}
	for _, m := range documents {
		i := slices.IndexFunc(mine, func(of *profile.Measured) bool { return of.Capability == m.Capability })
		if i < 0 {
			m.Unfit = append(m.Unfit, board.Unfit{Method: own.Name, Why: unfit[m.Capability]})
		} else if err := m.Add(mine[i]); err != nil {
			return err
		}
	}
	shown := []string{own.Name, board.Reference}
	profiles, err := profile.New(documents, shown)
	if err != nil {
		return err
	}
	return p.print(profiles, shown, form)
}

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modebench/experiments/board"
	"modebench/experiments/board/foretell"
	"modebench/plots/boardplot"
	"modebench/results"
)

// boardForetell is the word after bench board that holds two boards against each other.
const boardForetell = "foretell"

// foretell holds a short board against a long one: two folders, or names of published boards.
func (b *boardRun) foretell(args []string, form, audit string, figures boardFigures) error {
	for _, name := range boardWithout[boardForetell] {
		if b.flags.Changed(name) {
			return usagef("bench board foretell reads two boards and runs nothing: leave out --%s", name)
		}
	}
	if !slices.Contains(foretell.Formats(), form) {
		return usagef("--format %s: of bench board foretell want one of %s", form, strings.Join(foretell.Formats(), ", "))
	}
	switch len(args) {
	case 0:
		args = []string{"tabular", "transformer"}
	case 2:
	default:
		return usagef("bench board foretell takes two boards, the short one and the long one, or none for those that are published; got %d", len(args))
	}
	if err := figures.check(b.flags, ""); err != nil {
		return err
	}
	var sides [2][]*board.Result
	for i, name := range args {
		var err error
		if sides[i], err = b.side(name); err != nil {
			return err
		}
	}
	if err := b.checkTasks(sides); err != nil {
		return err
	}
	steps, err := auditSteps(audit)
	if err != nil {
		return err
	}
	f, err := foretell.Of(sides[0], sides[1], steps)
	if err != nil {
		return err
	}
	text, err := f.Write(form)
	if err != nil {
		return err
	}
	var drawn []boardplot.Figure
	if *figures.dir != "" {
		figure, err := boardplot.Foretelling(f, *figures.show)
		if err != nil {
			return err
		}
		drawn = append(drawn, figure)
	}
	if _, err := b.streams.out.Write(text); err != nil {
		return err
	}
	return figures.save(b.streams, drawnBoard{figures: drawn})
}

// side reads a board: the published one of a policy, or the results in a folder, whichever tasks it
// has.
func (b *boardRun) side(name string) ([]*board.Result, error) {
	folder, source := name, fs.FS(keptFiles(name))
	var tasks []board.Task
	for _, policy := range []string{"tabular", "transformer"} {
		of, err := board.Tasks(policy)
		if err != nil {
			return nil, err
		}
		if name == policy {
			folder, tasks = "published/"+policy, of
			if source, err = fs.Sub(results.Board, "board/"+policy); err != nil {
				return nil, err
			}
			break
		}
		tasks = append(tasks, of...)
	}
	var out []*board.Result
	for _, t := range tasks {
		data, err := fs.ReadFile(source, t.Name+".json")
		if errors.Is(err, fs.ErrNotExist) || len(b.tasks) > 0 && !slices.Contains(b.tasks, t.Name) {
			continue
		}
		if err != nil {
			return nil, err
		}
		path := filepath.Join(folder, t.Name+".json")
		r, err := board.ParseResult(path, data)
		if err != nil {
			return nil, err
		}
		if r.Task != t.Name {
			return nil, inputError(fmt.Errorf("%s holds the result of task %s", path, r.Task))
		}
		if r.Policy == t.Policy { // both policies have tasks of one name
			out = append(out, r)
		}
	}
	switch {
	case out != nil:
		return out, nil
	case len(b.tasks) > 0:
		return nil, inputError(fmt.Errorf("%s holds no result of the tasks %s", folder, strings.Join(b.tasks, ", ")))
	case folder != name:
		return nil, inputError(fmt.Errorf("no board of policy %s is published with this program: want a folder of results, as bench board --policy %s --keep writes it", name, name))
	}
	return nil, inputError(fmt.Errorf("%s holds no results of the board: want TASK.json, as bench board --keep writes them", folder))
}

// checkTasks says which of --tasks neither board has.
func (b *boardRun) checkTasks(sides [2][]*board.Result) error {
	for _, name := range b.tasks {
		if !slices.ContainsFunc(slices.Concat(sides[0], sides[1]), func(r *board.Result) bool { return r.Task == name }) {
			return inputError(fmt.Errorf("neither board has a result of task %q", name))
		}
	}
	return nil
}

// auditSteps are those of an audit.json, or the published ones.
func auditSteps(path string) (*foretell.Steps, error) {
	if path == "" {
		return foretell.ParseSteps(results.BoardAuditFile, results.BoardAudit)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return foretell.ParseAudit(path, data)
}

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
func (o *boardOptions) foretell(args []string) error {
	if err := o.checkForetell(len(args)); err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"tabular", "transformer"}
	}
	var sides [2][]*board.Result
	for i, name := range args {
		var err error
		if sides[i], err = o.side(name); err != nil {
			return err
		}
	}
	if err := o.checkTasks(sides); err != nil {
		return err
	}
	steps, err := auditSteps(o.audit)
	if err != nil {
		return err
	}
	f, err := foretell.Compare(sides[0], sides[1], steps)
	if err != nil {
		return err
	}
	text, err := f.Write(o.form)
	if err != nil {
		return err
	}
	var drawn []boardplot.Figure
	if o.figures.dir != "" {
		figure, err := boardplot.Foretelling(f, o.figures.show)
		if err != nil {
			return err
		}
		drawn = append(drawn, figure)
	}
	if _, err := o.streams.out.Write(text); err != nil {
		return err
	}
	return o.figures.save(o.streams, drawnBoard{figures: drawn})
}

// checkForetell checks the flags and the number of arguments.
func (o *boardOptions) checkForetell(args int) error {
	for _, name := range foretellWithout {
		if o.flags.Changed(name) {
			return usagef("bench board foretell reads two boards and runs nothing: leave out --%s", name)
		}
	}
	if !slices.Contains(foretell.Formats(), o.form) {
		return usagef("--format %s: of bench board foretell want one of %s", o.form, strings.Join(foretell.Formats(), ", "))
	}
	if args != 0 && args != 2 {
		return usagef("bench board foretell takes two boards, the short one and the long one, or none for those that are published; got %d", args)
	}
	return o.figures.check(o.flags, "")
}

// published is the published board of a policy; nil if the name is of no policy.
func publishedBoard(name string) (fs.FS, error) {
	if name != "tabular" && name != "transformer" {
		return nil, nil
	}
	return fs.Sub(results.Board, "board/"+name)
}

// side reads the results of a board: of the published board of a policy, or of the board in a folder.
func (b *boardRun) side(name string) (out []*board.Result, err error) {
	folder := name
	source, err := publishedBoard(name)
	switch {
	case err != nil:
		return nil, err
	case source != nil:
		folder = "published/" + name
	default:
		source = keptFiles(name)
	}
	for _, policy := range []string{"tabular", "transformer"} {
		tasks, err := board.Tasks(policy)
		if err != nil {
			return nil, err
		}
		for _, t := range tasks {
			data, err := fs.ReadFile(source, t.Name+".json")
			if errors.Is(err, fs.ErrNotExist) || len(b.tasks) > 0 && !slices.Contains(b.tasks, t.Name) {
				continue
			}
			if err != nil {
				return nil, err
			}
			r, err := taskResult(t, filepath.Join(folder, t.Name+".json"), data)
			if err != nil {
				return nil, err
			}
			if r.Policy == policy { // both policies have tasks of one name
				out = append(out, r)
			}
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
	return nil, noResults(folder)
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

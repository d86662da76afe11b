package main

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"

	"modebench/experiments/board"
	"modebench/experiments/board/foretell"
	"modebench/experiments/board/ledger"
	"modebench/experiments/record"
	"modebench/internal/input"
	"modebench/plots/boardplot"
	"modebench/results"
)

// boardForetell is the word behind bench board that compares two boards.
const boardForetell = "foretell"

// foretell holds a short board against a long one: two folders, or names of published boards.
func (o *boardOptions) foretell(args []string) error {
	err := cmp.Or(o.refuse("bench board foretell reads two boards and runs nothing: leave out --%s", foretellWithout...),
		o.checkForm("of bench board foretell ", foretell.Formats()), o.figures.check(o.flags))
	if err != nil {
		return err
	}
	if len(args) == 0 {
		args = boardPolicies
	}
	if len(args) != 2 {
		return usagef("bench board foretell takes two boards, the short one and the long one, or none for those that are published; got %d", len(args))
	}
	var sides [2][]*board.Result
	for i, name := range args {
		if sides[i], err = o.side(name); err != nil {
			return err
		}
	}
	for _, name := range o.tasks {
		if board.OfTask(slices.Concat(sides[0], sides[1]), name) == nil {
			return input.Errorf("neither board has a result of task %q", name)
		}
	}
	c, err := foretell.Compare(sides[0], sides[1])
	if err != nil {
		return err
	}
	grid, err := board.Published()
	if err != nil {
		return err
	}
	published, err := ledger.Read(results.LedgerFile, results.Ledger, grid)
	if err != nil {
		return err
	}
	c.Hold(published)
	text, err := c.Write(o.form)
	if err != nil {
		return err
	}
	var figure boardplot.Figure
	if o.figures.dir != "" {
		if figure, err = boardplot.Foretelling(c, o.figures.show); err != nil {
			return err
		}
	}
	_, _ = o.streams.out.Write(text)
	return saveFigures(o.streams, o.figures.dir, o.figures.formats, figure)
}

// boardPolicies are the policies with a board.
var boardPolicies = []string{"tabular", "transformer"}

// side reads the results of a board: the published one of a policy, or that in a folder.
func (o *boardOptions) side(name string) (out []*board.Result, err error) {
	folder, files := name, fs.FS(record.Folder(name))
	if slices.Contains(boardPolicies, name) {
		folder = "published/" + name
		if files, err = fs.Sub(results.Board, "board/"+name); err != nil {
			return nil, err
		}
	}
	for _, policy := range boardPolicies {
		tasks, err := board.Tasks(policy)
		if err != nil {
			return nil, err
		}
		tasks = slices.DeleteFunc(tasks, func(t board.Task) bool { return len(o.tasks) > 0 && !slices.Contains(o.tasks, t.Name) })
		list, _, err := board.ReadKept(files, folder, tasks, board.ParseFinished)
		if err != nil {
			return nil, err
		}
		// Both policies have tasks of one name.
		out = append(out, slices.DeleteFunc(list, func(r *board.Result) bool { return r.Policy != policy })...)
	}
	switch {
	case out != nil:
		return out, nil
	case len(o.tasks) > 0:
		return nil, input.Errorf("%s holds no result of the tasks %s", folder, strings.Join(o.tasks, ", "))
	case folder != name:
		return nil, input.Errorf("no board of policy %s is published with this program: want a folder of results, as bench board --policy %s --keep writes it", name, name)
	}
	return nil, noResults(folder)
}

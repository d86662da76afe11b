// Package boardplot draws the figures of the board (docs/board.md): its methods against each other, task by
// task and over all tasks, two boards against each other, and the profiles of capabilities.
package boardplot

import (
	"slices"
	"strings"

	"modebench/experiments/board"
	"modebench/internal/input"
	"modebench/internal/nearest"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

// A Board is what figures of the board (docs/board.md) are drawn from: the results of its tasks,
// the table of them, and the methods that stand out. All others are grey.
type Board struct {
	results []*board.Result
	table   *board.Table
	shown   []numbers.Variant // the methods that stand out, in the order of the table
	looks   []draw.Look       // of those
}

// MostShown is how many methods may stand out on a board: about as many as a reader can tell apart.
const MostShown = 8

// New makes ready what figures of the board need. Show names the methods that stand out, at
// most eight; with none of them, these are the reference and the first of the table. A name that
// the table does not have is an error.
func New(results []*board.Result, table *board.Table, show []string) (*Board, error) {
	b := &Board{results: results, table: table}
	wanted := map[string]bool{}
	for _, name := range show {
		of, err := b.rowOf(name)
		if err != nil {
			return nil, err
		}
		wanted[of] = true
	}
	if len(wanted) > MostShown {
		return nil, input.Errorf("%d methods to show, want at most %d: about as many as can be told apart", len(wanted), MostShown)
	}
	if len(show) == 0 {
		wanted[board.Reference] = true
		for _, l := range table.Rows {
			if len(wanted) < MostShown {
				wanted[l.Method] = true
			}
		}
	}
	for _, l := range table.Rows {
		if wanted[l.Method] {
			b.shown = append(b.shown, numbers.Variant{Label: l.Method, Name: l.Method, Method: l.Method, Called: l.Method, Trains: true})
		}
	}
	b.looks = sheets.Looks(b.shown)
	return b, nil
}

// rowOf is the method whose row of the table a method shares.
func (b *Board) rowOf(name string) (string, error) {
	var known []string
	for _, l := range b.table.Rows {
		for _, m := range append([]string{l.Method}, l.Same...) {
			if m == name {
				return l.Method, nil
			}
			known = append(known, m)
		}
	}
	slices.Sort(known)
	return "", input.Errorf("the board has no method %q to show; %sits methods are %s", name, nearest.Hint(name, known), strings.Join(known, ", "))
}

// lookOf is the look of a method that stands out.
func (b *Board) lookOf(method string) (draw.Look, bool) {
	i := slices.IndexFunc(b.shown, func(v numbers.Variant) bool { return v.Method == method })
	if i < 0 {
		return draw.Look{}, false
	}
	return b.looks[i], true
}

// everywhere says whether a method fits all tasks. Means over tasks of another one are of other
// tasks.
func (b *Board) everywhere(l board.Line) bool { return len(l.Areas) == len(b.table.Tasks) }

// overTasks is the mean over tasks of a column that results have by seed, with its interval over
// seeds: those of one number are taken together, since they are drawn together.
func (b *Board) overTasks(method, column string) stats.Interval {
	var means []float64
	n := 0
	for _, r := range b.results {
		row := r.Tuned(method)
		if row == nil {
			continue
		}
		n++
		for i, x := range row.BySeed(column) {
			if i == len(means) {
				means = append(means, 0)
			}
			means[i] += x
		}
	}
	for i := range means {
		means[i] /= float64(n)
	}
	return stats.MeanInterval(means)
}

// sameNote names the methods that share a line of the table.
func (b *Board) sameNote() string {
	var parts []string
	for _, l := range b.table.Rows {
		if len(l.Same) > 0 {
			parts = append(parts, l.Method+" is also "+strings.Join(l.Same, ", "))
		}
	}
	if parts == nil {
		return ""
	}
	return "Methods with the same records on every task are one: " + strings.Join(parts, "; ") + "."
}

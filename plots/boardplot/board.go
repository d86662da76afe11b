// Package boardplot draws the figures of the board (docs/board.md): its methods against each other, task by
// task and over all tasks, two boards against each other, and the profiles of capabilities.
package boardplot

import (
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/board"
	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/internal/nearest"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

// A Board has the numbers of the figures of the board (docs/board.md): the results of its tasks,
// the table of them, and the methods that are highlighted. All others are grey.
type Board struct {
	results []*board.Result
	table   *board.Table
	shown   []numbers.Variant // the methods that are highlighted, in the order of the table
	looks   []draw.Look       // of those
}

// MostShown is how many methods may be highlighted on a board: about as many as a reader can tell apart.
const MostShown = 8

// New prepares the figures of the board. Show names the methods that are highlighted, at most eight;
// without any, these are the reference and the first of the table. A name that the table does not
// have is an error.
func New(results []*board.Result, table *board.Table, show []string) (*Board, error) {
	b := &Board{results: results, table: table}
	wanted := map[string]bool{}
	for _, name := range show {
		method, err := b.rowOf(name)
		if err != nil {
			return nil, err
		}
		wanted[method] = true
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
	b.looks = sheets.Distinct(b.shown)
	return b, nil
}

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

// shownAt is the index of a method among those that are highlighted, or -1.
func (b *Board) shownAt(method string) int {
	return slices.IndexFunc(b.shown, func(v numbers.Variant) bool { return v.Method == method })
}

func (b *Board) lookOf(method string) (look draw.Look, highlighted bool) {
	if i := b.shownAt(method); i >= 0 {
		return b.looks[i], true
	}
	return look, false
}

// everywhere reports whether a method fits all tasks. Means over tasks of a method that does not are
// of other tasks.
func (b *Board) everywhere(l board.Line) bool { return len(l.Areas) == len(b.table.Tasks) }

// SameNote names the methods that share a line of the table; "" without such methods.
func (b *Board) SameNote() string {
	return sameNote("on every task", b.table.Rows, func(l board.Line) (string, []string) { return l.Method, l.Same })
}

func sameNote[T any](where string, rows []T, names func(T) (method string, same []string)) string {
	var parts []string
	for _, r := range rows {
		if method, same := names(r); len(same) > 0 {
			parts = append(parts, method+" is also "+strings.Join(same, ", "))
		}
	}
	if parts == nil {
		return ""
	}
	return "Methods with the same records " + where + " are one: " + strings.Join(parts, "; ") + "."
}

// writeMethod writes the number and the name of the i-th line of the table, the name digits from
// the left.
func (b *Board) writeMethod(c draw.Canvas, i int, digits, base vg.Length) {
	method, font, ink := b.table.Rows[i].Method, draw.SmallFont, draw.Black
	if mark, highlighted := b.markOf(b.table.Rows[i]); highlighted {
		font, ink = draw.PanelFont, sheets.InkOf(mark.Color)
	}
	draw.Write(c, draw.SmallFont, draw.Subtle, c.Min.X+digits-4, base, 1, strconv.Itoa(i+1))
	draw.Write(c, font, ink, c.Min.X+digits, base, 0, method)
}

func (b *Board) nameWidth() vg.Length {
	return each.Largest(b.table.Rows, func(l board.Line) vg.Length { return draw.TextWidth(draw.PanelFont, l.Method) })
}

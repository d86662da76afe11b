// Package table lays out tables: aligned text, Markdown, LaTeX, CSV, JSON and HTML. A table is a
// list of columns, each with its headings, its legend and the cell of a row.
package table

import (
	"cmp"
	"strings"
)

// A Column is a column of a table whose rows are of type R.
type Column[R any] struct {
	Name   string // heading in data: CSV
	Title  string // heading for readers; "": Name
	Unit   string // after the title, in brackets; "": no unit
	Legend string // meaning of the column, without a full stop; "": the title explains it
	// For HTML: the class of the cells, the text behind the heading, and the names of
	// the numbers of a cell, for the script that sorts ("interval": mean, low, high; "ends": low, high).
	Class, Meaning, Ends string
	Cell                 func(row R) Value
}

// Heading is the title with its unit.
func (c Column[R]) Heading() string {
	title := cmp.Or(c.Title, c.Name)
	if c.Unit != "" {
		title += " (" + c.Unit + ")"
	}
	return title
}

// A Value is the content of a cell.
type Value struct {
	Text    string    // for readers
	Numbers []float64 // nil for a text; a number; or a mean and the ends of its interval
}

// Text is the value of a text.
func Text(text string) Value { return Value{Text: text} }

// Rows has the headings for readers and the texts of all cells.
func Rows[R any](columns []Column[R], rows []R) Grid {
	return grid(columns, rows, Column[R].Heading, func(v Value) string { return v.Text })
}

// Data has the names of the columns and, in place of texts, numbers as CSV has them.
func Data[R any](columns []Column[R], rows []R) Grid {
	return grid(columns, rows, func(c Column[R]) string { return c.Name }, func(v Value) string {
		if v.Numbers != nil {
			return CSVNumber(v.Numbers[0])
		}
		return v.Text
	})
}

func grid[R any](columns []Column[R], rows []R, heading func(Column[R]) string, text func(Value) string) Grid {
	g := make(Grid, 1+len(rows))
	for _, c := range columns {
		g[0] = append(g[0], heading(c))
		for i, row := range rows {
			g[1+i] = append(g[1+i], text(c.Cell(row)))
		}
	}
	return g
}

// Legend explains the columns, "area: the share of ... . ", in lines of at most width bytes. Columns
// in turn with the same legend are explained together.
func Legend[R any](columns []Column[R], width int) string {
	var b strings.Builder
	for i := 0; i < len(columns); i++ {
		text := columns[i].Legend
		if text == "" {
			continue
		}
		titles := columns[i].Heading()
		for ; i+1 < len(columns) && columns[i+1].Legend == text; i++ {
			titles += ", " + columns[i+1].Heading()
		}
		b.WriteString(titles + ": " + text + ". ")
	}
	return wrapped(b.String(), width)
}

// wrapped breaks a text into lines of at most width bytes, but for longer words.
func wrapped(text string, width int) string {
	var b strings.Builder
	length := 0
	for _, word := range strings.Fields(text) {
		switch {
		case length == 0:
		case length+1+len(word) > width:
			b.WriteByte('\n')
			length = 0
		default:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += len(word)
	}
	return b.String() + "\n"
}

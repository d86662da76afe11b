// Package table lays out tables: aligned text, Markdown, LaTeX, CSV, JSON and HTML. A table is a
// list of columns, each with its headings, its legend and the cell of a row.
package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Column is a column of a table whose rows are of type R.
type Column[R any] struct {
	Title  string // its heading
	Legend string // its meaning, without a full stop; "": the title explains it
	Cell   func(row R) Value
	// For HTML: the class of the cells, the text behind the heading, and the names of the numbers of a
	// cell, for the script that sorts ("interval": mean, low, high; "ends": low, high).
	Class, Meaning, Ends string
}

// A Value is the content of a cell.
type Value struct {
	Text    string    // for readers
	Numbers []float64 // nil for a text; a number; or a mean and the ends of its interval
}

// Text is the value of a text.
func Text(text string) Value { return Value{Text: text} }

// Rows has the headings and the texts of all cells.
func Rows[R any](columns []Column[R], rows []R) Grid {
	g := make(Grid, 1+len(rows))
	for _, c := range columns {
		g[0] = append(g[0], c.Title)
		for i, row := range rows {
			g[1+i] = append(g[1+i], c.Cell(row).Text)
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
		titles := columns[i].Title
		for ; i+1 < len(columns) && columns[i+1].Legend == text; i++ {
			titles += ", " + columns[i+1].Title
		}
		b.WriteString(titles + ": " + text + ". ")
	}
	return wrapped(b.String(), width)
}

// wrapped breaks a text into lines of at most width bytes, but for longer words.
func wrapped(text string, width int) string {
	var lines []string
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last < 0 || len(lines[last])+1+len(word) > width {
			lines = append(lines, word)
		} else {
			lines[last] += " " + word
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// Digits is how readers see numbers: with a count of decimals, and Missing for NaN.
type Digits struct {
	Decimals int
	Missing  string
}

// Three is three decimals, and a dash for a missing number.
var Three = Digits{3, "-"}

// Text writes a number. A negative number has no sign if it rounds to 0.
func (d Digits) Text(x float64) string {
	if math.IsNaN(x) {
		return d.Missing
	}
	text := strconv.FormatFloat(x, 'f', d.Decimals, 64)
	if text[0] == '-' && text == strconv.FormatFloat(math.Copysign(0, -1), 'f', d.Decimals, 64) {
		return text[1:]
	}
	return text
}

// Interval writes a mean with the ends of its interval, or alone if an end is not finite.
func (d Digits) Interval(mean, low, high float64) string {
	if math.IsNaN(mean) || !finite(low) || !finite(high) {
		return d.Text(mean)
	}
	return fmt.Sprintf("%s [%s, %s]", d.Text(mean), d.Text(low), d.Text(high))
}

// Number is the value of a number.
func (d Digits) Number(x float64) Value { return Value{d.Text(x), []float64{x}} }

// Mean is the value of a mean with its interval.
func (d Digits) Mean(mean, low, high float64) Value {
	return Value{d.Interval(mean, low, high), []float64{mean, low, high}}
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

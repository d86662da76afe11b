package table

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"unicode/utf8"

	"modebench/internal/visible"
)

// A Grid is the texts of a table. The first row has the headings. In a table of several columns,
// a later row of one text is a heading of the rows below it, and an empty row is a gap.
type Grid [][]string

// Text aligns the columns to the left, two spaces apart.
func (g Grid) Text() string { return g.TextAligned(func(int) bool { return false }) }

// TextAligned aligns the columns, two spaces apart: those that right reports, to the right.
func (g Grid) TextAligned(right func(column int) bool) string {
	var b strings.Builder
	widths := g.widths()
	for _, row := range g {
		if g.heads(row) {
			b.WriteString(row[0] + "\n")
			continue
		}
		var line strings.Builder
		for j, cell := range row {
			space := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell))
			if right(j) {
				cell, space = space+cell, ""
			}
			line.WriteString(cell + space + "  ")
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// heads reports whether a row is a heading of the rows below it.
func (g Grid) heads(row []string) bool { return len(row) == 1 && len(g[0]) > 1 }

func (g Grid) widths() (out []int) {
	for _, row := range g {
		if g.heads(row) {
			continue
		}
		for j, cell := range row {
			if j == len(out) {
				out = append(out, 0)
			}
			out[j] = max(out[j], utf8.RuneCountInString(cell))
		}
	}
	return out
}

// Markdown is the table as Markdown. Cells are Markdown already (MarkdownText).
func (g Grid) Markdown() string {
	var b strings.Builder
	for i, row := range g {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
		}
	}
	return b.String()
}

// Code has the first word of a column as code of Markdown.
func (g Grid) Code(column int) Grid {
	for _, row := range g[1:] {
		name, rest, more := strings.Cut(row[column], " ")
		if row[column] = "`" + name + "`"; more {
			row[column] += " " + rest
		}
	}
	return g
}

// Notes are notes below a table, each in a format, with an empty line before the first.
func Notes(format string, notes []string) (text string) {
	for i, note := range notes {
		text += strings.Repeat("\n", 1-min(i, 1)) + fmt.Sprintf(format, note)
	}
	return text
}

// MarkdownText is a text as a cell of Markdown shows it: characters that would end the cell, be code
// or a link, or begin HTML are escaped.
func MarkdownText(text string) string { return markdownEscapes.Replace(visible.Text(text)) }

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "](", `]\(`, "&", "&amp;", "<", "&lt;")

// CSV is the table as CSV.
func (g Grid) CSV() ([]byte, error) {
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(g)
	return b.Bytes(), err
}

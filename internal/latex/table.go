package latex

import (
	"fmt"
	"strings"

	"modebench/internal/visible"
)

// Row is a row of a table: the texts as LaTeX sets them, and the end of the row.
func Row(texts []string) string {
	cells := make([]string, len(texts))
	for i, text := range texts {
		cells[i] = Text(text)
	}
	return strings.Join(cells, " & ") + " \\\\\n"
}

// Table is TableOf with every column as wide as its texts, set to the left.
func Table(about string, rows [][]string) string {
	return TableOf(about, strings.Repeat("l", len(rows[0])), "", rows)
}

// mostRows is how many rows fit a page in small print.
const mostRows = 40

// TableOf is a table with the rules of booktabs, whose columns are as a tabular has them and may
// need more packages. A table of at most 40 rows is a tabular, which can stand in a float and in a
// text of two columns; a longer one is a longtable, which goes on over pages and can do neither. Its
// first lines are comments: the packages that it needs, and about. The first row is the head; all
// others have as many texts, but for one text alone, which is a heading of the rows below it, and
// none, which is a gap.
func TableOf(about, columns, packages string, rows [][]string) string {
	var b strings.Builder
	long := len(rows)-1 > mostRows
	environment := "tabular"
	packages = strings.TrimPrefix(packages+",booktabs", ",")
	if long {
		environment, packages = "longtable", packages+",longtable"
	}
	fmt.Fprintf(&b, "%% \\usepackage{%s}\n", packages)
	for line := range strings.Lines(about) {
		fmt.Fprintf(&b, "%% %s\n", visible.Text(strings.TrimRight(line, "\n")))
	}
	head, last := rows[0], len(rows[0])
	fmt.Fprintf(&b, "\\begin{%s}{%s}\n\\toprule\n%s\\midrule\n", environment, columns, Row(head))
	if long {
		fmt.Fprintf(&b, "\\endhead\n\\midrule\n\\multicolumn{%d}{r}{continued} \\\\\n\\endfoot\n\\bottomrule\n\\endlastfoot\n", last)
	}
	for i, row := range rows[1:] {
		switch {
		case len(row) == 0:
			b.WriteString("\\addlinespace\n")
			continue
		case len(row) == last:
			b.WriteString(Row(row))
			continue
		case i > 0:
			b.WriteString("\\addlinespace\n")
		}
		fmt.Fprintf(&b, "\\multicolumn{%d}{l}{\\emph{%s}} \\\\\n", last, Text(row[0]))
	}
	if !long {
		b.WriteString("\\bottomrule\n")
	}
	fmt.Fprintf(&b, "\\end{%s}%%\n", environment)
	return b.String()
}

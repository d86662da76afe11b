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

// Table is a table that may go on over pages, with the rules of booktabs and every column set to
// the left. Its first lines are comments: the packages that it needs, and about. The first row is
// the head, which every page repeats; all rows have as many texts.
func Table(about string, rows [][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%% \\usepackage{booktabs,longtable}\n%% %s\n\\begin{longtable}{%s}\n\\toprule\n", visible.Text(about), strings.Repeat("l", len(rows[0])))
	for i, row := range rows {
		b.WriteString(Row(row))
		if i == 0 {
			b.WriteString("\\midrule\n\\endhead\n")
		}
	}
	b.WriteString("\\bottomrule\n\\end{longtable}\n")
	return b.String()
}

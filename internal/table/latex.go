package table

import (
	"fmt"
	"strings"

	"modebench/internal/each"
	"modebench/internal/latex"
	"modebench/internal/visible"
)

// LaTeX is LaTeXOf with every column as wide as its texts, set to the left.
func (g Grid) LaTeX(about string) string {
	return g.LaTeXOf(about, strings.Repeat("l", len(g[0])), "")
}

// longestPage is the number of rows that fit a page in small print.
const longestPage = 40

// LaTeXOf is the table with the rules of booktabs, whose columns are as a tabular has them and may
// need more packages. A table of at most 40 rows is a tabular, which fits a float and a text of two
// columns; a longer one is a longtable, which runs over pages and fits neither. Its first lines are
// comments: the packages that it needs, and about.
func (g Grid) LaTeXOf(about, columns, packages string) string {
	var b strings.Builder
	long := len(g)-1 > longestPage
	environment := "tabular"
	packages = strings.TrimPrefix(packages+",booktabs", ",")
	if long {
		environment, packages = "longtable", packages+",longtable"
	}
	fmt.Fprintf(&b, "%% \\usepackage{%s}\n", packages)
	for line := range strings.Lines(about) {
		fmt.Fprintf(&b, "%% %s\n", visible.Text(strings.TrimRight(line, "\n")))
	}
	width := len(g[0])
	fmt.Fprintf(&b, "\\begin{%s}{%s}\n\\toprule\n%s\\midrule\n", environment, columns, latexRow(g[0]))
	if long {
		fmt.Fprintf(&b, "\\endhead\n\\midrule\n\\multicolumn{%d}{r}{continued} \\\\\n\\endfoot\n\\bottomrule\n\\endlastfoot\n", width)
	}
	gap := true // below the head there is a rule
	for _, row := range g[1:] {
		switch {
		case len(row) == 0:
			if !gap {
				b.WriteString("\\addlinespace\n")
			}
			gap = true
			continue
		case g.heads(row):
			if !gap {
				b.WriteString("\\addlinespace\n")
			}
			fmt.Fprintf(&b, "\\multicolumn{%d}{l}{\\emph{%s}} \\\\\n", width, latex.Text(row[0]))
		default:
			b.WriteString(latexRow(row))
		}
		gap = false
	}
	if !long {
		b.WriteString("\\bottomrule\n")
	}
	fmt.Fprintf(&b, "\\end{%s}%%\n", environment)
	return b.String()
}

func latexRow(texts []string) string {
	cells := each.Map(texts, func(text string) string { return latex.Text(strings.TrimSpace(text)) })
	return strings.Join(cells, " & ") + " \\\\\n"
}

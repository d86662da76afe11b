package table

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"modebench/internal/latex"
	"modebench/internal/visible"
)

// LaTeX is LaTeXOf with every column as wide as its texts, set to the left. The numbers of a column are
// below each other at the decimal point, and intervals and counts are in the print of indices: at 8 points a
// table of five columns of intervals is narrower than 5.5 inches.
func (g Grid) LaTeX(about string) string {
	numbers := make([]numberColumn, len(g[0]))
	for _, row := range g[1:] {
		for i, cell := range row {
			if !g.heads(row) {
				numbers[i].add(strings.TrimSpace(cell))
			}
		}
	}
	return g.latex(about, fmt.Sprintf(`@{}*{%d}{l@{\hspace{\tabcolsep}}}l@{}`, len(g[0])-1), "", numbers)
}

// longestPage is the number of rows that fit a page in small print.
const longestPage = 40

// LaTeXOf is the table with the rules of booktabs, whose columns are as a tabular has them and may
// need more packages. A table of at most 40 rows is a tabular, which fits a float and a text of two
// columns; a longer one is a longtable, which runs over pages and fits neither. Its first lines are
// comments: the packages that it needs, and about.
func (g Grid) LaTeXOf(about, columns, packages string) string {
	return g.latex(about, columns, packages, nil)
}

// latex is LaTeXOf with the numbers of columns; nil: they are texts.
func (g Grid) latex(about, columns, packages string, numbers []numberColumn) string {
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
	fmt.Fprintf(&b, "\\begin{%s}{%s}\n\\toprule\n%s\\midrule\n", environment, columns, latexRow(g[0], nil))
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
			for _, line := range g.broken(row[0]) {
				fmt.Fprintf(&b, "\\multicolumn{%d}{@{}l}{\\emph{%s}} \\\\\n", width, latex.Text(line))
			}
		default:
			b.WriteString(latexRow(row, numbers))
		}
		gap = false
	}
	if !long {
		b.WriteString("\\bottomrule\n")
	}
	fmt.Fprintf(&b, "\\end{%s}%%\n", environment)
	return b.String()
}

// broken are the lines of a heading of rows, each shorter than a row in characters.
func (g Grid) broken(heading string) (lines []string) {
	room := 0
	for _, width := range g.widths() {
		room += width
	}
	for _, word := range strings.Fields(heading) {
		if last := len(lines) - 1; last >= 0 && utf8.RuneCountInString(lines[last]+word) < room {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// numberCell matches a number, with its interval, or half the width of one.
var numberCell = regexp.MustCompile(`^([-+]?)(\d+)(\.\d+)?(?: (\[[-+.\d]+), ([-+.\d]+\])|±([.\d]+))?$`)

// countedCell matches a text with a count at its end: "better (12)".
var countedCell = regexp.MustCompile(`^(.+) (\([\d/]+\))$`)

// A numberColumn has the most characters of the signs, digits and decimals of a column's numbers.
type numberColumn struct{ sign, digits, decimals int }

func (c *numberColumn) add(cell string) {
	if parts := numberCell.FindStringSubmatch(cell); parts != nil {
		c.sign, c.digits, c.decimals = max(c.sign, len(parts[1])), max(c.digits, len(parts[2])), max(c.decimals, len(parts[3]))
	}
}

// cell is a cell of the column in LaTeX. A number gets the room of the characters that it lacks.
func (c *numberColumn) cell(text string) string {
	parts := numberCell.FindStringSubmatch(text)
	if counted := countedCell.FindStringSubmatch(text); counted != nil {
		return latex.Text(counted[1]) + `\,$\scriptstyle` + counted[2] + "$"
	}
	if parts == nil {
		return latex.Text(text)
	}
	sign, digits, decimals := parts[1], parts[2], parts[3]
	room := strings.Repeat("0", c.digits-len(digits))
	if len(sign) < c.sign {
		room = "$-$" + room
	}
	number := phantom(room) + latex.Text(sign+digits+decimals)
	switch {
	case parts[6] != "":
		return number + `$\scriptstyle\pm` + parts[6] + "$"
	case parts[4] == "":
		return number
	}
	after := ""
	if lack := c.decimals - len(decimals); lack > 0 {
		after = ("." + strings.Repeat("0", c.decimals))[len(decimals):][:lack]
	}
	return number + phantom(after) + `\,$\scriptstyle` + parts[4] + `,\,` + parts[5] + "$"
}

func phantom(text string) string {
	if text == "" {
		return ""
	}
	return `\phantom{` + text + "}"
}

func latexRow(texts []string, columns []numberColumn) string {
	cells := make([]string, len(texts))
	for i, text := range texts {
		if text = strings.TrimSpace(text); columns == nil {
			cells[i] = latex.Text(text)
		} else {
			cells[i] = columns[i].cell(text)
		}
	}
	return strings.Join(cells, " & ") + " \\\\\n"
}

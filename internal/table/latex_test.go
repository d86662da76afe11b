package table

import (
	"fmt"
	"strings"
	"testing"
)

func TestLaTeX(t *testing.T) {
	got := Grid{{"", "a_b"}, {"base"}, {"x", "-1"}, {}, {"y", "2"}, {"more"}}.LaTeX("50%\nof \\x")
	want := `% \usepackage{booktabs}
% 50%
% of \x
\begin{tabular}{ll}
\toprule
 & a\_b \\
\midrule
\multicolumn{2}{l}{\emph{base}} \\
x & $-$1 \\
\addlinespace
y & 2 \\
\addlinespace
\multicolumn{2}{l}{\emph{more}} \\
\bottomrule
\end{tabular}%
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestLongTable: a table that fits no page goes on over several, with its head on each.
func TestLongLaTeX(t *testing.T) {
	rows := Grid{{"n", "2n"}}
	for i := range longestPage + 1 {
		rows = append(rows, []string{fmt.Sprint(i), fmt.Sprint(2 * i)})
	}
	if got := rows[:longestPage+1].LaTeXOf("", "rr", "array"); !strings.Contains(got, `\begin{tabular}{rr}`) {
		t.Errorf("%d rows: %.200s", longestPage, got)
	}
	got := rows.LaTeXOf("", "rr", "array")
	for _, want := range []string{"% \\usepackage{array,booktabs,longtable}\n\\begin{longtable}{rr}\n", "\\endhead\n", "\\bottomrule\n\\endlastfoot\n0 & 0 \\\\\n", "40 & 80 \\\\\n\\end{longtable}%\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

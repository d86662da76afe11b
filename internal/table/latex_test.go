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
\begin{tabular}{@{}*{1}{l@{\hspace{\tabcolsep}}}l@{}}
\toprule
 & a\_b \\
\midrule
\multicolumn{2}{@{}l}{\emph{base}} \\
x & $-$1 \\
\addlinespace
y & \phantom{$-$}2 \\
\addlinespace
\multicolumn{2}{@{}l}{\emph{more}} \\
\bottomrule
\end{tabular}%
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestLaTeXNumbers: the decimal points of a column are below each other, an interval begins below others, and
// texts stay as they are.
func TestLaTeXNumbers(t *testing.T) {
	got := Grid{
		{"", "gain", "n", "by"},
		{"a", "-0.5 [-0.75, -0.25]", "7", "1.95±0.04"},
		{"b", "12.125 [11.5, 12.75]", "n/a", "0.998±0.002"},
		{"c (3/8)", "+3", "128", "a (b)"},
		{"a head of many words that is longer than the rows of the table are, as those of comparisons often are"},
		{"d", "4 [4, 4]", "-1", "2e-05"},
	}.LaTeX("")
	_, got, _ = strings.Cut(got, "\\midrule\n")
	want := `a & \phantom{0}$-$0.5\phantom{00}\,$\scriptstyle[-0.75,\,-0.25]$ & \phantom{$-$00}7 & 1.95$\scriptstyle\pm0.04$ \\
b & \phantom{$-$}12.125\,$\scriptstyle[11.5,\,12.75]$ & n/a & 0.998$\scriptstyle\pm0.002$ \\
c\,$\scriptstyle(3/8)$ & \phantom{0}+3 & \phantom{$-$}128 & a (b) \\
\addlinespace
\multicolumn{4}{@{}l}{\emph{a head of many words that is longer than}} \\
\multicolumn{4}{@{}l}{\emph{the rows of the table are, as those of}} \\
\multicolumn{4}{@{}l}{\emph{comparisons often are}} \\
d & \phantom{$-$0}4\phantom{.000}\,$\scriptstyle[4,\,4]$ & \phantom{00}$-$1 & 2e-05 \\
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
